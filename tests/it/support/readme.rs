//! Tables of the README that tests produce: each row is compared with what was seen, or written with `RELOCATOR_BLESS=1`.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};

use super::repository;

/// A table of texts without pipes, between `<!-- NAME -->` and `<!-- /NAME -->`, one row for each key, sorted.
pub(crate) struct Table {
    /// The name in the two marks.
    pub(crate) name: &'static str,
    /// The titles of the columns; the first is the key's.
    pub(crate) columns: &'static [&'static str],
}

impl Table {
    /// Asserts that the row of `key` holds `cells`; writes it instead when blessing.
    pub(crate) fn check(&self, key: &str, cells: &[String]) {
        let row = format!("| {} |", cells.join(" | "));
        if env::var_os("RELOCATOR_BLESS").is_some_and(|set| set == "1") {
            self.bless(|rows| drop(rows.insert(key.to_owned(), row)));
            return;
        }
        let (_, rows, _) = self.split(&readme());
        assert_eq!(rows.get(key), Some(&row), "README.md, {}: run the tests with RELOCATOR_BLESS=1", self.name);
    }

    /// Asserts that the table has a row for each of `keys` and no other; drops the others when blessing.
    pub(crate) fn check_keys(&self, keys: &[String]) {
        if env::var_os("RELOCATOR_BLESS").is_some_and(|set| set == "1") {
            self.bless(|rows| rows.retain(|key, _| keys.contains(key)));
            return;
        }
        let (_, rows, _) = self.split(&readme());
        assert_eq!(rows.keys().collect::<Vec<_>>(), keys.iter().collect::<Vec<_>>(), "README.md, {}", self.name);
    }

    fn bless(&self, change: impl FnOnce(&mut BTreeMap<String, String>)) {
        // Unit tests write rows as well, and have no folder of their own.
        let lock = File::create(env::temp_dir().join("relocator-readme.lock")).expect("the lock of the README");
        lock.lock().expect("the turn to write the README");
        let (before, mut rows, after) = self.split(&readme());
        change(&mut rows);
        let rule = "|---".repeat(self.columns.len());
        let mut table = format!("\n| {} |\n{rule}|\n", self.columns.join(" | "));
        table.extend(rows.values().flat_map(|row| [row.as_str(), "\n"]));
        fs::write(repository().join("README.md"), before + &table + &after).expect("README.md, written");
    }

    /// The text up to the table, its rows by key, the text from its end on.
    fn split(&self, text: &str) -> (String, BTreeMap<String, String>, String) {
        let (open, close) = (format!("<!-- {} -->", self.name), format!("<!-- /{} -->", self.name));
        let (before, rest) = text.split_once(&open).unwrap_or_else(|| panic!("README.md has no {open}"));
        let (table, after) = rest.split_once(&close).unwrap_or_else(|| panic!("README.md has no {close}"));
        let rows = table.lines().filter(|line| line.starts_with("| ")).skip(1);
        let key = |row: &str| row.split('|').nth(1).unwrap_or_default().trim_matches([' ', '`']).to_owned();
        let rows = rows.map(|row| (key(row), row.to_owned()));
        (before.to_owned() + &open, rows.collect(), close + after)
    }
}

fn readme() -> String {
    fs::read_to_string(repository().join("README.md")).expect("README.md")
}
