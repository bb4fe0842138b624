use super::*;

fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
    let guard = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::from_path_buf(guard.path().to_owned()).unwrap();
    (guard, path)
}

fn archive(path: &Utf8Path, parts: &[(&str, &[u8])]) {
    let mut writer = ZipWriter::new(File::create(path).unwrap());
    for (name, bytes) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap();
}

fn parts(path: &Utf8Path) -> Vec<(String, Vec<u8>)> {
    let mut archive = ZipArchive::new(File::open(path).unwrap()).unwrap();
    let read = |at: usize, archive: &mut ZipArchive<File>| {
        let mut part = archive.by_index(at).unwrap();
        let mut bytes = Vec::new();
        part.read_to_end(&mut bytes).unwrap();
        (part.name().unwrap().into_owned(), bytes)
    };
    (0..archive.len()).map(|at| read(at, &mut archive)).collect()
}

#[test]
fn what_a_trace_shows_to_be_secret_goes_from_every_file_and_pictures_stay() {
    let (_guard, root) = folder();
    let trace = concat!(
        "{\"type\":\"before\",\"params\":{\"selector\":\"#pw\",\"value\":\"no secret\"}}\n",
        "{\"type\":\"frame-snapshot\",\"pageId\":\"page@6f9b2080f554a8cb9b310a5f86886674\",",
        "\"html\":[\"INPUT\",{\"type\":\"password\",\"__playwright_value_\":\"ladybird\"}]}\n",
    );
    let network = "{\"snapshot\":{\"request\":{\"url\":\"https://a.test/x?page=2\",\"headers\":[{\"name\":\"Cookie\",\"value\":\"a=tulip-99\"}]}}}\n";
    let parts_before: [(&str, &[u8]); 6] = [
        ("1.trace", trace.as_bytes()),
        ("1.network", network.as_bytes()),
        ("resources/src@1.txt", b"fill('ladybird')\nrest\n"),
        ("resources/b.dat", b"\xff\xfe\x00tulip-99"),
        ("attachments/6a2361744fe924f1", b"- textbox: ladybird\n"),
        ("resources/c.jpeg", b"\xff\xd8ladybird"),
    ];
    archive(&root.join("trace.zip"), &parts_before);
    std::fs::write(root.join("report.json"), "{\n  \"message\": \"typed \\\"ladybird\\\"\",\n  \"n\": 1\n}\n").unwrap();
    std::fs::write(root.join("shot.png"), "ladybird").unwrap();
    std::fs::create_dir(root.join("1")).unwrap();
    std::fs::write(root.join("1/broken.zip"), "no archive of ladybird").unwrap();
    let mut redactor = Redactor::default().with_queries().keeping_ids();
    learn(&root, &mut redactor, &mut BTreeSet::new());
    assert!(scrub(&root, &redactor).unwrap() >= 6);

    let all = parts(&root.join("trace.zip"));
    assert_eq!(all.len(), parts_before.len());
    for (name, bytes) in &all[..5] {
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains("ladybird") && !text.contains("tulip-99") && !text.contains("page=2"), "{name}: {text}");
    }
    let lines = String::from_utf8(all[0].1.clone()).unwrap();
    assert!(lines.contains("6f9b2080f554a8cb9b310a5f86886674") && lines.contains("no secret"), "{lines}");
    assert!(lines.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{lines}");
    assert_eq!(all[5].1, parts_before[5].1);
    let report: Value = serde_json::from_slice(&std::fs::read(root.join("report.json")).unwrap()).unwrap();
    assert_eq!(report, serde_json::json!({ "message": "typed \"[redacted:value]\"", "n": 1 }));
    assert!(!root.join("1/broken.zip").exists() && root.join("shot.png").exists());
    assert_eq!(scrub(&root, &redactor).unwrap(), 0, "nothing is left to be taken out");
}

