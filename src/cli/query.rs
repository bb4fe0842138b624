//! `relocator query`: what locators match in the page of a trace.

use clap::{Args as ClapArgs, ValueEnum};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::adapters::playwright::trace::{Action, Trace, TraceError, When};
use crate::domain::dom::query::Answer;
use crate::domain::dom::visibility::Visibility;
use crate::domain::dom::{Dom, FrameId, NodeId, Page};
use crate::domain::locator::Locator;
use crate::domain::locator::parse::DEFAULT_TEST_ID_ATTRIBUTE;
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::ui::{Ui, printable};

/// Print what locators match in the page that a trace recorded
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// A trace.zip, an unpacked trace, or a blob report with one trace
    trace: camino::Utf8PathBuf,
    /// Locators in source, printed or internal form; with --jsonl they are read from stdin
    #[arg(value_name = "LOCATOR", required_unless_present = "jsonl", conflicts_with = "jsonl")]
    locators: Vec<String>,
    /// The action whose page is asked: its number in the trace, or `failing`
    #[arg(long, value_name = "N|failing", default_value = "failing", help_heading = "Page")]
    action: String,
    /// The moment of the action
    #[arg(long, value_enum, default_value_t = Moment::Last, help_heading = "Page")]
    when: Moment,
    /// The frame to look in: its guid, or a part of its address
    #[arg(long, help_heading = "Page")]
    frame: Option<String>,
    /// Name each element by the value of this attribute only
    #[arg(long, value_name = "ATTRIBUTE", help_heading = "Output")]
    by: Option<String>,
    /// Print one JSON document
    #[arg(long, conflicts_with = "jsonl", help_heading = "Output")]
    json: bool,
    /// Read JSON lines {"id", "locator"} from stdin and answer each with a JSON line {"id", "count", "elements"}
    #[arg(long, help_heading = "Output")]
    jsonl: bool,
}

/// A moment of an action that a snapshot was taken at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Moment {
    Before,
    Input,
    After,
    /// The last one recorded
    Last,
}

/// Version of the JSON documents that this command prints.
const SCHEMA_VERSION: &str = "1.0";
/// How much of an element's text is printed, in characters.
const TEXT_LENGTH: usize = 200;

#[derive(Deserialize)]
struct Question {
    #[serde(default)]
    id: Value,
    locator: String,
}

#[derive(Serialize)]
struct Document {
    schema_version: &'static str,
    results: Vec<Value>,
}

#[derive(Serialize)]
struct ElementDto<'a> {
    tag: &'a str,
    attributes: Map<String, Value>,
    role: Option<&'a str>,
    name: &'a str,
    hidden: bool,
    visibility: &'static str,
    text: String,
}

pub(super) fn run(args: &Args, ui: &Ui) -> Result<ExitCode, Error> {
    super::there([&args.trace])?;
    let trace = Trace::open(&args.trace).map_err(|error| unreadable(args, &error))?;
    let action = action(&trace, &args.action)?;
    let when = match args.when {
        Moment::Before => When::Before,
        Moment::Input => When::Input,
        Moment::After => When::After,
        Moment::Last => When::Last,
    };
    let dom = trace.dom(action, when).map_err(|error| unreadable(args, &error))?;
    let page = Page::new(&dom);
    let asker = Asker {
        page: &page,
        frame: frame(&dom, args.frame.as_deref())?,
        test_id_attribute: trace.info.test_id_attribute.as_deref().unwrap_or(DEFAULT_TEST_ID_ATTRIBUTE),
        by: args.by.as_deref(),
    };
    if args.jsonl {
        let answer = |line: &[u8]| Some(asker.line(line).to_string());
        ui.filter_lines(answer).map_err(|error| Error::blocked("cannot read stdin").caused_by(&error))?;
        return Ok(ExitCode::Clean);
    }
    let answers: Vec<(&str, Answer)> = args.locators.iter().map(|text| (text.as_str(), asker.query(text))).collect();
    if args.json {
        let results = answers.iter().map(|(locator, answer)| asker.answer(&Value::from(*locator), answer)).collect();
        let document = Document { schema_version: SCHEMA_VERSION, results };
        let text =
            serde_json::to_string_pretty(&document).map_err(|error| Error::internal("no JSON").caused_by(&error))?;
        ui.answer(&text);
    } else {
        for (locator, answer) in &answers {
            ui.answer(&printable(&asker.text(locator, answer)));
        }
    }
    let unread = answers.iter().filter_map(|(locator, answer)| match answer {
        Answer::Invalid(reason) => Some(format!("`{locator}` is no locator: {reason}")),
        Answer::Nodes(_) | Answer::Unknown(_) => None,
    });
    let unread: Vec<String> = unread.collect();
    if unread.is_empty() { Ok(ExitCode::Clean) } else { Err(Error::usage(unread.join("; "))) }
}

fn unreadable(args: &Args, error: &TraceError) -> Error {
    Error::blocked(format!("cannot read the trace `{}`", args.trace)).caused_by(error)
}

