//! Repairs as commits on a branch made from HEAD, one for each root cause, and the push of that branch.
//!
//! Works on git's object store, an index of its own and one reference: the work tree, the index and every other branch stay
//! as they are. Never the default or the current branch, never a forced push, and never a hook of the repository but those
//! of a push.

use camino::{Utf8Path, Utf8PathBuf};

use super::head::Head;
use crate::adapters::process::{Cancel, Exit};
use crate::domain::handover::{Repair, TRAILER, swapped};
use crate::error::Error;

/// Branches that many projects have for a default one, where the repository does not say which it is.
const DEFAULTS: [&str; 4] = ["main", "master", "trunk", "develop"];

/// A branch of repairs in the repository around a project.
pub struct Branch<'b> {
    name: &'b str,
    head: Head<'b>,
    index: tempfile::TempDir,
}

/// What became of the repairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handed {
    /// The commit that the branch points to; `None` where no repair could be committed.
    pub tip: Option<String>,
    /// The groups whose repair is a commit of the branch.
    pub committed: Vec<String>,
    /// The groups whose repair is not, with the reason.
    pub left: Vec<(String, String)>,
}

impl<'b> Branch<'b> {
    /// Makes ready for the branch `name` in the repository around `root`; nothing is changed yet.
    ///
    /// # Errors
    /// No repository, no commit, no author, a name that is not allowed or that somebody else's commits have.
    pub async fn prepare(root: &'b Utf8Path, name: &'b str, cancel: &'b Cancel) -> Result<Self, Error> {
        let head = Head::of(root, cancel).await?;
        let git = head.checkout();
        // The answer differs from the question where the name means another branch, as `@{-1}` does.
        if git.ask(&["check-ref-format", "--branch", name]).await?.as_deref() != Some(name) {
            return Err(Error::usage(format!("`{name}` cannot be the name of a branch")));
        }
        for who in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
            git.ask(&["var", who]).await?.ok_or_else(|| {
                Error::usage("git knows no author for the commits")
                    .hinted("set one: git config user.name NAME && git config user.email ADDRESS")
            })?;
        }
        let index = tempfile::tempdir().map_err(|error| Error::blocked("no temporary folder").caused_by(&error))?;
        let branch = Self { name, head, index };
        branch.may_be_written().await?;
        Ok(branch)
    }

    /// The commit it is made from.
    pub fn head(&self) -> &Head<'b> {
        &self.head
    }

    async fn may_be_written(&self) -> Result<(), Error> {
        let name = self.name;
        let no = |why: &str| Err(Error::usage(format!("the branch `{name}` is not written: {why}")));
        // git would make `refs/heads/refs/heads/main` of it, which reads as the branch that it is not.
        if name == "@" || name.starts_with("refs/") || name.starts_with("heads/") {
            return no("it reads as another one");
        }
        let configured = self.head.git.ask(&["config", "--get", "init.defaultBranch"]).await?;
        let listed = self.head.git.ask(&["for-each-ref", "--format=%(symref:short)", "refs/remotes/*/HEAD"]).await?;
        let listed = listed.unwrap_or_default();
        let remote = |default: &str| default.split_once('/').is_some_and(|(_, short)| short == name);
        if DEFAULTS.iter().any(|default| default.eq_ignore_ascii_case(name))
            || configured.as_deref() == Some(name)
            || listed.lines().any(remote)
        {
            return no("it is a default branch");
        }
        let trees = self.head.git.ask(&["worktree", "list", "--porcelain"]).await?.unwrap_or_default();
        let checked_out = format!("branch refs/heads/{name}");
        if self.head.git.current().await?.as_deref() == Some(name) || trees.lines().any(|line| line == checked_out) {
            return no("it is checked out");
        }
        Ok(())
    }

    /// Commits the repairs, one after the other, and points the branch to the last. A repair in a file that is not as HEAD
    /// and the repairs before make it (somebody's own changes are in it) is left out.
    ///
    /// `remote` is where the branch may already be: what relocator pushed there before is built upon.
    ///
    /// # Errors
    /// Git fails, or the branch has commits of somebody else.
    pub async fn commit(&self, repairs: &[Repair], remote: Option<&str>) -> Result<Handed, Error> {
        let mut handed = Handed { tip: None, committed: Vec::new(), left: Vec::new() };
        let dirty = self.dirty(repairs).await?;
        let clean: Vec<&Repair> = repairs.iter().filter(|repair| !dirty.contains(&repair.swap.path)).collect();
        let changed = "its file has changes that are not committed";
        handed.left.extend(
            repairs
                .iter()
                .filter(|repair| dirty.contains(&repair.swap.path))
                .map(|repair| (repair.group.clone(), changed.to_owned())),
        );
        let before = self.before(remote).await?;
        let Some(mut parents) = self.parents(&clean, &before).await? else {
            handed.tip = before.first().cloned();
            handed.committed = clean.iter().map(|repair| repair.group.clone()).collect();
            self.point(handed.tip.as_deref()).await?;
            return Ok(handed);
        };
        self.must(&["read-tree", &self.head.commit]).await?;
        for repair in clean {
            match self.tree_with(repair).await? {
                Some(tree) => {
                    let tip = self.commit_tree(&tree, &parents, &repair.commit_message()).await?;
                    parents = vec![tip.clone()];
                    handed.tip = Some(tip);
                    handed.committed.push(repair.group.clone());
                }
                None => handed.left.push((repair.group.clone(), "another repair changed the same line".to_owned())),
            }
        }
        self.point(handed.tip.as_deref()).await?;
        Ok(handed)
    }

    /// Pushes the branch, with the user's own credentials and never by force.
    ///
    /// # Errors
    /// The remote does not take it.
    pub async fn push(&self, remote: &str) -> Result<(), Error> {
        let spec = format!("refs/heads/{0}:refs/heads/{0}", self.name);
        let finished = self.head.git.run(&["push", "--quiet", "--no-force", "--", remote, &spec], &[]).await?;
        if finished.exit == Exit::Success {
            return Ok(());
        }
        let said = finished.stderr.text();
        Err(Error::blocked(format!("the branch `{}` could not be pushed to `{remote}`", self.name))
            .hinted(said.lines().last().unwrap_or_default().to_owned()))
    }

    /// The files of `repairs` whose bytes are neither what HEAD and the repairs make nor, where the repairs were made on other
    /// machines, HEAD's own.
    async fn dirty(&self, repairs: &[Repair]) -> Result<Vec<String>, Error> {
        let mut paths: Vec<&str> = repairs.iter().map(|repair| repair.swap.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        let mut dirty = Vec::new();
        for path in paths {
            let head = self.head.file(path).await?;
            let of_file = repairs.iter().filter(|repair| repair.swap.path == path);
            let made = of_file.fold(head.clone(), |bytes, repair| swapped(&bytes?, &repair.swap));
            let there = std::fs::read(self.head.git.root.join(path)).ok();
            if made.is_none() || (made != there && head != there) {
                dirty.push(path.to_owned());
            }
        }
        Ok(dirty)
    }

    /// The tips that the branch has already, here and at the remote.
    async fn before(&self, remote: Option<&str>) -> Result<Vec<String>, Error> {
        let mut tips = Vec::new();
        if let Some(remote) = remote {
            let spec = format!("+refs/heads/{0}:refs/remotes/{remote}/{0}", self.name);
            let there = self.head.git.ask(&["ls-remote", "--exit-code", "--heads", "--", remote, &self.full()]).await?;
            if there.is_some() {
                let fetched = self.head.git.ask(&["fetch", "--quiet", "--no-tags", "--", remote, &spec]).await?;
                fetched.ok_or_else(|| Error::blocked(format!("cannot fetch `{}` from `{remote}`", self.name)))?;
                tips.extend(self.tip_of(&format!("refs/remotes/{remote}/{}", self.name)).await?);
            }
        }
        tips.extend(self.tip_of(&self.full()).await?);
        tips.dedup();
        if !self.are_ours(&tips).await? {
            // In a shallow clone, as CI makes one, the project's own commits look like somebody else's.
            let shallow =
                self.head.git.ask(&["rev-parse", "--is-shallow-repository"]).await?.as_deref() == Some("true");
            let whole = match remote.filter(|_| shallow) {
                Some(remote) => {
                    self.head.git.ask(&["fetch", "--quiet", "--no-tags", "--unshallow", "--", remote]).await?
                }
                None => None,
            };
            if whole.is_none() || !self.are_ours(&tips).await? {
                return Err(Error::usage(format!("the branch `{}` has commits that are not relocator's", self.name))
                    .hinted("choose another name, or remove that branch"));
            }
        }
        Ok(tips)
    }

    /// Whether all commits behind `tips` are the project's or relocator's, as far as the clone knows.
    async fn are_ours(&self, tips: &[String]) -> Result<bool, Error> {
        for tip in tips {
            if !self.is_ours(tip).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn is_ours(&self, tip: &str) -> Result<bool, Error> {
        let format = format!("--format=%(trailers:key={TRAILER},valueonly,separator=%x2C)%x3B");
        let range = format!("{}..{tip}", self.head.commit);
        let base = self.head.git.ask(&["merge-base", &self.head.commit, tip]).await?;
        let log = self.head.git.ask(&["log", "--no-merges", &format, &range, "--"]).await?.unwrap_or_default();
        Ok(base.is_some() && log.lines().all(|line| line != ";"))
    }

    /// What the first commit stands upon: HEAD, and what the branch has already. `None` where the branch already is HEAD
    /// with these very repairs.
    async fn parents(&self, repairs: &[&Repair], before: &[String]) -> Result<Option<Vec<String>>, Error> {
        let mut parents = vec![self.head.commit.clone()];
        for tip in before {
            if self.head.git.ask(&["merge-base", "--is-ancestor", tip, &self.head.commit]).await?.is_none() {
                parents.push(tip.clone());
            }
        }
        let [tip] = before else { return Ok(Some(parents)) };
        let is_upon_head = self.head.git.ask(&["merge-base", "--is-ancestor", &self.head.commit, tip]).await?.is_some();
        let format = format!("--format=%(trailers:key={TRAILER},valueonly,separator=%x20)");
        let range = format!("{}..{tip}", self.head.commit);
        let log = self.head.git.ask(&["log", "--first-parent", &format, &range, "--"]).await?.unwrap_or_default();
        let mut has: Vec<&str> = log.split_whitespace().collect();
        let ids: Vec<String> = repairs.iter().map(|repair| repair.id()).collect();
        let mut wants: Vec<&str> = ids.iter().map(String::as_str).collect();
        has.sort_unstable();
        wants.sort_unstable();
        Ok((!is_upon_head || has != wants).then_some(parents))
    }

    /// The tree of our own index with one more repair in it; `None` where its line is another one by now.
    async fn tree_with(&self, repair: &Repair) -> Result<Option<String>, Error> {
        let path = &repair.swap.path;
        let full = format!("{}{path}", self.head.prefix);
        let Some(listed) =
            self.own(&["ls-files", "--stage", "--full-name", "--", &format!(":(top,literal){full}")]).await?
        else {
            return Ok(None);
        };
        let (Some(mode), Some(blob)) = (listed.split(' ').next(), listed.split(' ').nth(1)) else { return Ok(None) };
        let Some(bytes) = self.blob(blob, &full).await? else { return Ok(None) };
        let Some(new) = swapped(&bytes, &repair.swap) else { return Ok(None) };
        let file = self.folder().join("file");
        std::fs::write(&file, new)
            .map_err(|error| Error::blocked(format!("cannot write `{file}`")).caused_by(&error))?;
        let blob = self.must(&["hash-object", "-w", &format!("--path={full}"), "--", file.as_str()]).await?;
        self.own(&["update-index", "--cacheinfo", &format!("{mode},{blob},{full}")]).await?;
        self.must(&["write-tree"]).await.map(Some)
    }

    async fn commit_tree(&self, tree: &str, parents: &[String], message: &str) -> Result<String, Error> {
        let file = self.folder().join("message");
        std::fs::write(&file, message)
            .map_err(|error| Error::blocked(format!("cannot write `{file}`")).caused_by(&error))?;
        let parents = parents.iter().flat_map(|parent| ["-p", parent.as_str()]);
        let all: Vec<&str> = ["commit-tree", tree].into_iter().chain(parents).chain(["-F", file.as_str()]).collect();
        self.must(&all).await
    }

    async fn point(&self, tip: Option<&str>) -> Result<(), Error> {
        let Some(tip) = tip else { return Ok(()) };
        let old = self.tip_of(&self.full()).await?.unwrap_or_else(|| "0".repeat(tip.len()));
        // With the old value: whoever else moved the branch meanwhile is not overwritten.
        self.must(&["update-ref", "-m", "relocator: repairs", &self.full(), tip, &old]).await.map(drop)
    }

    fn full(&self) -> String {
        format!("refs/heads/{}", self.name)
    }

    async fn tip_of(&self, reference: &str) -> Result<Option<String>, Error> {
        self.head.git.ask(&["rev-parse", "--verify", "--quiet", &format!("{reference}^{{commit}}")]).await
    }

    async fn blob(&self, blob: &str, path: &str) -> Result<Option<Vec<u8>>, Error> {
        self.head.git.bytes(&["cat-file", "--filters", &format!("--path={path}"), blob]).await
    }

    fn folder(&self) -> Utf8PathBuf {
        Utf8PathBuf::from(self.index.path().to_string_lossy().into_owned())
    }

    /// What git answers on our own index.
    async fn own(&self, arguments: &[&str]) -> Result<Option<String>, Error> {
        let index = self.folder().join("index");
        let finished = self.head.git.run(arguments, &[("GIT_INDEX_FILE", index.as_str())]).await?;
        Ok((finished.exit == Exit::Success).then(|| finished.stdout.text().trim_end().to_owned()))
    }

    async fn must(&self, arguments: &[&str]) -> Result<String, Error> {
        let index = self.folder().join("index");
        let finished = self.head.git.run(arguments, &[("GIT_INDEX_FILE", index.as_str())]).await?;
        if finished.exit == Exit::Success {
            return Ok(finished.stdout.text().trim_end().to_owned());
        }
        let said = finished.stderr.text();
        let command = arguments.first().copied().unwrap_or_default();
        Err(Error::blocked(format!("git {command} failed")).hinted(said.lines().last().unwrap_or_default().to_owned()))
    }
}
