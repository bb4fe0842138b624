//! Whether a page is the page a step was written for: login and error pages are recognised by what they say and hold.

use super::identity::{Facts, Lost, Visibility};
use super::meaning::is_synonym;
use super::words::{tokens, words};

/// Words that title a page on which something went wrong or is forbidden; each is a whole phrase of a heading.
const ERRORS: [&str; 14] = [
    "not found",
    "404",
    "403",
    "500",
    "502",
    "503",
    "access denied",
    "forbidden",
    "no access",
    "unauthorized",
    "something went wrong",
    "internal server error",
    "service unavailable",
    "page unavailable",
];

/// Words that say that a step is about signing in.
const SIGN_IN: [&str; 10] =
    ["login", "signin", "sign", "log", "password", "user", "username", "email", "account", "auth"];

/// A login page has at most so many fields: user, password, a second factor.
const FEW_FIELDS: usize = 3;

/// Why the page is another one, in words; `None` where nothing says so.
pub fn wrong_page(lost: &Lost, page: &[Facts]) -> Option<String> {
    let seen = || page.iter().filter(|facts| facts.visibility != Visibility::Hidden);
    let heading = |wanted: &dyn Fn(&str) -> bool| {
        let headings = seen().filter(|facts| facts.role == "heading");
        headings.map(|facts| facts.name.as_str()).find(|name| wanted(name)).map(str::to_owned)
    };
    let says_error = |name: &str| {
        let text = format!(" {} ", words(name).join(" "));
        ERRORS.iter().any(|error| text.contains(&format!(" {error} ")))
    };
    if let Some(name) = heading(&says_error) {
        return Some(format!("the page says \"{name}\""));
    }
    let fields = seen().filter(|facts| facts.editable).count();
    let password = seen().any(|facts| facts.input_type == "password");
    if !password || fields > FEW_FIELDS || is_about_signing_in(lost) {
        return None;
    }
    let sign_in = |facts: &&Facts| facts.role == "button" && is_synonym(&words(&facts.name).join(" "), "sign in");
    seen().find(sign_in).map(|button| format!("it is a login page (\"{}\", with a password field)", button.name))
}

fn is_about_signing_in(lost: &Lost) -> bool {
    let known = lost.fingerprint.iter().flat_map(|facts| [&facts.name, &facts.id, &facts.form]);
    let mut texts = lost.literals.iter().map(|literal| &literal.value).chain(known);
    texts.any(|text| tokens(text).iter().any(|token| SIGN_IN.contains(&token.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::identity::{Literal, LiteralKind};

    fn facts(role: &str, name: &str, input_type: &str) -> Facts {
        let editable = role == "textbox";
        Facts {
            role: role.into(),
            name: name.into(),
            input_type: input_type.into(),
            editable,
            visibility: Visibility::Visible,
            ..Facts::default()
        }
    }

    fn lost(literal: &str) -> Lost {
        Lost { literals: vec![Literal { kind: LiteralKind::Id, value: literal.into() }], ..Lost::default() }
    }

    #[test]
    fn a_login_page_is_wrong_for_steps_that_are_not_about_signing_in() {
        let page = [
            facts("textbox", "User name", "text"),
            facts("textbox", "Password", "password"),
            facts("button", "Log in", "submit"),
        ];
        assert!(wrong_page(&lost("display-name"), &page).is_some());
        assert_eq!(wrong_page(&lost("login-button"), &page), None);
        assert_eq!(wrong_page(&lost("display-name"), &page[..1]), None);
    }

    #[test]
    fn a_page_that_says_that_it_failed_is_wrong() {
        assert!(wrong_page(&lost("save"), &[facts("heading", "404: page not found", "")]).is_some());
        assert_eq!(wrong_page(&lost("save"), &[facts("heading", "Lost and found", "")]), None);
    }
}