/// The action that was asked for; where no action failed, the last one that was made on a page.
fn action<'t>(trace: &'t Trace, wanted: &str) -> Result<&'t Action, Error> {
    if wanted == "failing" {
        let last = || trace.actions.iter().rev().find(|action| !action.page_id.is_empty() && !action.is_step());
        return trace.failing_action().or_else(last).ok_or_else(|| Error::usage("the trace holds no action on a page"));
    }
    let number: usize = wanted.parse().map_err(|_| {
        Error::usage(format!("`{wanted}` is not the number of an action")).hinted("use a number or `failing`")
    })?;
    let count = trace.actions.len();
    trace.actions.get(number).ok_or_else(|| Error::usage(format!("the trace holds {count} actions, counted from 0")))
}

fn frame(dom: &Dom, wanted: Option<&str>) -> Result<FrameId, Error> {
    let main = dom.main_frame().ok_or_else(|| Error::blocked("the page is empty"))?;
    let Some(wanted) = wanted else { return Ok(main) };
    let exact = dom.frames().find(|(_, frame)| frame.guid == wanted);
    let found = exact.or_else(|| dom.frames().find(|(_, frame)| frame.url.contains(wanted)));
    found.map(|(id, _)| id).ok_or_else(|| Error::usage(format!("the page has no frame `{wanted}`")))
}

/// Answers questions about one frame of a page.
struct Asker<'a> {
    page: &'a Page<'a>,
    frame: FrameId,
    test_id_attribute: &'a str,
    by: Option<&'a str>,
}

impl Asker<'_> {
    fn query(&self, locator: &str) -> Answer {
        match Locator::from_printed(locator, self.test_id_attribute) {
            Ok(locator) => self.page.query(self.frame, &locator),
            Err(error) => Answer::Invalid(error.to_string()),
        }
    }

    fn line(&self, line: &[u8]) -> Value {
        match serde_json::from_slice::<Question>(line) {
            Ok(question) => self.answer(&question.id, &self.query(&question.locator)),
            Err(error) => serde_json::json!({ "id": null, "invalid": format!("not a question: {error}") }),
        }
    }

    fn answer(&self, id: &Value, answer: &Answer) -> Value {
        match answer {
            Answer::Nodes(nodes) => {
                let elements: Vec<Value> = nodes.iter().map(|node| self.element(*node)).collect();
                serde_json::json!({ "id": id, "count": nodes.len(), "elements": elements })
            }
            Answer::Unknown(reason) => serde_json::json!({ "id": id, "unknown": reason }),
            Answer::Invalid(reason) => serde_json::json!({ "id": id, "invalid": reason }),
        }
    }

    fn element(&self, node: NodeId) -> Value {
        let Some(element) = self.page.dom().element(node) else { return Value::Null };
        if let Some(attribute) = self.by {
            return element.attribute(attribute).into();
        }
        let attributes = element.attributes.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str())));
        let name = self.page.name(node);
        let dto = ElementDto {
            tag: &element.tag,
            attributes: attributes.collect(),
            role: self.page.role(node),
            name: &name,
            hidden: self.page.is_hidden_for_aria(node),
            visibility: match self.page.visibility(node) {
                Visibility::Visible => "visible",
                Visibility::Hidden => "hidden",
                Visibility::Unknown => "unknown",
            },
            text: self.page.text(node).chars().take(TEXT_LENGTH).collect(),
        };
        serde_json::to_value(dto).unwrap_or_default()
    }

    /// The answer for a person: the count, then one line for each element; of a chain that matches nothing, its links.
    fn text(&self, locator: &str, answer: &Answer) -> String {
        match answer {
            Answer::Unknown(reason) => format!("{locator}: unknown: {reason}"),
            Answer::Invalid(reason) => format!("{locator}: invalid: {reason}"),
            Answer::Nodes(nodes) => {
                let mut lines = vec![format!("{locator}: {}", nodes.len())];
                lines.extend(nodes.iter().map(|node| format!("  {}", self.tag(*node))));
                if nodes.is_empty()
                    && let Ok(locator) = Locator::from_printed(locator, self.test_id_attribute)
                {
                    for link in self.page.links(self.frame, &locator) {
                        let count = match link.answer {
                            Answer::Nodes(nodes) => nodes.len().to_string(),
                            Answer::Unknown(reason) => format!("unknown: {reason}"),
                            Answer::Invalid(reason) => format!("invalid: {reason}"),
                        };
                        lines.push(format!("  {} matches {count}", link.printed));
                    }
                }
                lines.join("\n")
            }
        }
    }

    fn tag(&self, node: NodeId) -> String {
        let Some(element) = self.page.dom().element(node) else { return String::new() };
        let mut tag = format!("<{}", element.tag);
        if let Some(attribute) = self.by {
            return element.attribute(attribute).unwrap_or_default().to_owned();
        }
        for (name, value) in &element.attributes {
            let value: String = value.chars().take(TEXT_LENGTH).collect();
            let shown = if value.is_empty() { String::new() } else { format!("=\"{value}\"") };
            tag.extend([" ", name, &shown]);
        }
        let (role, name) = (self.page.role(node).unwrap_or("none"), self.page.name(node));
        format!("{tag}>  {role} \"{name}\"")
    }
}
