//! The embedded tables: icon tags and hand-made groups (what means the same), antonyms and counterparts (what does not).

use std::collections::HashMap;
use std::sync::LazyLock;

/// The tables of this program, read once.
pub(super) static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    Lexicon::read(&Sources {
        icon_tags: include_str!("icon-tags.txt"),
        antonyms: include_str!("antonyms.txt"),
        counterparts: include_str!("counterparts.txt"),
        synonyms: include_str!("synonyms.txt"),
        destructive: include_str!("destructive.txt"),
    })
});

/// The longest phrase that is looked up, in words.
pub(super) const LONGEST_PHRASE: usize = 3;

struct Sources<'a> {
    icon_tags: &'a str,
    antonyms: &'a str,
    counterparts: &'a str,
    synonyms: &'a str,
    destructive: &'a str,
}

/// What is known of a term: its icons with their weights, its groups, the sides it stands on, its opposites.
#[derive(Debug, Default)]
struct Term {
    icons: Vec<(u32, f64)>,
    length: f64,
    groups: Vec<u32>,
    sides: Vec<(u32, u32)>,
    antonyms: Vec<String>,
    destructive: bool,
}

/// The tables, by term.
#[derive(Debug)]
pub(super) struct Lexicon {
    terms: HashMap<String, Term>,
}

impl Lexicon {
    fn read(sources: &Sources<'_>) -> Self {
        let mut terms: HashMap<String, Term> = HashMap::new();
        for (icon, line) in (0_u32..).zip(lines(sources.icon_tags)) {
            let tags: Vec<&str> = line.split(',').collect();
            let weight = 1.0 / f64::from(u32::try_from(tags.len()).unwrap_or(u32::MAX));
            for tag in tags {
                let term = terms.entry(tag.to_owned()).or_default();
                term.icons.push((icon, weight));
                term.length += weight * weight;
            }
        }
        for line in lines(sources.antonyms) {
            if let Some((one, other)) = line.split_once(',') {
                terms.entry(one.to_owned()).or_default().antonyms.push(other.to_owned());
                terms.entry(other.to_owned()).or_default().antonyms.push(one.to_owned());
            }
        }
        for (group, line) in (0_u32..).zip(lines(sources.synonyms)) {
            for word in line.split(',') {
                terms.entry(word.trim().to_owned()).or_default().groups.push(group);
            }
        }
        for (group, line) in (0_u32..).zip(lines(sources.counterparts)) {
            for (side, words) in (0_u32..).zip(line.split('/')) {
                for word in words.split(',') {
                    terms.entry(word.trim().to_owned()).or_default().sides.push((group, side));
                }
            }
        }
        for word in lines(sources.destructive) {
            terms.entry(word.trim().to_owned()).or_default().destructive = true;
        }
        Self { terms }
    }

    /// Whether the tables know the term.
    pub(super) fn knows(&self, term: &str) -> bool {
        self.terms.contains_key(term)
    }

    /// Whether the terms are opposites, or stand beside each other in user interfaces and do different things.
    pub(super) fn opposed(&self, one: &str, other: &str) -> bool {
        let (Some(a), Some(b)) = (self.terms.get(one), self.terms.get(other)) else { return false };
        let together = a.sides.iter().any(|side| b.sides.contains(side));
        let apart = a.sides.iter().any(|(group, side)| b.sides.iter().any(|(g, s)| g == group && s != side));
        (apart && !together) || a.antonyms.iter().any(|antonym| antonym == other)
    }

    /// How far the terms mean the same, 0 to 1: 1 in a hand-made group, else the cosine of their icons.
    pub(super) fn likeness(&self, one: &str, other: &str) -> f64 {
        let (Some(a), Some(b)) = (self.terms.get(one), self.terms.get(other)) else { return 0.0 };
        if a.groups.iter().any(|group| b.groups.contains(group)) {
            return 1.0;
        }
        if a.icons.is_empty() || b.icons.is_empty() {
            return 0.0;
        }
        let (mut i, mut j, mut shared) = (0, 0, 0.0);
        while let (Some((x, weight)), Some((y, other_weight))) = (a.icons.get(i), b.icons.get(j)) {
            match x.cmp(y) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    shared += weight * other_weight;
                    i += 1;
                    j += 1;
                }
            }
        }
        shared / (a.length.sqrt() * b.length.sqrt())
    }

    /// Whether the term takes something away, spends money or cannot be taken back.
    pub(super) fn destructive(&self, term: &str) -> bool {
        self.terms.get(term).is_some_and(|known| known.destructive)
    }
}

fn lines(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}
