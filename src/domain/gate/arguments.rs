//! Rule E: the new chain adds literals only, and keeps every parameter of the old one.

use super::chain::{Building, Chain, Value};
use super::legacy::is_page_name;
use super::method::Takes;
use super::violation::{Prohibition, Violation};

/// Checks the arguments of `new`; `is_constant` tells whether a name is bound to a string literal in the file.
pub(super) fn check(old: &Chain, new: &Chain, is_constant: &dyn Fn(&str) -> bool) -> Result<(), Violation> {
    roots(old, new)?;
    for chain in std::iter::once(new).chain(new.inner()) {
        for call in &chain.calls {
            one_call(call)?;
        }
    }
    let known = old.expressions();
    let mut left = known.clone();
    for text in new.expressions() {
        match left.iter().position(|known| *known == text) {
            Some(at) => drop(left.swap_remove(at)),
            None => return Err(Violation::new(Prohibition::Expression, text)),
        }
    }
    let kept = new.expressions();
    match known.iter().find(|text| !kept.contains(text) && !is_constant(text)) {
        Some(text) => Err(Violation::new(Prohibition::Dropped, *text)),
        None => Ok(()),
    }
}

/// Rule E5, and no `?.` that was not there.
fn roots(old: &Chain, new: &Chain) -> Result<(), Violation> {
    let odd = |chain: &Chain| {
        std::iter::once(chain).chain(chain.inner()).flat_map(|chain| &chain.calls).filter(|call| call.odd).count()
    };
    if odd(new) > odd(old) {
        return Err(Violation::new(Prohibition::Receiver, "?."));
    }
    let of_page = |name: &str| matches!(name, "page" | "this.page" | "this.#page" | "this._page");
    let known: Vec<&str> = old.inner().iter().map(|chain| chain.root.as_str()).chain([old.root.as_str()]).collect();
    let page_allowed = !is_page_name(&old.root);
    let foreign = new.inner().into_iter().find(|chain| {
        let root = chain.root.as_str();
        !(known.contains(&root) || page_allowed && of_page(root))
    });
    match foreign {
        Some(chain) => Err(Violation::new(Prohibition::InnerRoot, chain.root.clone())),
        None => Ok(()),
    }
}

fn one_call(call: &Building) -> Result<(), Violation> {
    let mut arguments = call.arguments.iter();
    if call.method.takes != Takes::Nothing && call.method.takes != Takes::Options {
        match arguments.next() {
            Some(first) if fits(call.method.takes, first) => {}
            Some(_) => return Err(Violation::new(Prohibition::Expression, call.method.name)),
            None => return Err(Violation::new(Prohibition::Unselective, call.method.name)),
        }
    }
    match arguments.next() {
        None => {}
        Some(Value::Object(fields)) => {
            for (name, value) in fields {
                if !call.method.options.contains(&name.as_str()) {
                    return Err(Violation::new(Prohibition::UnknownOption, name.clone()));
                }
                if !option_fits(name, value) {
                    return Err(Violation::new(Prohibition::Expression, name.clone()));
                }
            }
        }
        // Options in a variable: the comparison of expressions decides.
        Some(Value::Expression(_)) if !call.method.options.is_empty() => {}
        Some(_) => return Err(Violation::new(Prohibition::UnknownOption, call.method.name)),
    }
    match arguments.next() {
        None => Ok(()),
        Some(_) => Err(Violation::new(Prohibition::UnknownOption, call.method.name)),
    }
}

fn fits(takes: Takes, value: &Value) -> bool {
    match takes {
        Takes::Selector => {
            matches!(value, Value::Text(_) | Value::Template(..) | Value::Chain(_) | Value::Expression(_))
        }
        Takes::Role | Takes::Label => matches!(value, Value::Text(_) | Value::Template(..) | Value::Expression(_)),
        Takes::Text | Takes::TestId => {
            matches!(value, Value::Text(_) | Value::Template(..) | Value::Regex(..) | Value::Expression(_))
        }
        Takes::Locator => matches!(value, Value::Chain(_) | Value::Expression(_)),
        Takes::Index => matches!(value, Value::Number(_) | Value::Expression(_)),
        Takes::Options | Takes::Nothing => false,
    }
}

fn option_fits(name: &str, value: &Value) -> bool {
    match (name, value) {
        (_, Value::Expression(_)) => true,
        ("has" | "hasNot", value) => matches!(value, Value::Chain(_)),
        ("name" | "description" | "hasText" | "hasNotText", value) => {
            matches!(value, Value::Text(_) | Value::Template(..) | Value::Regex(..))
        }
        ("level", value) => matches!(value, Value::Number(_)),
        (_, value) => matches!(value, Value::Bool(_)),
    }
}
