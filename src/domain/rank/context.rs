//! Evidence from the test: the stale literals, the action and its value, the repository, the names around.

use std::collections::{BTreeMap, BTreeSet};

use super::literal::{apart, carried, same_word, says, succeeds, telling};
use super::prepared::{Prepared, Sort};
use super::signal::Signal;
use crate::domain::identity::{Action, Facts, Literal, LiteralKind, Lost, Successor, Visibility};
use crate::domain::meaning::{Meaning, compare_labels, is_synonym};
use crate::domain::peers::called;
use crate::domain::suggest::is_passing_class;
use crate::domain::words::{ratio, squash, tokens, words};

/// A lost element with what its test says of it, made ready for comparing.
pub(super) struct Asked<'a> {
    lost: &'a Lost,
    literals: Vec<(&'a Literal, Vec<String>)>,
    /// What sort of thing the record says it was.
    recorded_sort: Option<Sort>,
    /// The telling words of each name around the locator.
    names: Vec<Vec<String>>,
    /// The words of the test's titles and its file; none where the locator says a text itself.
    titles: Vec<String>,
    /// The forms and dialogs that other steps of the test work in.
    forms: Vec<&'a str>,
    /// How many elements of the page have a class.
    classes: BTreeMap<&'a str, usize>,
    /// How many of the page look like what; only where the locator names one of them by an id.
    families: BTreeMap<Look<'a>, usize>,
}

/// What the members of a repeated control have in common.
type Look<'a> = (&'a str, &'a str, &'a [String], &'a str);

fn look(facts: &Facts) -> Look<'_> {
    (&facts.tag, &facts.role, &facts.classes, &facts.text)
}

/// From so many on, controls of one look are one in each row, column or card.
const FAMILY: usize = 3;

impl<'a> Asked<'a> {
    /// `candidates`: the page, so that a class which still stands there is not taken for what went.
    pub(super) fn new(lost: &'a Lost, candidates: &'a [Facts]) -> Self {
        let stands = |class: &String| candidates.iter().any(|facts| facts.classes.contains(class));
        let says = |literal: &&Literal| {
            literal.kind != LiteralKind::Class || (!is_passing_class(&literal.value) && !stands(&literal.value))
        };
        let alone = lost.literals.len() == 1;
        // A name that repeats an identifier says nothing more.
        let said: Vec<String> = lost
            .literals
            .iter()
            .filter(|literal| !literal.kind.is_text())
            .flat_map(|literal| tokens(&literal.value))
            .collect();
        let new = |words: &Vec<String>| words.iter().any(|word| !said.contains(word));
        let named = lost.literals.iter().any(|literal| literal.kind.is_text());
        let titles = lost.titles.iter().filter(|_| !named);
        let (mut classes, mut families) = (BTreeMap::new(), BTreeMap::new());
        // A number in an id may be that of a row.
        let names_one = |literal: &Literal| {
            matches!(literal.kind, LiteralKind::Id | LiteralKind::TestId) && !literal.value.contains(char::is_numeric)
        };
        let by_id = lost.literals.iter().any(names_one);
        for facts in candidates {
            for class in &facts.classes {
                *classes.entry(class.as_str()).or_default() += 1;
            }
            if by_id && facts.visibility != Visibility::Hidden {
                *families.entry(look(facts)).or_default() += 1;
            }
        }
        Self {
            forms: lost.claimed.iter().filter_map(|&at| candidates.get(at)).filter_map(form).collect(),
            titles: titles.flat_map(|title| tokens(title)).collect(),
            classes,
            families,
            lost,
            recorded_sort: lost.fingerprint.as_ref().map(|facts| Prepared::new(facts).sort),
            literals: lost
                .literals
                .iter()
                .filter(|literal| alone || says(literal))
                .map(|literal| (literal, apart(telling(&literal.value, alone), lost, candidates)))
                .collect(),
            names: lost.names.iter().map(|name| telling(name, false)).filter(new).collect(),
        }
    }

