//! What a reworded label means: the same control renamed, or a neighbour.
//!
//! Compares two texts for people and nothing else. Tells a rename from a neighbour rightly in four cases of five
//! (`shared/data/ui-meaning.md`: AUC 0.80 to 0.89), so it is evidence beside other evidence and never the reason to
//! accept. The tables and where they come from: the heads of the files in `meaning/`, remade by
//! `meaning/make-tables.mjs`.

mod language;
mod lexicon;

use crate::domain::words::{ratio, words};
use language::{language, script};
use lexicon::{LEXICON, LONGEST_PHRASE};

/// What became of a label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Meaning {
    /// The same words: only case, punctuation or space differ.
    Same,
    /// Words were added, dropped or put in another order; this share of all words is in both.
    Reworded {
        /// Shared words over all words, 0 to 1.
        shared: f64,
    },
    /// Some words stayed and others were exchanged for words that mean something else: often a neighbour
    /// (`Submit a new link` / `Submit a new text post`). The share is that of [`Self::Reworded`].
    Exchanged {
        /// Shared words over all words, 0 to 1.
        shared: f64,
    },
    /// Other words that mean the same.
    Synonym {
        /// Every word has its counterpart in a hand-made group. Else icon tags say so: weak, for neighbours often share
        /// an icon too.
        sure: bool,
    },
    /// An opposite, or a known counterpart with another function: strong evidence against.
    Opposite,
    /// The same verb with another reach or another number: `Save as draft`, `Pay later`, `Delete all`, `Row 2`.
    ScopeChanged,
    /// Another script or another language: the words say nothing.
    OtherLanguage,
    /// Nothing in common.
    Unrelated,
}

impl Meaning {
    /// Whether the new label may still be the old one in other words.
    pub fn is_kept(&self) -> bool {
        matches!(self, Self::Same | Self::Reworded { .. } | Self::Synonym { .. } | Self::OtherLanguage)
    }
}

/// The same for texts that both stand on a page: there, what took something away and no longer does so is another
/// function, and so is what does so now and did not: `Delete account` / `Account`, `Archive` / `Delete`. The words of an
/// identifier are too few for that.
pub fn compare_labels(old: &str, new: &str) -> Meaning {
    match compare(old, new) {
        Meaning::Reworded { .. } | Meaning::Exchanged { .. } if is_destructive(old) != is_destructive(new) => {
            Meaning::ScopeChanged
        }
        Meaning::Unrelated if is_destructive(new) && !is_destructive(old) => Meaning::ScopeChanged,
        meaning => meaning,
    }
}

/// From this likeness of icon tags on, two words count as synonyms. At 0.2 the pairs of the unit test below come out as
/// they should; random words of an interface stay under it in 19 cases of 20.
const SYNONYM: f64 = 0.2;
/// From this likeness on, two terms stand in one hand-made group.
const SURE: f64 = 0.99;

/// Words that change the reach of an action when they come or go.
const SCOPE: &[&str] = &[
    "as",
    "all",
    "later",
    "draft",
    "and",
    "with",
    "without",
    "now",
    "another",
    "selected",
    "everything",
    "everyone",
    "only",
    "copy",
    "template",
    "permanently",
    "forever",
    "again",
    "none",
    "not",
    "don",
    "no",
    "un",
    "up",
    "out",
    "in",
    "off",
    "on",
    "re",
    "new",
    "old",
    "via",
    "by",
    "from",
    "to",
    // What tells a field from its like.
    "first",
    "last",
    "middle",
    "billing",
    "shipping",
    "current",
    "confirm",
    "repeat",
    "primary",
    "secondary",
    // The same in German, French, Spanish, Italian, Dutch and Portuguese.
    "alle",
    "alles",
    "als",
    "später",
    "entwurf",
    "vorlage",
    "nur",
    "neu",
    "ohne",
    "tout",
    "tous",
    "toutes",
    "brouillon",
    "seulement",
    "todo",
    "todos",
    "todas",
    "borrador",
    "sólo",
    "solo",
    "tutti",
    "tutte",
    "bozza",
    "concept",
    "tudo",
    "rascunho",
];

/// Words without meaning of their own.
const FILLER: &[&str] =
    &["a", "an", "the", "your", "my", "our", "please", "of", "for", "s", "this", "that", "it", "here"];

