//! Documents of one suite whose causes were repaired on several machines, as one document.

use super::{Document, Group, Repair};

/// Repairs of two machines in one file must be further apart than this many lines: their patches show three lines of
/// context each.
const APART: usize = 7;

impl Document {
    /// Adds what `other` decided of the same suite. A repair whose patch would touch one that is here already is for a person
    /// then: `proposed`.
    pub fn merge(&mut self, other: Self) {
        self.redactions = self.redactions.max(other.redactions);
        for note in other.notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        for mut theirs in other.groups {
            let here: Vec<&Group> = self.groups.iter().filter(|group| group.outcome == "healed").collect();
            if theirs.outcome == "healed" && here.iter().any(|ours| ours.id != theirs.id && touch(ours, &theirs)) {
                "proposed".clone_into(&mut theirs.outcome);
                if let Some(repair) = &mut theirs.repair {
                    "place_forbidden".clone_into(&mut repair.reason);
                    "it was proven on its own, and its patch touches another repair of this suite"
                        .clone_into(&mut repair.sentence);
                }
            }
            match self.groups.iter_mut().find(|group| group.id == theirs.id) {
                // Whoever tried a repair knows more.
                Some(ours) if ours.repair.is_none() && theirs.repair.is_some() => *ours = theirs,
                Some(_) => {}
                None => self.groups.push(theirs),
            }
        }
    }
}

fn touch(a: &Group, b: &Group) -> bool {
    let places = |group: &Group| -> Vec<(String, usize)> {
        let repairs = group.repair.iter().flat_map(Repair::chain);
        repairs.filter_map(|repair| Some((repair.file.clone()?, repair.line?))).collect()
    };
    let there = places(b);
    places(a).iter().any(|(file, line)| {
        there.iter().any(|(other_file, other_line)| file == other_file && line.abs_diff(*other_line) < APART)
    })
}
