use super::*;

#[track_caller]
fn in_spec(body: &str, printed: &str, reason: Reason) {
    refused(&[("tests/a.spec.ts", &spec(body))], printed, reason);
}

#[test]
fn another_literal_at_the_site_is_refused() {
    in_spec("  await page.locator('#a').①click();", "locator('#b')", Reason::OtherSite);
    in_spec("  await page.locator('#x').locator('#a').①click();", "locator('#a')", Reason::OtherSite);
    in_spec("  await page.getByRole('button', { name: 'A' }).①click();", "getByRole('button')", Reason::OtherSite);
    in_spec("  await page.getByRole('button').①click();", "getByRole('button', { name: 'A' })", Reason::OtherSite);
    in_spec("  await page.getByText('A').①click();", "getByText('A', { exact: true })", Reason::OtherSite);
}

#[test]
fn a_variable_assigned_twice_is_refused() {
    in_spec(
        "  let a = page.locator('#a');\n  if (x) a = page.locator('#b');\n  await a.①click();",
        "locator('#b')",
        Reason::SeveralDefinitions,
    );
}

#[test]
fn computed_selectors_are_refused() {
    in_spec("  await page.locator(build('#a')).①click();", "locator('#a')", Reason::Computed);
    in_spec("  await page.locator(`${a}${b}`).①click();", "locator('#a')", Reason::Computed);
    in_spec("  await page.locator(list.map((x) => x.y)[0]).①click();", "locator('#a')", Reason::Computed);
}

#[test]
fn an_unseen_caller_is_said() {
    let helpers =
        "export async function go(page: Page, selector: string) {\n  await page.locator(selector).①click();\n}\n";
    refused(&[("h.ts", helpers)], "locator('#a')", Reason::Parameter);
}

#[test]
fn a_place_without_a_call_is_refused() {
    in_spec("  const ①x = 1;", "locator('#a')", Reason::NoCall);
    let marked = Marked {
        files: BTreeMap::new(),
        frames: vec![Frame { path: "gone.ts".into(), line: 1, column: 1 }],
        place: None,
    };
    assert_eq!(ask(&marked, "locator('#a')").unwrap_err().reason, Reason::NoSource);
}

#[test]
fn without_a_printed_locator_only_the_call_itself_counts() {
    let marked = unmark(&[("a.spec.ts", &spec("  await page.«locator('#a')».①click();"))]);
    let definition = ask(&marked, "").unwrap();
    assert_eq!(definition.piece_of(0).unwrap().call.range, marked.place.unwrap().1);
    in_spec("  await page.locator('#a').①dragTo(page.locator('#b'));", "", Reason::Ambiguous);
}

#[test]
fn deep_and_broken_sources_end() {
    let deep = format!("  await page.①click({}1{});", "f(".repeat(20_000), ")".repeat(20_000));
    let _refusal = ask(&unmark(&[("a.spec.ts", &spec(&deep))]), "locator('#a')").unwrap_err();
    let long = format!("  await page{}.①click();", ".locator('#a')".repeat(500));
    let printed = vec!["locator('#a')"; 500].join(".");
    assert_eq!(ask(&unmark(&[("a.spec.ts", &spec(&long))]), &printed).unwrap().steps, 500);
    let loops = "const a = b;\nconst b = a;\nawait a.①click();\n";
    assert!(ask(&unmark(&[("a.ts", loops)]), "locator('#a')").is_err());
    let broken = "test('a', async ({ page }) => { await page.locator('#a').①click( ";
    let _any = ask(&unmark(&[("a.ts", broken)]), "locator('#a')");
}
