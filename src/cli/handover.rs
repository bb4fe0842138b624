//! `--branch`, `--open-pr` and `--suggest` of `relocator heal`: what was healed goes onto a branch, and into one pull
//! request, or into the review of one. Flags and wiring only.

mod suggest;

use camino::Utf8Path;
use clap::Args as ClapArgs;
use secrecy::SecretString;

use self::suggest::Suggestions;
use crate::adapters::forge::{Draft, Forge, Kind, Repository};
use crate::adapters::git::branch::{Branch, Handed};
use crate::adapters::git::checkout::Checkout;
use crate::adapters::git::head::Head;
use crate::adapters::process::Cancel;
use crate::adapters::workspace::{Returned, Writer};
use crate::domain::handover::{Next, Remote, Repair, Swap, marked, next};
use crate::error::Error;
use crate::report::markdown;
use crate::report::suite::{self, Document, Group};
use crate::ui::{Ui, printable};

/// Where the repairs of a suite go.
#[derive(Debug, Clone, ClapArgs)]
pub(super) struct HandoverArgs {
    /// Commit each repair to this branch, made from HEAD; the work tree stays as it was
    #[arg(long, value_name = "NAME", help_heading = "Hand over")]
    branch: Option<String>,
    /// Push the branch, and open or update its one pull request
    #[arg(long, requires = "branch", help_heading = "Hand over")]
    open_pr: bool,
    /// Review an open pull request with suggestions, instead of commits; the work tree stays as it was
    #[arg(long, conflicts_with_all = ["branch", "open_pr"], help_heading = "Hand over")]
    suggest: bool,
    /// The pull request that is reviewed [default: that of GitHub Actions' event, or of the current branch]
    #[arg(long, value_name = "NUMBER", env = "RELOCATOR_PULL_REQUEST", help_heading = "Hand over")]
    pull_request: Option<u64>,
    /// The remote that the branch is pushed to, and that says which forge it is
    #[arg(long, value_name = "NAME", default_value = "origin", help_heading = "Hand over")]
    remote: String,
    /// The branch that the pull request is for [default: the remote's default branch, or the current one]
    #[arg(long, value_name = "BRANCH", requires = "open_pr", help_heading = "Hand over")]
    base: Option<String>,
    /// What speaks at the remote [default: by the remote's host]
    #[arg(long, value_enum, env = "RELOCATOR_FORGE", help_heading = "Hand over")]
    forge: Option<Kind>,
    /// Address of the forge's API [default: by the remote's host]
    #[arg(long, value_name = "URL", env = "RELOCATOR_FORGE_URL", help_heading = "Hand over")]
    forge_url: Option<String>,
    /// The repository on the forge [default: by the remote's address]
    #[arg(long, value_name = "OWNER/NAME", env = "RELOCATOR_REPOSITORY", help_heading = "Hand over")]
    repository: Option<String>,
}

/// A hand-over that is made ready: all that could be missing is there.
pub(super) enum Handover<'h> {
    /// Commits on a branch, and perhaps a pull request.
    Branch(Commits<'h>),
    /// A review of a pull request.
    Review(Suggestions<'h>),
}

/// Commits on a branch, and the pull request for them: the forge and the branch it is for.
pub(super) struct Commits<'h> {
    args: &'h HandoverArgs,
    branch: Branch<'h>,
    request: Option<(Forge, String)>,
}

impl HandoverArgs {
    /// What was asked for that nothing was healed for.
    pub(super) fn stray(&self) -> Option<&'static str> {
        let given = [(self.branch.is_some(), "--branch"), (self.open_pr, "--open-pr"), (self.suggest, "--suggest")];
        given.into_iter().find_map(|(given, name)| given.then_some(name))
    }

    /// Makes ready; `None` where the repairs stay in the work tree.
    pub(super) async fn prepare<'h>(
        &'h self,
        root: &'h Utf8Path,
        cancel: &'h Cancel,
    ) -> Result<Option<Handover<'h>>, Error> {
        if self.suggest {
            let head = Head::of(root, cancel).await?;
            return Suggestions::prepare(self, head).await.map(|ready| Some(Handover::Review(ready)));
        }
        let Some(name) = &self.branch else { return Ok(None) };
        let branch = Branch::prepare(root, name, cancel).await?;
        let request = if self.open_pr { Some(self.request(branch.head().checkout()).await?) } else { None };
        Ok(Some(Handover::Branch(Commits { args: self, branch, request })))
    }

    async fn request(&self, checkout: &Checkout<'_>) -> Result<(Forge, String), Error> {
        let forge = self.forge(checkout).await?;
        let base = match (&self.base, checkout.default_of(&self.remote).await?) {
            (Some(base), _) => base.clone(),
            (None, Some(base)) => base,
            (None, None) => checkout.current().await?.ok_or_else(|| {
                Error::usage("which branch the pull request is for is not known").hinted("say which: --base BRANCH")
            })?,
        };
        Ok((forge, base))
    }

    async fn forge(&self, checkout: &Checkout<'_>) -> Result<Forge, Error> {
        let address = match (&self.repository, checkout.address_of(&self.remote).await) {
            // A checkout without a remote will do where both are said.
            (Some(_), Err(_)) => None,
            (_, address) => Remote::parse(&address?),
        };
        let remote = match (&self.repository, address) {
            (Some(path), address) => {
                Remote { host: address.map(|remote| remote.host).unwrap_or_default(), path: path.clone() }
            }
            (None, Some(remote)) => remote,
            (None, None) => {
                return Err(Error::usage(format!("the address of `{}` names no repository on a forge", self.remote))
                    .hinted("say which: --repository OWNER/NAME, and --forge-url URL"));
            }
        };
        let kind = self.forge.or_else(|| Kind::of(&remote.host)).ok_or_else(|| {
            Error::usage(format!("which forge is at `{}` is not known", remote.host))
                .hinted("say which: --forge github|gitlab")
        })?;
        let token =
            kind.token_variables().iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
        let token = token.ok_or_else(|| {
            Error::usage("there is no token for the forge")
                .hinted(format!("set {}", kind.token_variables().join(" or ")))
        })?;
        Forge::open(&Repository { kind, api: self.forge_url.clone(), remote }, &SecretString::from(token))
    }
}