/// What became of `old` when it was put in words as `new`.
pub fn compare(old: &str, new: &str) -> Meaning {
    // `Terms & Conditions` are terms and conditions.
    let spelled = |text: &str| words(&text.replace('&', " and "));
    let (old_words, new_words) = (spelled(old), spelled(new));
    if old_words == new_words {
        return Meaning::Same;
    }
    if old_words.is_empty() || new_words.is_empty() {
        return Meaning::Unrelated;
    }
    if script(old) != script(new) || language(&old_words).zip(language(&new_words)).is_some_and(|(a, b)| a != b) {
        return Meaning::OtherLanguage;
    }
    let phrases = Difference::of(&terms(&old_words), &terms(&new_words));
    let single = Difference::of(&old_words, &new_words);
    // What is left of the words may itself be a phrase: `Sign in with Google` / `Sign in with your phone number`.
    let rest = Difference::of(&terms(&single.gone), &terms(&single.come));
    if [&phrases, &rest].iter().any(|difference| difference.opposed()) || opposed_as_a_whole(&old_words, &new_words) {
        return Meaning::Opposite;
    }
    if numbers(&old_words) != numbers(&new_words) || (single.shared > 0 && single.changes_scope()) {
        return Meaning::ScopeChanged;
    }
    let only_grown_or_shrunk = single.shared > 0 && (single.gone.is_empty() || single.come.is_empty());
    let whole = whole_likeness(&old_words, &new_words);
    // Icon tags call neighbours alike, such as what differs by one word of two.
    let alike = if single.shared > 0 { SURE } else { SYNONYM };
    if !only_grown_or_shrunk && (whole >= alike || (phrases.shared == 0 && phrases.likeness() >= alike)) {
        let sure = whole >= SURE || phrases.all_paired();
        return Meaning::Synonym { sure };
    }
    if single.shared == 0 {
        let sure = rest.all_paired();
        return if rest.likeness() >= SYNONYM { Meaning::Synonym { sure } } else { Meaning::Unrelated };
    }
    let all = single.shared + single.gone.len() + single.come.len();
    let shared = ratio(single.shared, all);
    // Icon tags call neighbours alike: `Invite user` / `Invite team`.
    if only_grown_or_shrunk || rest.all_paired() { Meaning::Reworded { shared } } else { Meaning::Exchanged { shared } }
}

/// What two lists of terms share, and what went and came; fillers left out.
struct Difference {
    shared: usize,
    gone: Vec<String>,
    come: Vec<String>,
}

impl Difference {
    fn of(old: &[String], new: &[String]) -> Self {
        let without = |terms: &[String], others: &[String]| {
            let rest = terms.iter().filter(|term| !contains(others, term) && !FILLER.contains(&term.as_str()));
            rest.cloned().collect::<Vec<_>>()
        };
        let shared = old.iter().filter(|term| contains(new, term)).count();
        Self { shared, gone: without(old, new), come: without(new, old) }
    }

    fn opposed(&self) -> bool {
        let opposed = |term: &String| {
            let against = self.come.iter().any(|other| LEXICON.opposed(term, other));
            // `Email` / `E-mail address or user name`: what it was is still among what it is.
            against && !self.come.iter().any(|other| LEXICON.likeness(term, other) >= SURE)
        };
        self.gone.iter().any(opposed)
    }

    /// Whether every term that went has a sure synonym among those that came, and the other way round.
    fn all_paired(&self) -> bool {
        let paired =
            |term: &String, others: &[String]| others.iter().any(|other| LEXICON.likeness(term, other) >= SURE);
        self.gone.iter().all(|term| paired(term, &self.come)) && self.come.iter().all(|term| paired(term, &self.gone))
    }

    /// How well what went matches what came, aligned best to best both ways, 0 to 1.
    fn likeness(&self) -> f64 {
        if self.gone.is_empty() || self.come.is_empty() || self.gone.len() > 6 || self.come.len() > 6 {
            return 0.0;
        }
        let best = |one: &[String], other: &[String]| {
            let likeness = |a: &String| other.iter().map(|b| LEXICON.likeness(a, b)).fold(0.0, f64::max);
            one.iter().map(likeness).sum::<f64>() * ratio(1, one.len())
        };
        f64::midpoint(best(&self.gone, &self.come), best(&self.come, &self.gone))
    }

    /// Whether the words that came or went change the reach: one side only gains or loses such words, or the number of
    /// a noun changes.
    fn changes_scope(&self) -> bool {
        let scope = |terms: &[String]| terms.iter().any(|term| SCOPE.contains(&term.as_str()));
        let plural =
            |a: &str, b: &str| b.strip_suffix('s').is_some_and(|stem| stem == a || stem.strip_suffix('e') == Some(a));
        (self.gone.is_empty() && scope(&self.come))
            || (self.come.is_empty() && scope(&self.gone))
            || self.gone.iter().any(|one| self.come.iter().any(|other| plural(one, other) || plural(other, one)))
    }
}

/// Whether two words stand in one hand-made group of synonyms.
pub fn is_synonym(word: &str, other: &str) -> bool {
    LEXICON.likeness(word, other) >= SURE
}

/// Whether a label names something that takes away, spends or cannot be taken back: such a repair needs a higher bar.
pub fn is_destructive(label: &str) -> bool {
    terms(&words(label)).iter().any(|term| LEXICON.destructive(term))
}

/// Whether a text looks like data rather than like a label: a date, a price, a count, an address, a long number.
pub fn looks_like_data(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    digits > 0 && (digits * 2 >= letters || text.contains('@') || text.contains(['$', '€', '£', '%']))
        || (text.contains('@') && text.contains('.'))
}

fn contains(terms: &[String], term: &str) -> bool {
    terms.iter().any(|other| other == term)
}

