//! Makes the document out of what triage found: cuts and cleans every foreign text on the way.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Document, Evidence, FirstBad, Group, Link, Locator, Member, PictureName, Place, Request, SCHEMA_VERSION, Tool,
    Totals,
};
use crate::adapters::secrets::{learn_archive, shows_secret};
use crate::domain::failure::plain;
use crate::domain::identity::Successor;
use crate::domain::redact::Redactor;
use crate::domain::triage::{self, Kind, advice};
use crate::triage::Triage;
use crate::triage::look::Looked;

/// Longest line of foreign text, in characters.
const LINE: usize = 500;

/// Longest message, in characters.
const MESSAGE: usize = 4_000;

/// How many tests of a group are listed.
const MEMBERS: usize = 100;

/// What is said of pictures that are left out.
const LEFT_OUT: &str = "pictures of pages that show a secret are left out";

/// Cleans foreign texts: colours away, secrets out, cut.
#[derive(Debug, Default)]
pub struct Clean {
    redactor: Redactor,
    redactions: u64,
    pictures_left_out: u64,
}

impl Clean {
    /// Takes out what `redactor` knows to be secret, and query strings.
    pub fn new(redactor: Redactor) -> Self {
        Self { redactor: redactor.with_queries(), redactions: 0, pictures_left_out: 0 }
    }

    /// What it knows to be secret.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// What it knows to be secret, to learn more.
    pub fn redactor_mut(&mut self) -> &mut Redactor {
        &mut self.redactor
    }

    /// How many secrets were taken out so far.
    pub fn redactions(&self) -> u64 {
        self.redactions + self.pictures_left_out
    }

    /// Counts a picture that is left out because it would show a secret.
    pub fn leave_out_picture(&mut self) {
        self.pictures_left_out += 1;
    }

    /// `text`, at most `longest` characters of it.
    fn cut(&mut self, text: &str, longest: usize) -> String {
        let redacted = self.redactor.redact(&plain(text));
        self.redactions += redacted.count as u64;
        redacted.text.chars().take(longest).collect()
    }

    /// A line.
    pub fn line(&mut self, text: &str) -> String {
        self.cut(text, LINE)
    }

    /// Lines of the project's own sources, in which ids are no secrets.
    pub fn source(&mut self, text: &str) -> String {
        let redacted = self.redactor.clone().keeping_ids().redact(text);
        self.redactions += redacted.count as u64;
        redacted.text
    }

    /// A JSON document, whole.
    pub fn json(&mut self, mut value: serde_json::Value) -> String {
        self.redactions += self.redactor.redact_json(&mut value) as u64;
        value.to_string()
    }

    /// A text of several lines.
    pub fn message(&mut self, text: &str) -> String {
        self.cut(text, MESSAGE)
    }
}

/// The document of `triage`; `looked` has what was seen of each group by its id, `root` is the project's root.
pub fn build(triage: &Triage, looked: &BTreeMap<String, Looked>, root: Option<&str>, clean: &mut Clean) -> Document {
    let nothing = Looked::default();
    looked.values().flat_map(|looked| &looked.trace).for_each(|trace| learn_archive(trace, clean.redactor_mut()));
    let groups = triage.groups.iter().map(|group| {
        let looked = looked.get(&group.id).unwrap_or(&nothing);
        Builder { triage, group, looked, root }.group(clean)
    });
    let groups = groups.collect();
    let failed_ones = || triage.failures.iter().filter(|failure| !failure.flaky && failure.test.is_some());
    let failed_tests = failed_ones().filter_map(|failure| failure.test.as_ref()).collect::<BTreeSet<_>>().len();
    let failed_projects: BTreeSet<&String> =
        failed_ones().map(|failure| &failure.project).filter(|name| !name.is_empty()).collect();
    let failed_projects = failed_projects.into_iter().map(|name| clean.line(name)).collect();
    let triage::Totals { tests, passed, failed, flaky, skipped, not_run } = triage.totals;
    let mut document = Document {
        schema_version: SCHEMA_VERSION.to_owned(),
        tool: Tool { name: env!("CARGO_PKG_NAME").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        run: None,
        reports: triage.reports,
        playwright: triage.versions.iter().map(|version| clean.line(version)).collect(),
        totals: Totals { tests, passed, failed, flaky, skipped, not_run, failed_tests, failed_projects },
        groups,
        notes: Vec::new(),
        redactions: clean.redactions(),
    };
    document.note_left_out(clean);
    document
}

impl Document {
    /// Says that pictures are left out, where `clean` did that.
    pub fn note_left_out(&mut self, clean: &Clean) {
        if clean.pictures_left_out > 0 && !self.notes.iter().any(|note| note == LEFT_OUT) {
            self.notes.push(LEFT_OUT.to_owned());
        }
    }

    /// Notes what the repository says of the groups, by their id.
    pub fn since(&mut self, found: &BTreeMap<String, Successor>, clean: &mut Clean) {
        for group in &mut self.groups {
            group.first_bad = found.get(&group.id).map(|seen| FirstBad {
                range: if seen.commit.is_empty() { "HEAD..".to_owned() } else { format!("{0}^..{0}", seen.commit) },
                commit: seen.commit.clone(),
                date: seen.date.clone(),
                subject: clean.line(&seen.subject),
                file: clean.line(&seen.file),
                old: clean.line(&seen.old),
                new: clean.line(&seen.new),
            });
        }
        self.redactions = self.redactions.max(clean.redactions());
    }
}

struct Builder<'a> {
    triage: &'a Triage,
    group: &'a triage::Group,
    looked: &'a Looked,
    root: Option<&'a str>,
}

