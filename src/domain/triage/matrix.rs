//! Shares the repairs of a red suite out to several machines, so that they end at about the same time.

use std::collections::BTreeMap;

/// A root cause to be repaired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// The id of its group.
    pub group: String,
    /// The file that a repair would change, as far as it is known. Causes of one file stay on one machine: their patches
    /// would touch each other.
    pub file: String,
    /// How long it takes, in milliseconds: an estimate.
    pub milliseconds: u64,
}

/// What one machine does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// The ids of its groups, in the order of the suite.
    pub groups: Vec<String>,
    /// How long it takes, in milliseconds: an estimate.
    pub milliseconds: u64,
}

/// At most `machines` shares of `work`, none of them empty: the longest files first, each to the machine that is done first.
pub fn share(work: &[Work], machines: usize) -> Vec<Share> {
    let mut files: BTreeMap<&str, (u64, Vec<usize>)> = BTreeMap::new();
    for (index, one) in work.iter().enumerate() {
        let (time, members) = files.entry(&one.file).or_default();
        *time = time.saturating_add(one.milliseconds);
        members.push(index);
    }
    let mut files: Vec<(u64, Vec<usize>)> = files.into_values().collect();
    files.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut shares = vec![(0_u64, Vec::new()); machines.clamp(1, files.len().max(1))];
    for (time, members) in files {
        let Some(least) = shares.iter_mut().min_by_key(|(time, _)| *time) else { break };
        least.0 = least.0.saturating_add(time);
        least.1.extend(members);
    }
    let named = |index: usize| work.get(index).map(|one| one.group.clone());
    let made = shares.into_iter().filter(|(_, members)| !members.is_empty()).map(|(milliseconds, mut members)| {
        members.sort_unstable();
        Share { groups: members.into_iter().filter_map(named).collect(), milliseconds }
    });
    made.collect()
}

#[cfg(test)]
mod tests {
    use super::{Share, Work, share};

    fn work(all: &[(&str, &str, u64)]) -> Vec<Work> {
        let one = |&(group, file, milliseconds): &(&str, &str, u64)| Work {
            group: group.to_owned(),
            file: file.to_owned(),
            milliseconds,
        };
        all.iter().map(one).collect()
    }

    #[test]
    fn machines_end_together_and_a_file_stays_whole() {
        let work = work(&[("a", "x.ts", 5), ("b", "y.ts", 9), ("c", "x.ts", 5), ("d", "z.ts", 2)]);
        let expected = |groups: &[&str], milliseconds| Share {
            groups: groups.iter().map(|&group| group.to_owned()).collect(),
            milliseconds,
        };
        assert_eq!(share(&work, 2), [expected(&["a", "c"], 10), expected(&["b", "d"], 11)]);
        assert_eq!(share(&work, 9).len(), 3, "no machine without work");
        assert_eq!(share(&work, 1), [expected(&["a", "b", "c", "d"], 21)]);
        assert_eq!(share(&[], 4), []);
    }
}
