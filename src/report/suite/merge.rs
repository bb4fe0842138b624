//! Documents of one suite whose causes were repaired on several machines, as one document.

use super::{Document, Group};

/// Repairs of two machines in one file must be further apart than this many lines: their patches show three lines of
/// context each.
const APART: usize = 7;

impl Document {
    /// Adds what `other` decided of the same suite. A repair whose patch would touch one that is here already, and that `other`
    /// does not know, is for a person then: `proposed`.
    pub fn merge(&mut self, other: Self) {
        self.redactions = self.redactions.max(other.redactions);
        for note in other.notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        let applied = |group: &&Group| group.applied().next().is_some();
        let known = |ours: &Group| other.groups.iter().filter(applied).any(|theirs| same(ours, theirs));
        // What `other` has as well was in the file when its further repairs were proven, or is the very same run.
        let foreign: Vec<Group> = self.groups.iter().filter(applied).filter(|ours| !known(ours)).cloned().collect();
        for mut theirs in other.groups {
            if foreign.iter().any(|ours| touch(ours, &theirs)) {
                let why = "it was proven on its own, and its patch touches another repair of this suite";
                theirs.withdraw("place_forbidden", why.to_owned());
            }
            let Some(at) = self.groups.iter().position(|ours| same(ours, &theirs)) else {
                self.groups.push(theirs);
                continue;
            };
            // What is one group where more was at hand may be several here.
            let ours = self.groups.remove(at);
            self.groups.retain(|other| !same(other, &theirs));
            self.groups.insert(at.min(self.groups.len()), joined(ours, theirs));
        }
    }
}

/// One cause, as both know it: the group of whoever had more at hand, with the decision of whoever tried a repair.
fn joined(ours: Group, theirs: Group) -> Group {
    let ours_is_wider = ours.also.len() >= theirs.also.len();
    let (mut wider, other) = if ours_is_wider { (ours, theirs) } else { (theirs, ours) };
    if wider.repair.is_none() && other.repair.is_some() {
        let first_bad = wider.first_bad.take();
        let Group { id, also, tests, files, projects, members, members_left_out, .. } = wider;
        wider = Group { id, also, tests, files, projects, members, members_left_out, ..other };
        wider.first_bad = wider.first_bad.or(first_bad);
    } else {
        wider.first_bad = wider.first_bad.or(other.first_bad);
    }
    wider
}

/// Whether two machines mean one cause.
fn same(a: &Group, b: &Group) -> bool {
    a.is(&b.id) || b.is(&a.id)
}

fn touch(a: &Group, b: &Group) -> bool {
    let places = |group: &Group| -> Vec<(String, usize)> {
        group.applied().filter_map(|repair| Some((repair.file.clone()?, repair.line?))).collect()
    };
    let there = places(b);
    places(a).iter().any(|(file, line)| {
        there.iter().any(|(other_file, other_line)| file == other_file && line.abs_diff(*other_line) < APART)
    })
}