/// The terms of a label: known phrases first, the longest first, then single words without fillers.
fn terms(words: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let phrase = (2..=LONGEST_PHRASE)
            .rev()
            .filter_map(|length| words.get(at..at + length).map(|part| (length, part.join(" "))))
            .find(|(_, phrase)| LEXICON.knows(phrase));
        let (length, term) = phrase.unwrap_or_else(|| (1, words.get(at).cloned().unwrap_or_default()));
        if !FILLER.contains(&term.as_str()) && !contains(&found, &term) {
            found.push(term);
        }
        at += length;
    }
    found
}

fn opposed_as_a_whole(old: &[String], new: &[String]) -> bool {
    let phrase = |words: &[String]| (words.len() <= 4).then(|| words.join(" "));
    phrase(old).zip(phrase(new)).is_some_and(|(old, new)| LEXICON.opposed(&old, &new))
}

fn whole_likeness(old: &[String], new: &[String]) -> f64 {
    let phrase = |words: &[String]| (words.len() <= 4).then(|| words.join(" "));
    phrase(old).zip(phrase(new)).map_or(0.0, |(old, new)| LEXICON.likeness(&old, &new))
}

fn numbers(words: &[String]) -> Vec<&String> {
    words.iter().filter(|word| word.chars().all(|c| c.is_ascii_digit())).collect()
}

#[cfg(test)]
mod tests {
    use super::{Meaning, compare, compare_labels, is_destructive, looks_like_data};

    fn check(pairs: &[(&str, &str)], expected: impl Fn(Meaning) -> bool) {
        for (old, new) in pairs {
            let found = compare(old, new);
            assert!(expected(found), "{old} / {new}: {found:?}");
        }
    }

    #[test]
    fn neighbours_are_opposites() {
        let pairs = [
            ("Sign in", "Sign up"),
            ("Log in", "Log out"),
            ("Next", "Previous"),
            ("Delete", "Archive"),
            ("Submit", "Reset"),
            ("Enable notifications", "Disable notifications"),
            ("Add to cart", "Remove from cart"),
            ("Email", "Password"),
            ("First name", "Last name"),
            ("Start date", "End date"),
            ("Upload file", "Download file"),
            ("Pay now", "Pay later"),
            ("Increase quantity", "Decrease quantity"),
            ("Sign in with Google", "Sign in with Facebook"),
            ("Open", "Close"),
        ];
        check(&pairs, |meaning| matches!(meaning, Meaning::Opposite | Meaning::ScopeChanged));
    }

    #[test]
    fn a_changed_reach_or_number_is_no_rename() {
        let pairs = [
            ("Save", "Save as draft"),
            ("Delete", "Delete all"),
            ("Row 1", "Row 2"),
            ("Pay", "Pay later"),
            ("Delete item", "Delete items"),
            ("First name", "Name"),
            ("Address", "Billing address"),
            ("Löschen", "Alle löschen"),
        ];
        check(&pairs, |meaning| matches!(meaning, Meaning::ScopeChanged | Meaning::Opposite));
    }

    #[test]
    fn a_label_that_lost_its_verb_of_taking_away_has_another_reach() {
        assert_eq!(compare_labels("Delete a shipment", "Shipment"), Meaning::ScopeChanged);
        assert_eq!(compare_labels("Delete", "Remove"), Meaning::Synonym { sure: true });
    }

    #[test]
    fn the_same_in_other_words_is_a_synonym() {
        let pairs = [
            ("Sign in", "Log in"),
            ("Basket", "Cart"),
            ("Remove", "Delete"),
            ("Surname", "Last name"),
            ("Retry", "Try again"),
            ("Preferences", "Settings"),
            ("Execute", "Run"),
            ("Register", "Sign up"),
        ];
        check(&pairs, |meaning| meaning == Meaning::Synonym { sure: true });
    }

    #[test]
    fn added_and_dropped_words_leave_a_rewording() {
        let pairs = [("Save", "Save changes"), ("Submit form", "Submit"), ("Search users", "Find users")];
        check(&pairs, |meaning| matches!(meaning, Meaning::Reworded { .. }));
        check(&[("SAVE!", "save"), ("What's new", "what’s new")], |meaning| meaning == Meaning::Same);
    }

    #[test]
    fn another_language_says_nothing() {
        let pairs = [("Sign in", "Войти"), ("Remember me", "Angemeldet bleiben"), ("Search", "検索")];
        check(&pairs, |meaning| meaning == Meaning::OtherLanguage);
        check(&[("Orders", "Weather")], |meaning| meaning == Meaning::Unrelated);
    }

    #[test]
    fn verbs_that_destroy_or_pay_are_known() {
        assert!(is_destructive("Delete account") && is_destructive("Place order") && is_destructive("Send invite"));
        assert!(!is_destructive("Open menu") && !is_destructive("Search"));
    }

    #[test]
    fn dates_prices_and_addresses_are_data() {
        for text in ["12 May 2024", "$ 12.50", "robin@example.test", "42", "3 %"] {
            assert!(looks_like_data(text), "{text}");
        }
        for text in ["Save changes", "Step 2 of the wizard", "E-mail"] {
            assert!(!looks_like_data(text), "{text}");
        }
    }
}