    /// Every kind of evidence that the test and the repository give.
    /// `only`: there is no other element on which the action can work.
    pub(super) fn compare(&self, (at, only): (usize, bool), now: &Prepared<'_>, found: &mut Vec<Signal>) {
        found.extend(self.carried(now.facts));
        found.extend(self.value(now));
        found.extend(self.fit(now));
        found.extend(self.successor(now.facts));
        // Under a new id it says something else than the record has: another function as often as a new name.
        let says_else = found.iter().any(|signal| signal.changes_text() && !signal.keeps_meaning());
        let retold = says_else && !found.contains(&Signal::HrefSame);
        let doubts = |successor: &&Successor| successor.doubtful || (retold && !successor.kind.is_text());
        if self.lost.successors.iter().filter(doubts).any(|successor| succeeds(successor, now.facts)) {
            found.push(Signal::SuccessorDoubt);
        }
        if let Some(then) = &self.lost.fingerprint {
            found.extend(self.another(then, now.facts, found));
        } else {
            found.extend(self.named(now.facts));
            if self.says_literal(now.facts) {
                found.push(Signal::LiteralSaid);
            }
            if only {
                found.push(Signal::OnlyOne);
            }
            if self.lost.scope_gone {
                found.push(Signal::ScopeGone);
            }
            if self.lost.submits == Some(at) {
                found.push(Signal::SubmitsForm);
            }
            let pressed = self.lost.action == Action::Click;
            if self.outside(at, now.facts) {
                found.push(Signal::OutsideForm);
            }
            found.extend(self.nearly(at, now.facts));
            if self.families.get(&look(now.facts)).is_some_and(|&count| count >= FAMILY) {
                found.push(Signal::OneOfMany);
            }
            if !pressed && self.is_mate(now.facts) {
                found.push(Signal::FormMate);
            }
            if pressed && self.titled(now.facts) {
                found.push(Signal::TitleAll);
            }
            found.extend(self.said(now.facts));
            // What is named by its text is pressed whatever it is.
            if found.contains(&Signal::SaidSame) && self.lost.from_locator.role.is_empty() {
                found.retain(|signal| *signal != Signal::ActionPlain);
            }
            found.extend(self.role(now));
        }
    }

    /// Whether it was there on the green run as another control: by its name, or, of several of one name, by its place.
    fn another(&self, then: &Facts, now: &Facts, found: &[Signal]) -> Option<Signal> {
        if self.lost.peers.is_empty() {
            return None;
        }
        let is = called(now)?;
        if !self.lost.peers.contains(&is) {
            return None;
        }
        if called(then).as_ref() != Some(&is) {
            return Some(Signal::WasAnother);
        }
        let elsewhere =
            |signal: &Signal| matches!(signal, Signal::HeadingOther | Signal::FormOther | Signal::LandmarkOther);
        // Rows of a table differ by a word or two; numbers and dates change by themselves.
        let around = |facts: &Facts| -> BTreeSet<String> {
            words(&facts.neighbours).into_iter().filter(|word| !word.contains(char::is_numeric)).collect()
        };
        let among_others = around(then) != around(now);
        (among_others || found.iter().any(elsewhere)).then_some(Signal::HadTwin)
    }

    /// Whether a text of it is what a stale id, test id or name says, word by word.
    fn says_literal(&self, now: &Facts) -> bool {
        let own: Vec<Vec<String>> = says(now).into_iter().map(tokens).collect();
        let is = |words: &Vec<String>, own: &Vec<String>| {
            own.len() == words.len() && own.iter().zip(words).all(|(one, other)| same_word(one, other))
        };
        let named = self.literals.iter().filter(|(literal, words)| !literal.kind.is_text() && !words.is_empty());
        named.into_iter().any(|(_, words)| own.iter().any(|own| is(words, own)))
    }

    /// What the names around the locator say: a variable, a getter, a method of a page object.
    fn named(&self, now: &Facts) -> Option<Signal> {
        let own: Vec<String> = says(now).into_iter().flat_map(tokens).collect();
        let has = |word: &String| own.iter().any(|other| same_word(word, other) || is_synonym(word, other));
        let best = self.names.iter().map(|words| ratio(words.iter().filter(|word| has(word)).count(), words.len()));
        match best.fold(0.0, f64::max) {
            share if share >= 1.0 => Some(Signal::NamesAll),
            share if share > 0.0 => Some(Signal::NamesShared),
            _ => None,
        }
    }