impl Builder<'_> {
    fn group(&self, clean: &mut Clean) -> Group {
        let group = self.group;
        let first = group.members.first().copied().unwrap_or(usize::MAX);
        let failure = self.triage.failures.get(first);
        let kept = self.triage.kept.get(first);
        let reading = failure.map(|failure| &failure.reading);
        let look_at = reading.map(|reading| advice::look_at(group, reading)).unwrap_or_default();
        Group {
            id: group.id.clone(),
            also: group.also.clone(),
            outcome: group.kind.word().to_owned(),
            category: reading.map(|reading| reading.category.as_str()).unwrap_or_default().to_owned(),
            signature: reading.map(|reading| reading.signature).unwrap_or_default().to_owned(),
            headline: clean.line(&advice::headline(group)),
            why: self.why(),
            look_at: look_at.iter().map(|text| clean.line(text)).collect(),
            tests: group.tests,
            files: group.files.iter().map(|file| clean.line(file)).collect(),
            projects: group.projects.iter().map(|name| clean.line(name)).collect(),
            members: group.members.iter().take(MEMBERS).filter_map(|&member| self.member(member, clean)).collect(),
            members_left_out: group.members.len().saturating_sub(MEMBERS),
            locator: reading.and_then(|reading| self.locator(reading.locator.as_deref()?, clean)),
            at: failure.and_then(|failure| Some(place(failure.site.as_ref()?, clean))),
            message: clean.message(&self.relative(kept.map(|kept| kept.message.as_str()).unwrap_or_default())),
            evidence: self.evidence(clean),
            milliseconds: self.milliseconds(),
            first_bad: None,
            repair: None,
        }
    }

    /// A text with the places of the project's files in it relative to its root, here and where the report was made.
    fn relative(&self, text: &str) -> String {
        let roots = self.root.into_iter().chain(self.triage.roots.iter().map(String::as_str));
        let roots = roots.filter(|root| root.len() > 1);
        roots.fold(text.to_owned(), |text, root| text.replace(&format!("{}/", root.trim_end_matches('/')), ""))
    }

    fn why(&self) -> String {
        let failures = || self.group.members.iter().filter_map(|&member| self.triage.failures.get(member));
        let why = failures().next().map(|failure| failure.reading.why).unwrap_or_default();
        match self.group.kind {
            Kind::Flaky => format!("a retry passed; before, {why}"),
            Kind::Blocked | Kind::Candidate | Kind::Escalated => why.to_owned(),
        }
    }

    fn member(&self, member: usize, clean: &mut Clean) -> Option<Member> {
        let failure = self.triage.failures.get(member)?;
        let test = failure.test.as_ref()?;
        Some(Member {
            file: clean.line(&test.file),
            line: test.line,
            titles: test.titles.iter().map(|title| clean.line(title)).collect(),
            project: clean.line(&failure.project),
            attempts: self.triage.kept.get(member).map_or(0, |kept| kept.attempts),
        })
    }

    fn locator(&self, text: &str, clean: &mut Clean) -> Option<Locator> {
        let looked = self.looked;
        let links: Vec<Link> =
            looked.links.iter().map(|(link, count)| Link { link: clean.line(link), count: *count }).collect();
        let broken = links.iter().find(|link| link.count == Some(0)).map(|link| link.link.clone());
        (!text.is_empty()).then(|| Locator {
            text: clean.line(text),
            broken,
            links,
            definition: looked.definition.as_ref().map(|found| place(&found.site, clean)),
            shape: looked.shape.clone(),
        })
    }

    fn evidence(&self, clean: &mut Clean) -> Evidence {
        let looked = self.looked;
        let requests = looked.requests.iter().map(|(method, url, ended)| Request {
            method: clean.line(method),
            url: clean.line(url),
            ended: clean.line(ended),
        });
        let requests = requests.collect();
        let trace = looked.trace.as_ref().map(|path| {
            let relative = self.root.and_then(|root| path.strip_prefix(root).ok());
            relative.map_or_else(|| path.file_name().unwrap_or_default().to_owned(), ToString::to_string)
        });
        Evidence {
            url: looked.url.as_ref().map(|url| clean.line(url)),
            console: looked.console.iter().map(|text| clean.line(text)).collect(),
            requests,
            trace,
            picture: looked.picture.as_ref().filter(|_| !self.shows_secret(clean)).map(|picture| {
                let end = if picture.media_type == "image/png" { "png" } else { "jpeg" };
                PictureName { name: format!("{}-before.{end}", self.group.id), element: None }
            }),
        }
    }

    /// Whether a picture of the page would show a secret; it is left out then, and counted.
    fn shows_secret(&self, clean: &mut Clean) -> bool {
        let shown = self.looked.trace.as_ref().is_some_and(|trace| shows_secret(trace, clean.redactor()));
        if shown {
            clean.leave_out_picture();
        }
        shown
    }

    fn milliseconds(&self) -> u64 {
        self.group.members.iter().filter_map(|&member| self.triage.kept.get(member)).map(|kept| kept.milliseconds).sum()
    }
}

fn place(site: &triage::Site, clean: &mut Clean) -> Place {
    Place { file: clean.line(&site.file), line: site.line, column: site.column }
}