#[test]
fn pictures_go_with_the_trace_whose_pages_show_what_was_typed() {
    for (kind, left) in [("text", 1), ("password", 3)] {
        let (_guard, root) = folder();
        for name in ["shown", "other"] {
            std::fs::create_dir(root.join(name)).unwrap();
            std::fs::write(root.join(name).join("shot.png"), "\x7fPNG").unwrap();
        }
        let typed = "{\"type\":\"before\",\"params\":{\"selector\":\"#token\",\"value\":\"ladybird\"}}\n";
        let page = format!(
            "{{\"type\":\"frame-snapshot\",\"snapshot\":{{\"html\":[\"INPUT\",{{\"type\":\"{kind}\",\"__playwright_value_\":\"ladybird\"}}]}}}}\n"
        );
        let trace = [typed.as_bytes(), page.as_bytes()].concat();
        let frame: &[u8] = b"\xff\xd8\xff\xe0 a picture";
        let killed = root.join("killed/traces/resources");
        let attached = root.join("shown/attachments");
        for (folder, name) in [(&killed, "a.jpeg"), (&attached, "mine.png"), (&attached, "film.webm")] {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join(name), frame).unwrap();
        }
        std::fs::write(root.join("killed/traces/1.trace"), &trace).unwrap();
        let inline = |length| format!("iVBORw0KGgo{}", "A".repeat(length));
        for (name, body) in [("report.json", inline(400)), ("large.json", inline(LINE))] {
            std::fs::write(root.join(name), format!("{{\n  \"body\": \"{body}\",\n  \"n\": 1\n}}\n")).unwrap();
        }
        archive(
            &root.join("shown/trace.zip"),
            &[("0.trace", trace.as_slice()), ("resources/a.jpeg", frame), ("resources/6a2361744fe924f1", frame)],
        );
        let mut redactor = Redactor::default().with_queries().keeping_ids();
        learn(&root, &mut redactor, &mut BTreeSet::new());
        assert_eq!(shows_secret(&root.join("shown/trace.zip"), &redactor), kind == "text");
        assert!(scrub(&root, &redactor).unwrap() >= 2);
        assert_eq!(parts(&root.join("shown/trace.zip")).len(), left, "{kind}");
        let named = ["shown/shot.png", "killed/traces/resources/a.jpeg", "shown/attachments/mine.png"];
        for picture in named.into_iter().chain(["shown/attachments/film.webm"]) {
            assert_eq!(root.join(picture).exists(), kind == "password", "{picture}");
        }
        for name in ["report.json", "large.json"] {
            let report: Value = serde_json::from_slice(&std::fs::read(root.join(name)).unwrap()).unwrap();
            assert_eq!(report["body"] == "[redacted:picture]", kind == "text", "{name}");
        }
        let left_of_it = std::fs::read_to_string(root.join("killed/traces/1.trace")).unwrap();
        assert!(!left_of_it.contains("ladybird"), "{left_of_it}");
        assert!(root.join("other/shot.png").exists());
        assert_eq!(scrub(&root, &redactor).unwrap(), 0, "{kind}: nothing is left to be taken out");
    }
}

#[test]
fn pictures_beside_a_trace_that_cannot_be_read_go_with_it() {
    let (_guard, root) = folder();
    for (folder, trace) in [("broken", &b"PK\x03\x04"[..]), ("whole", b"")] {
        std::fs::create_dir(root.join(folder)).unwrap();
        std::fs::write(root.join(folder).join("shot.png"), "\x7fPNG").unwrap();
        let path = root.join(folder).join("trace.zip");
        if trace.is_empty() { archive(&path, &[("0.trace", b"{}")]) } else { std::fs::write(path, trace).unwrap() }
    }
    assert_eq!(scrub(&root, &Redactor::default()).unwrap(), 1);
    let left: Vec<String> =
        files_below(&root).iter().map(|path| path.strip_prefix(&root).unwrap().to_string()).collect();
    assert_eq!(left, ["whole/shot.png", "whole/trace.zip"]);
}
