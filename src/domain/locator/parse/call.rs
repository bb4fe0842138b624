//! One method call of a chain: its arguments and options, and what step they make.

use super::ParseError;
use crate::domain::locator::{JsRegex, Locator, Pattern, Role, Step, Tristate};

/// Methods that take no argument.
const NO_ARGUMENTS: [&str; 5] = ["first", "last", "contentframe", "owner", "visible"];

#[derive(Debug)]
pub(super) enum Value {
    Text(String),
    Regex(JsRegex),
    Number(f64),
    Bool(bool),
    Locator(Locator),
    Undefined,
}

#[derive(Debug, Default)]
pub(super) struct Call {
    pub(super) method: String,
    pub(super) args: Vec<Value>,
    pub(super) options: Vec<(String, Value)>,
}

impl Call {
    pub(super) fn wrong_argument(&self) -> ParseError {
        ParseError::new(format!("`{}` was called with an argument it does not take", self.method))
    }

    /// Takes the argument at `at` out of the call.
    pub(super) fn take(&mut self, at: usize) -> Result<Value, ParseError> {
        let error = self.wrong_argument();
        let slot = self.args.get_mut(at).ok_or(error)?;
        Ok(std::mem::replace(slot, Value::Undefined))
    }

    pub(super) fn text(&mut self) -> Result<String, ParseError> {
        match self.take(0)? {
            Value::Text(text) => Ok(text),
            _ => Err(self.wrong_argument()),
        }
    }

    pub(super) fn locator(&mut self) -> Result<Locator, ParseError> {
        match self.take(0)? {
            Value::Locator(locator) => Ok(locator),
            _ => Err(self.wrong_argument()),
        }
    }

    pub(super) fn integer(&mut self) -> Result<i64, ParseError> {
        match self.take(0)? {
            Value::Number(number) => whole(number).ok_or_else(|| self.wrong_argument()),
            _ => Err(self.wrong_argument()),
        }
    }

    fn option(&mut self, name: &str) -> Option<Value> {
        let at = self.options.iter().rposition(|(option, _)| option == name)?;
        Some(self.options.remove(at).1)
    }

    fn flag(&mut self, name: &str) -> Result<Option<bool>, ParseError> {
        match self.option(name) {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(value)),
            Some(_) => Err(self.wrong_argument()),
        }
    }

    fn tristate(&mut self, name: &str) -> Result<Option<Tristate>, ParseError> {
        match self.option(name) {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(value.into())),
            Some(Value::Text(text)) if text == "mixed" => Ok(Some(Tristate::Mixed)),
            Some(_) => Err(self.wrong_argument()),
        }
    }

    fn pattern(&self, value: Value, exact: bool) -> Result<Pattern, ParseError> {
        match value {
            Value::Text(text) => Ok(Pattern::Text { text, exact }),
            Value::Regex(regex) => Ok(Pattern::Regex(regex)),
            _ => Err(self.wrong_argument()),
        }
    }

    fn optional_pattern(&mut self, name: &str, exact: bool) -> Result<Option<Pattern>, ParseError> {
        self.option(name).map(|value| self.pattern(value, exact)).transpose()
    }

    pub(super) fn filters(&mut self, steps: &mut Vec<Step>) -> Result<(), ParseError> {
        steps.extend(self.optional_pattern("hastext", false)?.map(Step::HasText));
        steps.extend(self.optional_pattern("hasnottext", false)?.map(Step::HasNotText));
        for (name, step) in [("has", Step::Has as fn(Locator) -> Step), ("hasnot", Step::HasNot)] {
            match self.option(name) {
                None => {}
                Some(Value::Locator(inner)) => steps.push(step(inner)),
                Some(_) => return Err(self.wrong_argument()),
            }
        }
        steps.extend(self.flag("visible")?.map(Step::Visible));
        Ok(())
    }

    pub(super) fn get_by(&mut self, test_id_attribute: &str) -> Result<Step, ParseError> {
        let exact = self.flag("exact")?.unwrap_or(false);
        if self.method == "getbyrole" {
            return self.role(exact);
        }
        let value = self.take(0)?;
        let pattern = self.pattern(value, exact)?;
        Ok(match self.method.as_str() {
            "getbytext" => Step::Text(pattern),
            "getbylabel" => Step::Label(pattern),
            "getbyplaceholder" => Step::placeholder(pattern),
            "getbyalttext" => Step::alt_text(pattern),
            "getbytitle" => Step::title(pattern),
            "getbytestid" => {
                let pattern = match pattern {
                    Pattern::Text { text, .. } => Pattern::exact(text),
                    regex @ Pattern::Regex(_) => regex,
                };
                Step::TestId { attribute: test_id_attribute.into(), pattern }
            }
            "getbyref" => Step::Engine { name: "aria-ref".into(), body: pattern.text().unwrap_or_default().into() },
            method => return Err(ParseError::new(format!("`{method}` cannot be used here"))),
        })
    }

    fn role(&mut self, exact: bool) -> Result<Step, ParseError> {
        let role = self.text()?;
        let level = match self.option("level") {
            None => None,
            Some(Value::Number(number)) => {
                let level = whole(number).and_then(|level| u32::try_from(level).ok());
                Some(level.ok_or_else(|| self.wrong_argument())?)
            }
            Some(_) => return Err(self.wrong_argument()),
        };
        Ok(Step::Role(Box::new(Role {
            role,
            name: self.optional_pattern("name", exact)?,
            description: self.optional_pattern("description", exact)?,
            checked: self.tristate("checked")?,
            disabled: self.flag("disabled")?,
            expanded: self.flag("expanded")?,
            include_hidden: self.flag("includehidden")?,
            level,
            pressed: self.tristate("pressed")?,
            selected: self.flag("selected")?,
        })))
    }

    /// Everything that was written must have been understood.
    pub(super) fn finish(self) -> Result<(), ParseError> {
        if let Some((name, _)) = self.options.first() {
            return Err(ParseError::new(format!("`{}` has no option `{name}`", self.method)));
        }
        let allowed = usize::from(!NO_ARGUMENTS.contains(&self.method.as_str()));
        if self.args.len() > allowed { Err(self.wrong_argument()) } else { Ok(()) }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the bounds and the fraction are checked first")]
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() < 1e15).then_some(number as i64)
}