    /// Whether it stands in a form or dialog that other steps of the test work in.
    fn is_mate(&self, now: &Facts) -> bool {
        form(now).is_some_and(|form| self.forms.contains(&form))
    }

    /// Whether it stands outside of the form that the test works in: what is pressed, of the one just filled; a field, of
    /// those of the other steps.
    fn outside(&self, at: usize, now: &Facts) -> bool {
        match self.lost.action {
            Action::Look => false,
            Action::Click => !self.lost.filled_form.is_empty() && self.lost.filled_form.binary_search(&at).is_err(),
            _ => !self.forms.is_empty() && !self.is_mate(now),
        }
    }

    /// Whether it fits all of a selector but one condition.
    fn nearly(&self, at: usize, now: &Facts) -> Option<Signal> {
        if self.lost.all_but_one.binary_search(&at).is_ok() {
            return Some(Signal::AllButOne);
        }
        self.lost.few_but_one.binary_search(&at).ok()?;
        // Where a class went and one that nothing else has stands in its place, the class was renamed.
        let own = |class: &String| self.classes.get(class.as_str()) == Some(&1);
        let asked = &self.lost.from_locator.classes;
        let renamed = asked.iter().any(|class| !now.classes.contains(class)) && now.classes.iter().any(own);
        Some(if renamed { Signal::RenamedClass } else { Signal::FewButOne })
    }

    /// Whether the test's titles and its file hold all that the element says.
    fn titled(&self, now: &Facts) -> bool {
        let has = |word: &String| self.titles.iter().any(|other| same_word(word, other));
        !self.titles.is_empty()
            && says(now).into_iter().any(|text| {
                let words = telling(text, false);
                words.len() >= 2 && words.iter().all(has)
            })
    }

    /// Whether the action can work on the element at all.
    pub(super) fn possible(&self, now: &Prepared<'_>) -> bool {
        match &self.lost.action {
            Action::Look => true,
            Action::Click => !is_structure(now.facts),
            Action::Fill(_) => now.sort == Sort::Field || now.facts.editable,
            Action::Check => now.sort == Sort::Tick,
            Action::Select(_) => now.facts.tag == "select",
            Action::SetFiles => now.sort == Sort::File,
        }
    }

    /// The stale literal, found again under another attribute or in other words.
    fn carried(&self, now: &Facts) -> Option<Signal> {
        let levels = self.literals.iter().filter_map(|(literal, words)| carried(literal, words, now));
        let levels: Vec<Signal> = levels.collect();
        let opposed = levels.iter().find(|signal| **signal == Signal::SaidOpposite).copied();
        opposed.or_else(|| levels.into_iter().min_by_key(|signal| *signal as usize))
    }

    /// The text that the locator asked for, against everything the element says.
    fn said(&self, now: &Facts) -> Option<Signal> {
        let levels = self.literals.iter().filter(|(literal, _)| literal.kind.is_text()).flat_map(|(literal, _)| {
            says(now).into_iter().map(|text| match compare_labels(&literal.value, text) {
                // What differs by its punctuation stood there before, and was not what the locator matched.
                Meaning::Same if squash(&literal.value).to_lowercase() != squash(text).to_lowercase() => {
                    Signal::SaidPunctuated
                }
                Meaning::Same => Signal::SaidSame,
                Meaning::Reworded { shared } if shared >= 0.5 => Signal::SaidMost,
                Meaning::Reworded { .. } => Signal::SaidSome,
                Meaning::Synonym { sure: true } => Signal::SaidSure,
                Meaning::Synonym { sure: false } => Signal::SaidSynonym,
                Meaning::Exchanged { .. } => Signal::SaidLittle,
                Meaning::Opposite => Signal::SaidOpposite,
                Meaning::ScopeChanged => Signal::SaidScope,
                Meaning::OtherLanguage => Signal::SaidLanguage,
                Meaning::Unrelated => Signal::SaidOther,
            })
        });
        let levels: Vec<Signal> = levels.collect();
        // One text that says the opposite counts, or that the locator would have passed by, whatever the others say.
        let counts = |wanted: Signal| levels.iter().find(|signal| **signal == wanted).copied();
        let same = levels.contains(&Signal::SaidSame);
        let opposed = counts(Signal::SaidOpposite).or(counts(Signal::SaidPunctuated).filter(|_| !same));
        opposed.or_else(|| levels.into_iter().min_by_key(|signal| *signal as usize))
    }

