//! Paths of a report, which may come from another machine, as paths of the project here. All of them are text: what is to be
//! opened is confined again by whoever opens it.

use camino::{Utf8Path, Utf8PathBuf};

use crate::adapters::playwright::report::Outline;

/// The root of the project where the report was made, and here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots {
    /// There: with `/` and without one at the end.
    there: String,
    /// The folder that file names of the report are relative to, there.
    tests: String,
    /// Here, if there is a project here.
    here: Option<Utf8PathBuf>,
    /// The folder of the report, here.
    folder: Utf8PathBuf,
}

impl Roots {
    /// The roots of a report that lies in `folder`; `here` is the project's root on this machine.
    pub fn of(outline: &Outline, here: Option<&Utf8Path>, folder: &Utf8Path) -> Self {
        let tests = slashes(outline.root.as_str());
        let config = outline.config.as_ref().map(|config| slashes(config.as_str()));
        let config = config.and_then(|config| Some(config.rsplit_once('/')?.0.to_owned()));
        let there = match here {
            // A report of this machine: its test folder may be above the configuration as well as below.
            Some(here) if Utf8Path::new(&tests).starts_with(here) => here.to_string(),
            _ => config.unwrap_or_else(|| tests.clone()),
        };
        Self { there, tests, here: here.map(Utf8Path::to_owned), folder: folder.to_owned() }
    }

    /// The root of the project where the report was made.
    pub fn there(&self) -> &str {
        &self.there
    }

    /// Whether the report was made in this very project on this machine, as far as its paths tell.
    pub fn is_here(&self) -> bool {
        self.here.as_ref().is_some_and(|here| *here == self.there)
    }

    /// `path` relative to the project root, with `..` where it lies beside it; as it is where it lies nowhere near.
    pub fn relative(&self, path: &str) -> String {
        let path = slashes(path);
        if self.tests.is_empty() && !is_absolute(&path) {
            return normal(&path);
        }
        let absolute = if is_absolute(&path) { path } else { format!("{}/{path}", self.tests) };
        let absolute = normal(&absolute);
        let (from, to) = (parts(&self.there), parts(&absolute));
        let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        if common == 0 {
            return absolute;
        }
        let up = std::iter::repeat_n("..", from.len() - common);
        up.chain(to.into_iter().skip(common)).collect::<Vec<_>>().join("/")
    }

    /// `path`, of a file that the run left behind, as it would be called here.
    pub fn local(&self, path: &str) -> String {
        let path = slashes(path);
        if !is_absolute(&path) {
            return self.folder.join(path).into_string();
        }
        match (&self.here, path.strip_prefix(self.there.as_str())) {
            (Some(here), Some(rest)) if !Utf8Path::new(&path).exists() => {
                here.join(rest.trim_start_matches('/')).into_string()
            }
            _ => path,
        }
    }
}

fn slashes(path: &str) -> String {
    let windows = path.as_bytes().get(1) == Some(&b':') || path.starts_with("\\\\");
    if windows { path.replace('\\', "/") } else { path.to_owned() }
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path.as_bytes().get(1) == Some(&b':')
}

fn parts(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty()).collect()
}

/// `path` without `.` and `..`, by its text alone.
fn normal(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if kept.last().is_some_and(|last| !last.is_empty()) => drop(kept.pop()),
            _ => kept.push(part),
        }
    }
    kept.join("/")
}

#[cfg(test)]
mod tests {
    use camino::{Utf8Path, Utf8PathBuf};

    use super::Roots;
    use crate::adapters::playwright::report::Outline;

    fn roots(root: &str, config: Option<&str>, here: Option<&str>) -> Roots {
        let mut outline = Outline::of(None, Utf8PathBuf::from(root), Vec::new());
        outline.config = config.map(Utf8PathBuf::from);
        Roots::of(&outline, here.map(Utf8Path::new), Utf8Path::new("/down/loads"))
    }

    #[test]
    fn a_path_of_any_machine_becomes_relative_to_the_project() {
        let there = roots("/home/ci/shop/tests", Some("/home/ci/shop/playwright.config.ts"), Some("/me/shop"));
        for (path, relative) in [
            ("/home/ci/shop/tests/a.spec.ts", "tests/a.spec.ts"),
            ("a.spec.ts", "tests/a.spec.ts"),
            ("../pages/b.ts", "pages/b.ts"),
            ("/home/ci/lib/c.ts", "../lib/c.ts"),
            ("/usr/x.ts", "/usr/x.ts"),
        ] {
            assert_eq!(there.relative(path), relative, "{path}");
        }
        let windows = roots("C:\\w\\shop\\tests", Some("C:\\w\\shop\\playwright.config.ts"), None);
        assert_eq!(windows.relative("C:\\w\\shop\\tests\\x\\a.spec.ts"), "tests/x/a.spec.ts");
        assert_eq!(roots("/p/tests", None, Some("/p")).relative("/p/pages/b.ts"), "pages/b.ts");
        assert_eq!(roots("/p/tests", None, None).relative("/p/tests/a.ts"), "a.ts");
    }

    #[test]
    fn what_a_run_left_behind_is_looked_for_here() {
        let there = roots("/home/ci/shop/tests", Some("/home/ci/shop/playwright.config.ts"), Some("/me/shop"));
        assert_eq!(there.local("/home/ci/shop/test-results/a/trace.zip"), "/me/shop/test-results/a/trace.zip");
        assert_eq!(there.local("data/trace.zip"), "/down/loads/data/trace.zip");
        assert_eq!(there.local("/elsewhere/trace.zip"), "/elsewhere/trace.zip");
    }
}
