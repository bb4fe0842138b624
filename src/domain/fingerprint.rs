//! What the locators of a green run resolved to, kept so that a lost element can be known again.
//!
//! Values only: a book of records by project, test, locator and call. Reading traces and files is the adapters' business.

use std::collections::BTreeMap;

use super::identity::Facts;
use super::page_check::PageMark;

/// Which call of which test: no line number, so that moved lines keep theirs.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The Playwright project as it stands in names of folders ([`folder_name`]); empty where there is one without a name,
    /// or where it is not known.
    pub project: String,
    /// File and titles of the test, as the trace names it, without the line.
    pub test: String,
    /// The locator in Playwright's internal form.
    pub selector: String,
    /// The call's method.
    pub method: String,
    /// Which call of this method with this locator in the test, from 0.
    pub nth: u32,
}

/// What a call meant.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    /// The element.
    pub facts: Facts,
    /// The page it stood on.
    pub page: PageMark,
    /// What the other controls of the page are called ([`super::peers`]).
    pub peers: Vec<String>,
}

/// The recorded elements.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Book {
    entries: BTreeMap<Key, Record>,
}

impl Book {
    /// Records an element; a later record of the same call takes the place of the earlier.
    pub fn insert(&mut self, key: Key, record: Record) {
        self.entries.insert(key, record);
    }

    /// Takes over all records of `newer`. A test that `newer` has seen loses what it no longer does; what was recorded of it
    /// before its project was known goes as well.
    pub fn merge(&mut self, newer: Self) {
        let mut renewed: Vec<(String, String)> =
            newer.entries.keys().map(|key| (key.project.clone(), key.test.clone())).collect();
        let unnamed: Vec<(String, String)> = renewed.iter().map(|(_, test)| (String::new(), test.clone())).collect();
        renewed.extend(unnamed);
        renewed.sort_unstable();
        renewed.dedup();
        let is_renewed = |key: &Key| {
            let of = |(project, test): &(String, String)| (project, test).cmp(&(&key.project, &key.test));
            renewed.binary_search_by(of).is_ok()
        };
        self.entries.retain(|key, _| !is_renewed(key));
        self.entries.extend(newer.entries);
    }

    /// The records in the order of their keys.
    pub fn records(&self) -> impl Iterator<Item = (&Key, &Record)> {
        self.entries.iter()
    }

    /// The elements in the order of their keys.
    pub fn entries(&self) -> impl Iterator<Item = (&Key, &Facts)> {
        self.entries.iter().map(|(key, record)| (key, &record.facts))
    }

    /// How many elements are recorded.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Of how many tests something is recorded, a test in two projects being two.
    pub fn tests(&self) -> usize {
        let mut tests: Vec<(&str, &str)> = self.entries.keys().map(|key| (&*key.project, &*key.test)).collect();
        tests.dedup();
        tests.len()
    }

    /// Whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The element that a call meant; see [`Self::record`].
    pub fn find(&self, wanted: &Key) -> Option<&Facts> {
        self.record(wanted).map(|record| &record.facts)
    }

    /// What a call meant: this very call, else another call with this locator in the test, else of any test if all of them
    /// recorded the same element. Records of another project (another browser, another device) are never taken; those
    /// whose project is not known are, where the project itself has none.
    pub fn record(&self, wanted: &Key) -> Option<&Record> {
        if let Some(record) = self.entries.get(wanted) {
            return Some(record);
        }
        let of_project = |project: &str| self.in_project(wanted, |key| key.project == project);
        if wanted.project.is_empty() {
            // Whose project is not known may be of any, as long as all agree.
            return of_project("").or_else(|| self.in_project(wanted, |_| true));
        }
        of_project(&wanted.project).or_else(|| of_project(""))
    }

