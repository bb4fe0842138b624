//! What a document must keep to that was read back: it may come from another machine, and from somebody else.
//!
//! Says nothing of whether its lines are right: what is committed is held against gate two, and everything else is shown.

use super::{Document, Group, Repair};

/// What a group can come to.
const OUTCOMES: [&str; 7] = ["candidate", "escalated", "blocked", "flaky", "healed", "proposed", "declined"];

/// Longest word of ours, in bytes.
const WORD: usize = 40;

impl Document {
    /// Checks the words that are ours, and takes back what is called healed without its proofs.
    ///
    /// # Errors
    /// What is none of our words.
    pub fn check(&mut self) -> Result<(), String> {
        for group in &mut self.groups {
            group.words()?;
            let proven = || group.repair.iter().flat_map(Repair::chain).all(is_proven);
            if group.outcome == "healed" && !proven() {
                group.withdraw(
                    "not_proven",
                    "it is called healed, and its run does not show that it is proven".to_owned(),
                );
            }
        }
        Ok(())
    }
}

impl Group {
    fn words(&self) -> Result<(), String> {
        let further = self.repair.iter().flat_map(|repair| &repair.further);
        let outcomes = std::iter::once(&self.outcome).chain(further.map(|further| &further.outcome));
        if let Some(other) = outcomes.into_iter().find(|outcome| !OUTCOMES.contains(&outcome.as_str())) {
            return Err(format!("`{}` is no outcome", shown(other)));
        }
        let chain = || self.repair.iter().flat_map(Repair::chain);
        let proofs = chain().flat_map(|repair| &repair.proofs).flat_map(|proof| [&proof.name, &proof.result]);
        let words = [&self.id, &self.category, &self.signature].into_iter().chain(chain().map(|repair| &repair.reason));
        match words.chain(proofs).find(|word| !is_word(word)) {
            Some(other) => Err(format!("`{}` is no word of a report", shown(other))),
            None => Ok(()),
        }
    }
}

/// Whether the proofs of a repair say that it is proven.
fn is_proven(repair: &Repair) -> bool {
    let held = |result: &str| matches!(result, "held" | "not_applicable");
    repair.proofs.iter().any(|proof| proof.result == "held") && repair.proofs.iter().all(|proof| held(&proof.result))
}

fn is_word(word: &str) -> bool {
    word.len() <= WORD && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b' '))
}

fn shown(word: &str) -> String {
    word.chars().take(WORD).collect()
}

#[cfg(test)]
mod tests {
    use crate::report::suite::tests::{document, group};
    use crate::report::suite::{Document, Proof};

    fn checked(change: impl Fn(&mut Document)) -> Result<String, String> {
        let mut document = document(vec![group("a", "healed", Some(("x.ts", 10)))]);
        change(&mut document);
        document.check()?;
        Ok(document.groups[0].outcome.clone())
    }

    #[test]
    fn a_document_keeps_its_words_and_what_is_not_proven_is_not_healed() {
        let result =
            |result: &str| Proof { name: "counter_test".to_owned(), result: result.to_owned(), seen: String::new() };
        let with = |proofs: Vec<Proof>| {
            checked(|document| document.groups[0].repair.as_mut().unwrap().proofs = proofs.clone())
        };
        assert_eq!(with(vec![result("held"), result("not_applicable")]).as_deref(), Ok("healed"));
        for proofs in
            [vec![], vec![result("not_applicable")], vec![result("held"), result("failed")], vec![result("not_run")]]
        {
            assert_eq!(with(proofs.clone()).as_deref(), Ok("proposed"), "{proofs:?}");
        }
        assert!(with(vec![result("held**\n\n# Approved")]).is_err());
        assert!(checked(|document| document.groups[0].outcome = "foo".to_owned()).is_err());
        assert!(checked(|document| document.groups[0].outcome = "<img>".to_owned()).is_err());
        assert!(
            checked(|document| document.groups[0].repair.as_mut().unwrap().reason = "::error::x".to_owned()).is_err()
        );
    }
}