impl Handover<'_> {
    /// Hands over what `document` has healed, and puts the work tree back as it was before `runs`.
    pub(super) async fn finish(
        &self,
        document: &mut Document,
        writer: &Writer,
        runs: &[&str],
        ui: &Ui,
    ) -> Result<(), Error> {
        match self {
            Self::Branch(commits) => commits.finish(document, writer, runs, ui).await,
            Self::Review(suggestions) => {
                take_back(document, writer, runs, ui)?;
                suggestions.finish(document, ui).await
            }
        }
    }
}

/// Puts the work tree back as it was before `runs`: their repairs live on elsewhere.
fn take_back(document: &mut Document, writer: &Writer, runs: &[&str], ui: &Ui) -> Result<(), Error> {
    for run in runs.iter().rev() {
        for back in writer.take_back(run)? {
            if let Returned::LeftAlone { reason, aside } = &back.returned {
                let said = format!("{} was not put back: {reason}; its old content is kept in {aside}", back.path);
                ui.warn(&printable(&said));
                document.notes.push(said);
            }
        }
    }
    Ok(())
}

impl Commits<'_> {
    /// Commits what `document` has healed, puts the work tree back as it was before `runs`, and asks the forge.
    async fn finish(&self, document: &mut Document, writer: &Writer, runs: &[&str], ui: &Ui) -> Result<(), Error> {
        let applied =
            document.groups.iter().flat_map(|group| group.applied().filter_map(|kept| repair_of(group, kept)));
        let mut repairs: Vec<Repair> = applied.collect();
        let mut left = self.branch.head().restore(&mut repairs).await?;
        left.extend(self.branch.head().lawful(&mut repairs, None).await?);
        let remote = self.args.open_pr.then_some(self.args.remote.as_str());
        let mut handed = self.branch.commit(&repairs, remote).await?;
        handed.left.extend(left);
        for (group, why) in &handed.left {
            if let Some(group) = document.groups.iter_mut().find(|one| one.id == *group) {
                group.withdraw("not_committed", format!("proven, but not committed: {why}"));
            }
        }
        take_back(document, writer, runs, ui)?;
        self.note(document, &handed);
        let repairs: Vec<&Repair> = repairs.iter().filter(|repair| handed.committed.contains(&repair.group)).collect();
        self.ask_forge(document, &repairs, ui).await
    }

    fn note(&self, document: &mut Document, handed: &Handed) {
        let name = self.args.branch.as_deref().unwrap_or_default();
        document.notes.push(match &handed.tip {
            Some(tip) => {
                let short = tip.get(..12).unwrap_or(tip);
                format!("branch {name} at {short}: {} repairs, a commit each", handed.committed.len())
            }
            None => format!("no branch {name}: nothing was healed that could be committed"),
        });
    }

    async fn ask_forge(&self, document: &mut Document, repairs: &[&Repair], ui: &Ui) -> Result<(), Error> {
        let Some((forge, base)) = &self.request else { return Ok(()) };
        let name = self.args.branch.as_deref().unwrap_or_default();
        let ids: Vec<String> = repairs.iter().map(|repair| repair.id()).collect();
        let plural = if ids.len() == 1 { "locator" } else { "locators" };
        let title = format!("test: {} stale {plural} repaired", ids.len());
        let body = marked(&markdown::markdown(document), &ids);
        let draft = Draft { head: name, base, title: &title, body: &body };
        let said = match next(&forge.requests(name).await?, &ids) {
            Next::Leave(why) => format!("no pull request: {why}"),
            Next::Update { number, url } => {
                self.branch.push(&self.args.remote).await?;
                forge.update(number, &draft).await?;
                format!("pull request updated: {url}")
            }
            Next::Open => {
                self.branch.push(&self.args.remote).await?;
                format!("pull request opened: {}", forge.open_request(&draft).await?)
            }
        };
        ui.progress(&printable(&said));
        document.notes.push(said);
        Ok(())
    }
}

/// One repair of `group` as it is handed over; `None` for one that changes no line.
fn repair_of(group: &Group, kept: &suite::Repair) -> Option<Repair> {
    let proofs = kept.proofs.iter().map(|proof| format!("{}: {} ({})", proof.name, proof.result, proof.seen));
    Some(Repair {
        group: group.id.clone(),
        swap: Swap {
            path: kept.file.clone()?,
            line: kept.line?,
            before: kept.before.clone()?,
            after: kept.after.clone()?,
        },
        extent: group.extent(),
        reason: kept.sentence.clone(),
        proofs: proofs.collect(),
    })
}