    fn in_project(&self, wanted: &Key, of_project: impl Fn(&Key) -> bool) -> Option<&Record> {
        let having: Vec<(&Key, &Record)> =
            self.entries.iter().filter(|(key, _)| key.selector == wanted.selector && of_project(key)).collect();
        let in_test = || having.iter().filter(|(key, _)| key.test == wanted.test);
        let very = |key: &Key| key.method == wanted.method && key.nth == wanted.nth;
        let mut pool: Vec<(&Key, &Record)> = in_test().filter(|(key, _)| very(key)).copied().collect();
        if pool.is_empty() {
            pool = in_test().copied().collect();
        }
        // Other calls of the test meant the same; other tests, and the same test in other projects, must agree.
        let is_here = !pool.is_empty();
        if pool.is_empty() {
            pool.clone_from(&having);
        }
        let (owner, first) = pool.first().copied()?;
        let one_project = is_here && pool.iter().all(|(key, _)| key.project == owner.project);
        let known = one_project || pool.iter().all(|(_, record)| same_element(&record.facts, &first.facts));
        known.then_some(first)
    }
}

/// Whether two records show one element, as far as what a person sees and what a locator names.
fn same_element(one: &Facts, other: &Facts) -> bool {
    let named = |facts: &Facts| [&facts.tag, &facts.role, &facts.name, &facts.id, &facts.test_id].map(String::clone);
    named(one) == named(other) && one.landmarks == other.landmarks
}

/// A test's name as a trace has it, without the line: `a.spec.ts:12 › suite › title`.
pub fn without_line(title: &str) -> String {
    let (place, rest) = title.split_once(" › ").unwrap_or((title, ""));
    let file = match place.rsplit_once(':') {
        Some((file, line)) if !line.is_empty() && line.chars().all(|c| c.is_ascii_digit()) => file,
        _ => place,
    };
    if rest.is_empty() { file.to_owned() } else { format!("{file} › {rest}") }
}

/// A text as Playwright writes it into the name of a folder: each run of what is neither letter, digit, `-` nor beyond ASCII
/// becomes one `-` (`sanitizeForFilePath`).
pub fn folder_name(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        let stays = c.is_ascii_alphanumeric() || c == '-' || !c.is_ascii();
        if stays {
            out.push(c);
        } else if !out.ends_with('\u{0}') {
            out.push('\u{0}');
        }
    }
    out.replace('\u{0}', "-")
}

/// So many characters of the end of a long name stay for sure when Playwright shortens it to 60 with a hash in the middle.
const KEPT_END: usize = 26;

/// The project's part of the name of a folder of results (`login-signs-in-chromium-retry1`), for the test `test` as
/// [`without_line`] gives it. Empty where the project has no name; `None` where the folder is not one of this test.
pub fn project_of_folder(folder: &str, test: &str) -> Option<String> {
    let titles = folder_name(&test.split(" › ").skip(1).collect::<Vec<_>>().join(" "));
    let start = titles.char_indices().rev().nth(KEPT_END - 1).map_or(0, |(at, _)| at);
    let end = titles.get(start..).filter(|end| !end.is_empty())?;
    let rest = folder.get(folder.rfind(end)? + end.len()..)?;
    let rest = without_count(without_count(rest, "-repeat"), "-retry");
    match rest.strip_prefix('-') {
        Some(project) => Some(project.to_owned()),
        None => rest.is_empty().then(String::new),
    }
}

