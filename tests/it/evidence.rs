//! What a run leaves behind: whole, and without secrets.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::{Project, Ran, browser_turn};

/// Secrets that the test types, keeps, sends and asks for; nothing about them but their place says what they are.
const PASSWORD: &str = "marigold lantern";
const COOKIE: &str = "cobaltfinch";
const TOKEN: &str = "tangerinemoth";
const NAMED: &str = "velvetowl";
/// Typed where everybody can read it.
const SEEN: &str = "amber griffin";

const SPEC: &str = "import { expect, test } from '@playwright/test';

test('a visitor can sign up', async ({ context, page, baseURL }, testInfo) => {
  const places = [`${baseURL}/in?from=fourthstep`, '**/in?from=fourthstep', 'in?next=/home&from=fourthstep', /in\\?from=fourthstep/];
  await context.addCookies([{ name: 'visitor', value: 'COOKIE', url: baseURL! }]);
  await page.goto('/signup?token=TOKEN&plan=quarterly');
  await page.setExtraHTTPHeaders({ 'x-customer': process.env.CUSTOMER_CODE! });
  await page.evaluate(() => {
    console.error('signed in with COOKIE at http://127.0.0.1/x?step=secondstep');
    document.body.insertAdjacentHTML('afterbegin', '<input id=phrase type=password autofocus><input id=token><a href=\"?from=thirdstep\">Back</a>');
    return fetch('/missing?step=secondstep');
  });
  await page.locator('#token').fill('SEEN');
  await page.screenshot({ path: testInfo.outputPath('below', 'seen.png') });
  await testInfo.attach(`seen ${places.length}`, { body: await page.screenshot(), contentType: 'image/png' });
  await page.locator('#phrase').fill('PASSWORD');
  await page.evaluate(() => history.replaceState(null, '', '?step=fifthstep'));
  await page.getByLabel('Email').fill('ada@example.com');
  await page.locator('#submit-btn').click();
  await page.waitForLoadState();
  await expect(page.getByRole('heading', { name: 'Welcome aboard' })).toBeVisible();
});
";

/// All files below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            found.extend(files(&entry));
        } else {
            found.push(entry);
        }
    }
    found.sort();
    found
}

/// Every file below a folder, and every part of every archive in it, with its name.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for path in files(folder) {
        let name = path.display().to_string();
        let bytes = fs::read(&path).expect("a file");
        if path.extension().is_some_and(|end| end == "zip") {
            let mut archive = zip::ZipArchive::new(std::io::Cursor::new(&bytes)).expect("an archive");
            for at in 0..archive.len() {
                let mut part = archive.by_index(at).expect("a part");
                let mut bytes = Vec::new();
                part.read_to_end(&mut bytes).expect("its bytes");
                let part = part.name().expect("a name").into_owned();
                all.push((format!("{name}/{part}"), bytes));
            }
        }
        all.push((name, bytes));
    }
    all
}

/// The manifest names every file of the run with its hash, by relative paths only; the manifest.
pub(crate) fn check_manifest(folder: &Path) -> Value {
    let text = fs::read_to_string(folder.join("run.json")).expect("the manifest");
    let manifest: Value = serde_json::from_str(&text).expect("JSON");
    let listed = manifest["files"].as_array().expect("files");
    let mut names: Vec<PathBuf> = Vec::new();
    for file in listed {
        let name = file["path"].as_str().expect("a path");
        assert!(!name.starts_with('/') && !name.split('/').any(|part| part == ".."), "{name}");
        let bytes = fs::read(folder.join(name)).expect("a listed file");
        let hash = Sha256::digest(&bytes).iter().fold(String::new(), |hash, byte| hash + &format!("{byte:02x}"));
        assert_eq!(file["sha256"], json!(hash), "{name}");
        names.push(folder.join(name));
    }
    let there: Vec<PathBuf> = files(folder).into_iter().filter(|path| !path.ends_with("run.json")).collect();
    assert_eq!(names, there, "every file is listed");
    manifest
}

