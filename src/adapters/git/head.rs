//! HEAD of the repository around a project, and what of a report's repairs can be made in it.
//!
//! Reads git's object store only; the work tree and its changes are not looked at.

use std::collections::BTreeMap;

use camino::Utf8Path;

use super::checkout::Checkout;
use crate::adapters::process::Cancel;
use crate::domain::gate;
use crate::domain::handover::{Repair, restored, swapped};
use crate::error::Error;

/// HEAD.
pub struct Head<'h> {
    pub(super) git: Checkout<'h>,
    /// The project's folder from the top of the repository: empty, or with a slash at the end.
    pub(super) prefix: String,
    pub(super) commit: String,
}

impl<'h> Head<'h> {
    /// HEAD of the repository around `root`.
    ///
    /// # Errors
    /// No repository, no commit.
    pub async fn of(root: &'h Utf8Path, cancel: &'h Cancel) -> Result<Self, Error> {
        let git = Checkout::at(root, cancel);
        let none = || Error::usage(format!("`{root}` lies in no git repository with a commit"));
        let prefix = git.ask(&["rev-parse", "--show-prefix"]).await?.ok_or_else(none)?;
        let commit = git.ask(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).await?.ok_or_else(none)?;
        Ok(Self { git, prefix, commit })
    }

    /// The repository.
    pub fn checkout(&self) -> &Checkout<'h> {
        &self.git
    }

    /// The project's folder from the top of the repository: empty, or with a slash at the end.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// A file of the project as it would lie in the work tree.
    pub(super) async fn file(&self, path: &str) -> Result<Option<Vec<u8>>, Error> {
        self.git.bytes(&["cat-file", "--filters", &format!("{}:{}{path}", self.commit, self.prefix)]).await
    }

    /// Makes the swaps of `repairs` whole again: a report keeps lines without their secrets, and HEAD has them as they are.
    /// Takes out those with which that cannot be done, and says which groups that were and why.
    ///
    /// # Errors
    /// Git cannot be started.
    pub async fn restore(&self, repairs: &mut Vec<Repair>) -> Result<Vec<(String, String)>, Error> {
        let mut left = Vec::new();
        for repair in repairs.iter_mut() {
            let Some(bytes) = self.file(&repair.swap.path).await? else { continue };
            let text = String::from_utf8_lossy(&bytes);
            let Some(line) = repair.swap.line.checked_sub(1).and_then(|at| text.lines().nth(at)) else { continue };
            if let Some(whole) = restored(&repair.swap, line) {
                repair.swap = whole;
            } else {
                left.push((repair.group.clone(), "a secret in its line cannot be put back from HEAD".to_owned()));
            }
        }
        repairs.retain(|repair| left.iter().all(|(group, _)| *group != repair.group));
        Ok(left)
    }

    /// Takes out of `repairs` what gate two does not let pass, one after the other on HEAD's own text, and says which groups
    /// that were and why: a run that came from another machine is believed nothing. Those whose line is not there go for the
    /// reason `absent`; without one that is left to what the repairs are taken out for.
    ///
    /// # Errors
    /// Git cannot be started.
    pub async fn lawful(
        &self,
        repairs: &mut Vec<Repair>,
        absent: Option<&str>,
    ) -> Result<Vec<(String, String)>, Error> {
        let mut unlawful = Vec::new();
        // Without the group that goes, the text is another one for those behind it.
        while let Some((group, why)) = self.first_unlawful(repairs, absent).await? {
            repairs.retain(|repair| repair.group != group);
            unlawful.push((group, why));
        }
        Ok(unlawful)
    }

    async fn first_unlawful(
        &self,
        repairs: &[Repair],
        absent: Option<&str>,
    ) -> Result<Option<(String, String)>, Error> {
        let mut files: BTreeMap<&str, Option<Vec<u8>>> = BTreeMap::new();
        for repair in repairs {
            let path = repair.swap.path.as_str();
            if !files.contains_key(path) {
                files.insert(path, self.file(path).await?);
            }
            let text = files.get_mut(path).and_then(Option::as_mut);
            let Some((text, after)) = text.and_then(|text| swapped(text, &repair.swap).map(|after| (text, after)))
            else {
                match absent {
                    Some(why) => return Ok(Some((repair.group.clone(), why.to_owned()))),
                    None => continue,
                }
            };
            if let Err(violation) = gate::check(path, text, &after) {
                return Ok(Some((repair.group.clone(), violation.sentence())));
            }
            *text = after;
        }
        Ok(None)
    }
}
