//! `--suggest`: the repairs as suggestions in one review of an open pull request. Flags and wiring only.

use super::{HandoverArgs, repair_of};
use crate::adapters::forge::Forge;
use crate::adapters::git::checkout::Checkout;
use crate::adapters::git::head::Head;
use crate::domain::handover::suggest::{Offer, review};
use crate::domain::handover::{PullRequest, Repair, State};
use crate::error::Error;
use crate::report::suite::{self, Document, Group};
use crate::ui::{Ui, printable};

/// The variable in which GitHub Actions says what a run is about: `refs/pull/12/merge`.
const REFERENCE: &str = "GITHUB_REF";

/// A review that is made ready.
pub(in crate::cli) struct Suggestions<'h> {
    forge: Forge,
    number: u64,
    head: Head<'h>,
}

impl<'h> Suggestions<'h> {
    /// Finds the forge and the pull request.
    pub(super) async fn prepare(args: &HandoverArgs, head: Head<'h>) -> Result<Self, Error> {
        let forge = args.forge(head.checkout()).await?;
        forge.takes_reviews()?;
        let event = || number_in(&std::env::var(REFERENCE).ok()?);
        let number = match args.pull_request.or_else(event) {
            Some(number) => number,
            None => of_branch(&forge, head.checkout()).await?,
        };
        Ok(Self { forge, number, head })
    }

    /// Reviews the pull request with what it is not reviewed with yet.
    pub(super) async fn finish(&self, document: &mut Document, ui: &Ui) -> Result<(), Error> {
        let offers = self.lawful(document.groups.iter().flat_map(offers).collect(), document, ui).await?;
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

    /// The `offers` with their paths from the top of the repository, without those that are called proven and that gate two
    /// does not let pass in HEAD; these are noted. What is offered stays without its secrets.
    async fn lawful(&self, mut offers: Vec<Offer>, document: &mut Document, ui: &Ui) -> Result<Vec<Offer>, Error> {
        let mut whole: Vec<Repair> =
            offers.iter().filter(|offer| offer.proven).map(|offer| offer.repair.clone()).collect();
        let mut left = self.head.restore(&mut whole).await?;
        left.extend(self.head.lawful(&mut whole, Some("its line is not in HEAD")).await?);
        for (group, why) in &left {
            let said = format!("{group} is not suggested: {why}");
            ui.warn(&printable(&said));
            document.notes.push(said);
        }
        offers.retain(|offer| left.iter().all(|(group, _)| *group != offer.repair.group));
        for offer in &mut offers {
            offer.repair.swap.path.insert_str(0, self.head.prefix());
        }
        Ok(offers)
    }
}

/// What of a group is offered: what was made, and what is proposed.
fn offers(group: &Group) -> Vec<Offer> {
    let all = group.repair.iter().flat_map(suite::Repair::chain);
    let offered = all.filter(|repair| group.is_applied(repair) || group.outcome == "proposed");
    let offer = |kept| Some(Offer { repair: repair_of(group, kept)?, proven: group.is_applied(kept) });
    offered.filter_map(offer).collect()
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