#[test]
fn one_test_leaves_a_whole_report_without_what_it_typed_kept_sent_and_asked_for() {
    let _turn = browser_turn();
    let project = Project::copy("demo");
    let spec =
        SPEC.replace("SEEN", SEEN).replace("COOKIE", COOKIE).replace("TOKEN", TOKEN).replace("PASSWORD", PASSWORD);
    project.write("tests/signup.spec.ts", &spec);
    project.write("relocator.toml", "secrets = [\"CUSTOMER_CODE\"]\n");
    project.git_init();
    let mut command = project.relocator(["heal", "tests/signup.spec.ts:3", "--json", "--html", "page.html"]);
    let ran = Ran::from(command.env("CUSTOMER_CODE", NAMED).output().expect("relocator"));
    let document = ran.json();
    assert_eq!(document["outcome"], "healed", "{ran}");

    let runs = files(&project.path(".relocator/runs"));
    let folder = runs.iter().find(|path| path.ends_with("run.json")).and_then(|path| path.parent()).expect("the run");
    let manifest = check_manifest(folder);
    assert!(manifest["redactions"].as_u64().is_some_and(|count| count > 10), "{manifest:#}");
    assert_eq!(manifest["git_head"].as_str().map(str::len), Some(40), "{manifest:#}");
    assert!(manifest["playwright"].is_string() && manifest["node"].is_string(), "{manifest:#}");
    assert_eq!(manifest["settings"]["dry_run"], false);
    for expected in ["repair.json", "suite.json", "report.html", "report.md", "patch.diff"] {
        assert!(folder.join(expected).is_file(), "{expected}");
    }
    let markdown = fs::read_to_string(folder.join("report.md")).expect("the report");
    for said in [&markdown, &ran.stderr] {
        assert!(said.contains("pictures of pages that show a secret are left out"), "{said}");
    }
    let all = contents(folder);
    assert!(
        all.iter().any(|(name, _)| Path::new(name).extension().is_some_and(|end| end == "trace")),
        "traces are kept"
    );
    let kept = |text: &str| all.iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains(text));
    assert!(kept("'**/in?from=[redacted:query]'") && kept("[redacted:picture]"), "names stay, and pictures were there");
    let printed = [("stdout".to_owned(), ran.stdout.into_bytes())];
    for (name, bytes) in all.iter().chain(&printed) {
        let text = String::from_utf8_lossy(bytes);
        for secret in
            [PASSWORD, COOKIE, TOKEN, NAMED, SEEN, "secondstep", "thirdstep", "fourthstep", "fifthstep", "quarterly"]
        {
            assert!(!text.contains(secret), "{secret} is in {name}");
        }
        let end = Path::new(name).extension().and_then(|end| end.to_str()).unwrap_or_default();
        assert!(!["png", "jpeg", "jpg", "webm"].contains(&end), "a picture of a page that shows a secret: {name}");
        let picture =
            bytes.starts_with(b"\x89PNG") || bytes.starts_with(b"\xff\xd8\xff") || text.contains("iVBORw0KGgo");
        assert!(!picture, "a picture by another name: {name}");
    }
    let page = fs::read_to_string(project.path("page.html")).expect("the page");
    assert!(page.contains("getByTestId(") && !page.contains(PASSWORD));

    // A line above the change holds a query: the patch begins behind it.
    let patch = fs::read_to_string(folder.join("patch.diff")).expect("the patch");
    assert!(patch.contains("@@\n   await page.getByLabel('Email')"), "{patch}");
    assert!(patch.contains("+  await page.getByTestId('submit-btn').click();"), "{patch}");
    project.git(&["checkout", "--quiet", "--", "tests"]);
    project.git(&["apply", folder.join("patch.diff").to_str().expect("a path")]);
    assert!(project.read("tests/signup.spec.ts").contains("getByTestId('submit-btn')"), "{patch}");

    let shown = project.run(["report", "--json"]).json();
    assert_eq!(shown["groups"][0]["outcome"], "healed");
    assert_eq!(project.run(["report", "--fail-on", "healed"]).code, Some(1));
    assert_eq!(project.run(["report", "--fail-on", "escalated,blocked"]).code, Some(0));
    opened(&project, folder);
}

/// `report --open` hands the page to the browser that is named, and says so where there is none.
fn opened(project: &Project, run: &Path) {
    let (browser, seen) = (project.path("browser.sh"), project.path("seen"));
    fs::write(&browser, format!("#!/bin/sh\nprintf %s \"$1\" > '{}'\n", seen.display())).expect("a browser");
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).expect("its mode");
    let mut command = project.relocator(["report", "--open"]);
    let ran = Ran::from(command.env("BROWSER", &browser).output().expect("relocator"));
    assert_eq!(ran.code, Some(0), "{ran}");
    let page = (0..100).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        fs::read_to_string(&seen).ok().filter(|text| !text.is_empty())
    });
    assert_eq!(page.map(PathBuf::from), Some(run.canonicalize().expect("the run").join("report.html")));
    let mut command = project.relocator(["report", "--open"]);
    let ran = Ran::from(command.env("PATH", "/nowhere").output().expect("relocator"));
    assert!(ran.code == Some(3) && ran.stderr.contains("no program is known that shows a page"), "{ran}");
}
