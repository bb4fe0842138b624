use super::*;

#[track_caller]
fn constant(locators: &str, spec_body: &str, printed: &str, shape: Shape) {
    for extension in ["ts", "js"] {
        if extension == "js" && (locators.contains("enum") || locators.contains("as const")) {
            continue;
        }
        let spec = format!("import {{ L }} from './l';\ntest('a', async ({{ page }}) => {{\n{spec_body}\n}});\n");
        let (spec_path, path) = (format!("a.spec.{extension}"), format!("l.{extension}"));
        found(&[(&spec_path, &spec), (&path, locators)], printed, 0, shape);
    }
}

#[test]
fn selector_constants_of_every_form_are_found() {
    let body = "  await page.locator(L.save).①click();";
    constant("export const L = { save: «'#save'», other: '#other' };\n", body, "locator('#save')", Shape::Property);
    constant("export const L = { save: «'#save'» } as const;\n", body, "locator('#save')", Shape::Property);
    constant("export const L = Object.freeze({ save: «'#save'» });\n", body, "locator('#save')", Shape::Property);
    constant("export enum L { other = '#o', save = «'#save'» }\n", body, "locator('#save')", Shape::EnumMember);
    constant("export class L {\n  static readonly save = «'#save'»;\n}\n", body, "locator('#save')", Shape::Static);
    constant("export class L { static save = «'#save'» }\n", body, "locator('#save')", Shape::Static);
    constant("export const L = «'#save'»;\n", "  await page.locator(L).①click();", "locator('#save')", Shape::Variable);
    constant("const save = «'#save'»;\nexport const L = { save };\n", body, "locator('#save')", Shape::Variable);
    constant(
        "const base = { save: «'#save'» };\nexport const L = { ...base, a: 1 };\n",
        body,
        "locator('#save')",
        Shape::Property,
    );
    constant(
        "export const L = { save: «'#save'» };\n",
        "  await page.①click(L.save);",
        "locator('#save')",
        Shape::Property,
    );
    constant(
        "export const L = { save: «'#save'» };\n",
        "  await page.locator(L['save']).①click();",
        "locator('#save')",
        Shape::Property,
    );
}

#[test]
fn nested_and_destructured_constants_are_found() {
    let nested = "export const L = { form: { save: «'save-btn'» } };\n";
    constant(nested, "  await page.getByTestId(L.form.save).①click();", "getByTestId('save-btn')", Shape::Property);
    constant(
        nested,
        "  const { form: { save } } = L;\n  await page.getByTestId(save).①click();",
        "getByTestId('save-btn')",
        Shape::Property,
    );
    constant(
        nested,
        "  const { save: s } = L.form;\n  await page.getByTestId(s).①click();",
        "getByTestId('save-btn')",
        Shape::Property,
    );
}

#[test]
fn constants_with_placeholders_agree_with_what_was_filled_in() {
    constant(
        "export const L = { row: «'#row-%s .open'» };\n",
        "  await page.locator(L.row.replace('%s', id)).①click();",
        "locator('#row-12 .open')",
        Shape::Property,
    );
    constant(
        "export const L = { row: (id) => «`#row-${id} .open`» };\n",
        "  await page.locator(L.row(12)).①click();",
        "locator('#row-12 .open')",
        Shape::Arrow,
    );
    constant(
        "export const L = { row: «'#row-'» };\n",
        "  await page.locator(L.row + id).①click();",
        "locator('#row-12')",
        Shape::Property,
    );
}

#[test]
fn a_name_constant_is_found_under_its_option() {
    let files = [
        (
            "a.spec.ts",
            "import { L } from './l';\ntest('a', async ({ page }) => {\n  await page.getByRole('button', { name: L.save }).①click();\n});\n",
        ),
        ("l.ts", "export const L = { save: «'Save'» };\n"),
    ];
    found(&files, "getByRole('button', { name: 'Save' })", 0, Shape::Property);
    let definition = ask(&unmark(&files), "getByRole('button', { name: 'Save' })").unwrap();
    let piece = definition.piece_of(0).unwrap();
    let names: Vec<(&str, bool)> =
        piece.texts.iter().map(|text| (text.option.as_str(), text.whole().is_some())).collect();
    assert_eq!(names, [("", true), ("name", true)]);
}

#[test]
fn a_class_field_with_a_selector_is_found() {
    let page = "export class P {\n  private saveButton = «'#save'»;\n  constructor(private page: Page) {}\n  async save() {\n    await this.page.①click(this.saveButton);\n  }\n}\n";
    let spec = "import { P } from './p';\ntest('a', async ({ page }) => {\n  await new P(page).②save();\n});\n";
    found(&[("a.spec.ts", spec), ("p.ts", page)], "locator('#save')", 0, Shape::ClassField);
}

#[test]
fn the_branch_that_ran_is_told_by_its_value() {
    let body = "  const sel = isMobile ? «'#m'» : '#d';\n  await page.locator(sel).①click();";
    found(&[("a.spec.ts", &spec(body))], "locator('#m')", 0, Shape::Variable);
}

#[test]
fn a_default_parameter_is_found() {
    let helpers =
        "export async function save(page: Page, selector = «'#save'») {\n  await page.locator(selector).①click();\n}\n";
    let spec = "import { save } from './helpers';\ntest('a', async ({ page }) => {\n  await ②save(page);\n});\n";
    found(&[("a.spec.ts", spec), ("helpers.ts", helpers)], "locator('#save')", 0, Shape::Default);
}

#[test]
fn texts_from_a_table_of_translations_are_found() {
    let body = "  const t = (key: string): string => ({ 'login.submit': «'Anmelden'» })[key] ?? key;\n  await page.getByRole('link', { name: t('login.submit') }).①click();";
    found(&[("a.spec.ts", &spec(body))], "getByRole('link', { name: 'Anmelden' })", 0, Shape::Property);
}

#[test]
fn an_xpath_constant_is_found() {
    let body = "  const X = { save: «\"//button[@id='save']\"» };\n  await page.locator(X.save).①click();\n";
    found(&[("a.spec.ts", &spec(body))], "locator('//button[@id=\\'save\\']')", 0, Shape::Property);
    let body = "  await page.«locator('xpath=//a')».①click();\n";
    found(&[("a.spec.ts", &spec(body))], "locator('//a')", 0, Shape::Inline);
    let body = "  await page.«locator('(//a)[1]')».①click();\n";
    found(&[("a.spec.ts", &spec(body))], "locator('xpath=(//a)[1]')", 0, Shape::Inline);
}