/// `name` without `mark` and the number behind it.
fn without_count<'n>(name: &'n str, mark: &str) -> &'n str {
    match name.rsplit_once(mark) {
        Some((before, number)) if !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()) => before,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(test: &str, selector: &str, nth: u32) -> Key {
        key_in("", test, selector, nth)
    }

    fn key_in(project: &str, test: &str, selector: &str, nth: u32) -> Key {
        let [project, test, selector, method] = [project, test, selector, "click"].map(str::to_owned);
        Key { project, test, selector, method, nth }
    }

    fn record(id: &str) -> Record {
        Record { facts: Facts { id: id.into(), ..Facts::default() }, ..Record::default() }
    }

    fn id<'b>(book: &'b Book, key: &Key) -> Option<&'b str> {
        book.find(key).map(|facts| facts.id.as_str())
    }

    #[test]
    fn a_moved_line_keeps_its_record() {
        assert_eq!(without_line("a.spec.ts:12 › suite › adds 3:4"), "a.spec.ts › suite › adds 3:4");
        assert_eq!(without_line("adds"), "adds");
    }

    #[test]
    fn the_very_call_comes_before_other_calls_and_other_tests_must_agree() {
        let mut book = Book::default();
        book.insert(key("t", "#a", 0), record("one"));
        book.insert(key("t", "#a", 1), record("two"));
        book.insert(key("u", "#b", 0), record("three"));
        book.insert(key("v", "#b", 0), record("four"));
        assert_eq!(id(&book, &key("t", "#a", 1)), Some("two"));
        assert_eq!(id(&book, &key("t", "#a", 7)), Some("one"));
        assert_eq!(id(&book, &key("w", "#b", 0)), None);
        assert_eq!(id(&book, &key("u", "#b", 3)), Some("three"));
    }

    #[test]
    fn records_of_several_projects_do_not_mix() {
        let mut book = Book::default();
        book.insert(key_in("chromium", "t", "#a", 0), record("wide"));
        book.insert(key_in("Mobile-Safari", "t", "#a", 0), record("narrow"));
        book.insert(key_in("chromium", "t", "#b", 0), record("only"));
        assert_eq!(id(&book, &key_in("chromium", "t", "#a", 0)), Some("wide"));
        assert_eq!(id(&book, &key_in("Mobile-Safari", "t", "#a", 0)), Some("narrow"));
        assert_eq!(id(&book, &key_in("Mobile-Safari", "t", "#b", 0)), None);
        assert_eq!(id(&book, &key_in("firefox", "t", "#a", 0)), None);
        // Where the project is not known, all of them must agree.
        assert_eq!(id(&book, &key("t", "#a", 0)), None);
        assert_eq!(id(&book, &key("t", "#b", 0)), Some("only"));
    }

    #[test]
    fn merging_renews_the_tests_that_were_seen_and_keeps_the_others() {
        let mut book = Book::default();
        book.insert(key("t", "#gone", 0), record("gone"));
        book.insert(key_in("webkit", "t", "#gone", 0), record("kept"));
        book.insert(key("u", "#b", 0), record("kept"));
        let mut newer = Book::default();
        newer.insert(key_in("chromium", "t", "#a", 0), record("new"));
        book.merge(newer);
        let left: Vec<String> = book.entries().map(|(key, _)| format!("{} {}", key.project, key.selector)).collect();
        assert_eq!(left, [" #b", "chromium #a", "webkit #gone"]);
    }

    #[test]
    fn a_folder_of_results_says_its_project() {
        let long = "suite › a title that is so long that Playwright puts a hash into the middle of its folder";
        for (folder, test, expected) in [
            ("login-signs-in-chromium", "login.spec.ts › signs in", Some("chromium")),
            ("login-signs-in", "login.spec.ts › signs in", Some("")),
            ("login-signs-in-Mobile-Safari-retry1", "login.spec.ts › signs in", Some("Mobile-Safari")),
            ("login-signs-in-retry2", "login.spec.ts › signs in", Some("")),
            (
                "login-suite-a-title-that-i-3f2a1-to-the-middle-of-its-folder-webkit",
                &format!("login.spec.ts › {long}"),
                Some("webkit"),
            ),
            ("other-folder", "login.spec.ts › signs in", None),
            ("trace", "login.spec.ts", None),
        ] {
            assert_eq!(project_of_folder(folder, test).as_deref(), expected, "{folder} {test}");
        }
        assert_eq!(folder_name("Mobile Safari (iOS)"), "Mobile-Safari-iOS-");
    }
}
