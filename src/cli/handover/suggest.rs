//! `--suggest`: the repairs as suggestions in one review of an open pull request. Flags and wiring only.

use super::{HandoverArgs, repair_of};
use crate::adapters::forge::Forge;
use crate::adapters::git::checkout::Checkout;
use crate::domain::handover::suggest::{Offer, review};
use crate::domain::handover::{PullRequest, State};
use crate::error::Error;
use crate::report::suite::{self, Document, Group};
use crate::ui::{Ui, printable};

/// The variable in which GitHub Actions says what a run is about: `refs/pull/12/merge`.
const REFERENCE: &str = "GITHUB_REF";

/// A review that is made ready.
pub(in crate::cli) struct Suggestions {
    forge: Forge,
    number: u64,
    /// The project's folder from the top of the repository.
    prefix: String,
}

impl Suggestions {
    /// Finds the forge and the pull request.
    pub(super) async fn prepare(args: &HandoverArgs, checkout: &Checkout<'_>) -> Result<Self, Error> {
        let forge = args.forge(checkout).await?;
        forge.takes_reviews()?;
        let prefix = checkout.prefix().await?;
        let event = || number_in(&std::env::var(REFERENCE).ok()?);
        let number = match args.pull_request.or_else(event) {
            Some(number) => number,
            None => of_branch(&forge, checkout).await?,
        };
        Ok(Self { forge, number, prefix })
    }

    /// Reviews the pull request with what it is not reviewed with yet.
    pub(super) async fn finish(&self, document: &mut Document, ui: &Ui) -> Result<(), Error> {
        let offers: Vec<Offer> = document.groups.iter().flat_map(|group| self.offers(group)).collect();
        let pull = self.forge.look(self.number).await?;
        let said = match review(&offers, &pull.shown, &pull.reviews) {
            None if offers.is_empty() => "no review: there is nothing to suggest".to_owned(),
            None => "no review: the pull request has these suggestions already".to_owned(),
            Some(review) => {
                let url = self.forge.review(self.number, &pull.head, &review).await?;
                format!(
                    "pull request reviewed: {} suggestions at its lines, {} in all: {url}",
                    review.comments.len(),
                    review.repairs.len()
                )
            }
        };
        ui.progress(&printable(&said));
        document.notes.push(said);
        Ok(())
    }

    fn offers(&self, group: &Group) -> Vec<Offer> {
        let all = group.repair.iter().flat_map(suite::Repair::chain);
        let offered = all.filter(|repair| group.is_applied(repair) || group.outcome == "proposed");
        let offer = |kept: &suite::Repair| {
            let mut repair = repair_of(group, kept)?;
            repair.swap.path.insert_str(0, &self.prefix);
            Some(Offer { repair, proven: group.is_applied(kept) })
        };
        offered.filter_map(offer).collect()
    }
}

/// The open pull request of the branch that is checked out.
async fn of_branch(forge: &Forge, checkout: &Checkout<'_>) -> Result<u64, Error> {
    let unknown =
        || Error::usage("which pull request is to be reviewed is not known").hinted("say which: --pull-request NUMBER");
    let branch = checkout.current().await?.ok_or_else(unknown)?;
    let open = |request: &&PullRequest| request.state == State::Open;
    forge.requests(&branch).await?.iter().find(open).map(|request| request.number).ok_or_else(unknown)
}

/// The number in `refs/pull/12/merge`.
fn number_in(reference: &str) -> Option<u64> {
    reference.strip_prefix("refs/pull/")?.split('/').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::number_in;

    #[test]
    fn the_event_of_a_pull_request_names_it() {
        assert_eq!(number_in("refs/pull/12/merge"), Some(12));
        assert_eq!(number_in("refs/heads/main"), None);
        assert_eq!(number_in("refs/pull/x/merge"), None);
    }
}
