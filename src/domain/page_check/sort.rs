//! What sort of page it is, by what it says and holds: a login, an error, a page still being filled, an empty one.

use super::mark::PageAbout;
use crate::domain::identity::Facts;
use crate::domain::meaning::is_synonym;
use crate::domain::words::{tokens, words};

/// What sort of page it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Sort {
    /// Any other.
    #[default]
    Plain,
    /// It asks to sign in; what says so.
    Login(String),
    /// It says that something failed or is forbidden; what it says.
    Error(String),
    /// It is still being filled.
    Loading,
    /// It shows nothing.
    Empty,
}

impl Sort {
    /// Whether it is nothing special.
    pub fn is_plain(&self) -> bool {
        *self == Self::Plain
    }

    /// Whether two pages are of one sort, whatever they say.
    pub fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// A stable name, for files.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Login(_) => "login",
            Self::Error(_) => "error",
            Self::Loading => "loading",
            Self::Empty => "empty",
        }
    }

    /// The sort of a name; what it said then is not known.
    pub fn of_word(word: &str) -> Self {
        match word {
            "login" => Self::Login(String::new()),
            "error" => Self::Error(String::new()),
            "loading" => Self::Loading,
            "empty" => Self::Empty,
            _ => Self::Plain,
        }
    }

    /// What it is, in words; nothing for a plain page.
    pub fn sentence(&self) -> Option<String> {
        match self {
            Self::Plain => None,
            Self::Login(what) => Some(format!("it is a login page ({what})")),
            Self::Error(what) => Some(format!("the page says \"{what}\"")),
            Self::Loading => Some("the page is still loading".to_owned()),
            Self::Empty => Some("the page is empty".to_owned()),
        }
    }
}

/// Phrases that title a page on which something went wrong or is forbidden.
const ERRORS: [&str; 22] = [
    "not found",
    "access denied",
    "permission denied",
    "forbidden",
    "no access",
    "unauthorized",
    "not authorized",
    "something went wrong",
    "went wrong",
    "an error occurred",
    "application error",
    "internal error",
    "internal server error",
    "server error",
    "service unavailable",
    "temporarily unavailable",
    "page unavailable",
    "bad gateway",
    "gateway timeout",
    "too many requests",
    "under maintenance",
    "site can t be reached",
];

/// Status codes that a page may say; they count alone, before one of [`BEHIND_CODE`] or behind one of [`BEFORE_CODE`].
const CODES: [&str; 8] = ["400", "401", "403", "404", "500", "502", "503", "504"];

/// What stands before a status code.
const BEFORE_CODE: [&str; 4] = ["error", "http", "status", "code"];

/// What stands behind one that begins a text: `404 page`, and not `404 results`.
const BEHIND_CODE: [&str; 7] = ["error", "page", "not", "internal", "bad", "service", "gateway"];

/// What an alert says where the contents of a page did not come.
const NOT_LOADED: [&str; 8] = [
    "could not be loaded",
    "could not load",
    "couldn t load",
    "failed to load",
    "failed to fetch",
    "unable to load",
    "error loading",
    "went wrong",
];

/// Texts of an element that say that something is on its way.
const WAITING: [&str; 4] = ["loading", "please wait", "one moment", "just a moment"];

/// A login page has at most so many fields: user, password, a second factor.
const FEW_FIELDS: usize = 3;

/// A page that is nothing but a message has at most so many elements.
const FEW_ELEMENTS: usize = 12;

/// Parts of a login page's path.
const LOGIN_PATHS: [&str; 7] = ["login", "signin", "sign-in", "sign_in", "logon", "log-in", "sso"];

/// The sort of a page of which `seen` can be seen.
pub(super) fn sort_of(seen: &[&Facts], about: &PageAbout<'_>) -> Sort {
    if about.url.starts_with("chrome-error:") || about.url.starts_with("about:neterror") {
        return Sort::Error("the browser's own error page".to_owned());
    }
    if let Some(text) = error(seen, about) {
        return Sort::Error(text);
    }
    if let Some(why) = login(seen, about) {
        return Sort::Login(why);
    }
    if !seen.iter().any(|facts| shows_something(facts)) {
        return Sort::Empty;
    }
    if is_loading(seen, about) { Sort::Loading } else { Sort::Plain }
}