    fn role(&self, now: &Prepared<'_>) -> Option<Signal> {
        let asked = &self.lost.from_locator;
        if asked.role.is_empty() {
            return None;
        }
        Some(if asked.role == now.facts.role {
            Signal::AskedRole
        } else if Prepared::new(asked).sort == now.sort
            || (Prepared::new(asked).sort.is_pressed() && now.sort.is_pressed())
        {
            Signal::AskedRoleSort
        } else {
            Signal::AskedRoleOther
        })
    }

    /// Whether this is the sort of thing that is done this to.
    fn fit(&self, now: &Prepared<'_>) -> Option<Signal> {
        match self.lost.action {
            Action::Look => None,
            Action::Click if self.recorded_sort == Some(now.sort) => Some(Signal::ActionFits),
            Action::Click if now.sort.is_pressed() || now.sort == Sort::Tick => Some(Signal::ActionFits),
            Action::Click => Some(Signal::ActionPlain),
            _ => Some(Signal::FieldFits),
        }
    }

    /// What the value says of the field it goes into.
    fn value(&self, now: &Prepared<'_>) -> Option<Signal> {
        match &self.lost.action {
            Action::Fill(value) => {
                let secret = self.literals.iter().any(|(literal, _)| names_password(&literal.value));
                let takes_secret = now.facts.input_type == "password";
                if secret != takes_secret && (secret || takes_secret && !self.literals.is_empty()) {
                    return Some(Signal::ValueUnfit);
                }
                let address = value.contains('@') && value.contains('.');
                match now.facts.input_type.as_str() {
                    "password" if secret => Some(Signal::ValueFits),
                    "email" if address => Some(Signal::ValueFits),
                    "text" | "" if address && names_address(now.facts) => Some(Signal::ValueFits),
                    "number" if value.parse::<f64>().is_err() => Some(Signal::ValueUnfit),
                    "email" if !value.is_empty() && !address => Some(Signal::ValueUnfit),
                    "date" | "time" | "month" | "week" | "datetime-local" if !value.contains(['-', ':']) => {
                        Some(Signal::ValueUnfit)
                    }
                    _ => None,
                }
            }
            Action::Select(options) if !options.is_empty() => {
                let there = |option: &String| now.facts.options.iter().any(|known| known == option);
                Some(if options.iter().all(there) { Signal::OptionThere } else { Signal::ValueUnfit })
            }
            _ => None,
        }
    }

    /// What the repository put in place of the stale literal, or that it put nothing there.
    fn successor(&self, now: &Facts) -> Option<Signal> {
        let successors = &self.lost.successors;
        if successors.iter().any(|successor| succeeds(successor, now)) {
            return Some(Signal::SuccessorSame);
        }
        successors.iter().any(|successor| successor.new.is_empty()).then_some(Signal::SuccessorNone)
    }
}

/// Whether it only holds other elements: nobody presses it.
fn is_structure(facts: &Facts) -> bool {
    let tags = [
        "main", "body", "form", "section", "header", "footer", "nav", "table", "tbody", "thead", "ul", "ol",
        "fieldset", "article",
    ];
    facts.role != "button" && facts.role != "link" && tags.contains(&facts.tag.as_str())
}

fn names_password(literal: &str) -> bool {
    tokens(literal)
        .iter()
        .any(|token| matches!(token.as_str(), "password" | "pass" | "passwd" | "pwd" | "passphrase" | "passcode"))
}

/// The form or dialog that an element stands in.
fn form(facts: &Facts) -> Option<&str> {
    let dialog = || facts.landmarks.iter().rfind(|landmark| landmark.starts_with("dialog")).map(String::as_str);
    // Forms without a name are all called the same: nothing tells one from another.
    if facts.form.is_empty() || facts.form == "form" { dialog() } else { Some(&facts.form) }
}

/// Whether a field calls itself one for an e-mail address.
fn names_address(facts: &Facts) -> bool {
    let calls = |text: &str| {
        let words = tokens(text);
        words.iter().any(|word| word == "email") || words.windows(2).any(|pair| pair == ["e", "mail"])
    };
    says(facts).into_iter().any(calls)
}