/// A text as words with blanks around, so that phrases are found whole.
fn phrase(text: &str) -> String {
    format!(" {} ", words(text).join(" "))
}

fn says(text: &str, phrases: &[&str]) -> bool {
    let text = phrase(text);
    phrases.iter().any(|wanted| text.contains(&format!(" {wanted} ")))
}

/// Whether a title or heading is that of an error page.
fn titles_error(text: &str) -> bool {
    let words = words(text);
    let code = |at: usize, word: &String| {
        let near = |at: Option<usize>, wanted: &[&str]| {
            at.and_then(|at| words.get(at)).is_some_and(|word| wanted.contains(&word.as_str()))
        };
        let begins = at == 0 && (words.len() == 1 || near(Some(1), &BEHIND_CODE));
        CODES.contains(&word.as_str()) && (begins || near(at.checked_sub(1), &BEFORE_CODE))
    };
    words.iter().enumerate().any(|(at, word)| code(at, word))
        || (says(text, &ERRORS) && !says(text, &["lost and found"]))
}

fn error(seen: &[&Facts], about: &PageAbout<'_>) -> Option<String> {
    let short = |text: &str| text.chars().take(80).collect::<String>();
    let heading = seen.iter().find(|facts| facts.role == "heading" && titles_error(&facts.name));
    if let Some(heading) = heading {
        return Some(short(&heading.name));
    }
    let alerts = seen.iter().filter(|facts| matches!(facts.role.as_str(), "alert" | "alertdialog"));
    if let Some(alert) = alerts.map(|facts| facts.text.as_str()).find(|text| says(text, &NOT_LOADED)) {
        return Some(short(alert));
    }
    let bare = seen.len() <= FEW_ELEMENTS;
    let text = seen.iter().map(|facts| facts.text.as_str()).find(|text| bare && titles_error(text));
    text.map(short).or_else(|| (bare && titles_error(about.title)).then(|| short(about.title)))
}

fn login(seen: &[&Facts], about: &PageAbout<'_>) -> Option<String> {
    let fields = seen.iter().filter(|facts| facts.editable).count();
    if fields == 0 || fields > FEW_FIELDS {
        return None;
    }
    let asks = |text: &str| is_synonym(&words(text).join(" "), "sign in");
    let button = seen.iter().find(|facts| facts.role == "button" && asks(&facts.name));
    let password = seen.iter().any(|facts| facts.input_type == "password");
    let parts = about.path.split(['/', '#']).map(str::to_lowercase);
    let by_path = parts.into_iter().any(|part| LOGIN_PATHS.contains(&part.as_str()));
    match button {
        Some(button) if password => Some(format!("\"{}\", with a password field", button.name)),
        _ if password && by_path => Some(format!("{}, with a password field", about.path)),
        // The first of two steps asks for a name only.
        _ if by_path && seen.iter().any(|facts| facts.role == "heading" && asks(&facts.name)) => {
            Some(about.path.to_owned())
        }
        _ => None,
    }
}

/// Whether an element is anything to a person.
fn shows_something(facts: &Facts) -> bool {
    !facts.text.is_empty()
        || is_control(facts)
        || matches!(facts.tag.as_str(), "img" | "svg" | "canvas" | "video" | "iframe")
}

fn is_control(facts: &Facts) -> bool {
    facts.editable
        || matches!(
            facts.role.as_str(),
            "button" | "link" | "checkbox" | "radio" | "combobox" | "switch" | "tab" | "menuitem" | "option" | "slider"
        )
}

/// Whether something says that the contents are on their way, and nothing of them is there.
fn is_loading(seen: &[&Facts], about: &PageAbout<'_>) -> bool {
    let waits = |facts: &&&Facts| {
        let text = words(&facts.text).join(" ");
        let named =
            facts.classes.iter().flat_map(|class| tokens(class)).any(|token| token == "spinner" || token == "skeleton");
        facts.role == "progressbar" || WAITING.contains(&text.as_str()) || named
    };
    if !about.is_busy && !seen.iter().any(|facts| waits(&facts)) {
        return false;
    }
    // The navigation around the contents is there at once.
    let in_main = |facts: &&Facts| facts.landmarks.iter().any(|landmark| landmark.split(' ').next() == Some("main"));
    let has_main = seen.iter().any(in_main);
    seen.iter().filter(|facts| is_control(facts) && (!has_main || in_main(facts))).count() == 0
}
