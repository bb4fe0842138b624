//! The server: lists the tools, and gives each call its caller, its thread, its bound and its end.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use camino::Utf8PathBuf;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool as Listed,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::{RwLock, Semaphore};

use super::answer::{Code, Refused, cut};
use super::audit::{Audit, Ended, Ending};
use super::call::Call;
use super::confine::Root;
use super::paging::{Pages, Whose, refusal};
use super::progress::Progress;
use super::queue::Queue;
use super::tokens::Client;
use super::tools::{self, CURSOR, Entry};
use crate::adapters::process::{Cancel, Stop};
use crate::config::{Flags, ModelFlags};
use crate::error::Error;

/// What every client is told first.
const INSTRUCTIONS: &str = "relocator repairs stale locators in Playwright tests and refuses everything else. Start with \
    classify_failure on the failure text: only an eligible failure can be healed. Then heal_test proposes the one-line \
    repair (and, where the server may edit, makes and proves it); inspect_failure shows why. A refusal comes with a reason \
    and is the answer: report it, never edit around it. Paths are from the server's root; answers are bounded, the rest of a \
    list comes with next_cursor.";

/// How many calls may run or wait at once: each has a thread of its own.
const CALLS: usize = 64;

/// How a server is set up.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folder that is served; nothing outside of it is opened.
    pub root: Utf8PathBuf,
    /// Whether source files of the project may be changed.
    pub allow_edits: bool,
    /// Longest answer, in characters.
    pub limit: usize,
    /// Settings as on the command line.
    pub flags: Flags,
    /// Who proposes repairs.
    pub model: ModelFlags,
    /// What stops the server.
    pub cancel: Cancel,
    /// Where the calls of token holders are logged; `None` where the only caller is our own stdin.
    pub audit: Option<Utf8PathBuf>,
}

/// What all calls share.
pub(super) struct Shared {
    pub(super) root: Root,
    pub(super) allow_edits: bool,
    pub(super) flags: Flags,
    pub(super) model: ModelFlags,
    pub(super) queue: Queue,
    pub(super) audit: Option<Audit>,
    pub(super) cancel: Cancel,
    pages: Pages,
    tools: Vec<Entry>,
    /// Held for reading by every call that runs.
    running: Arc<RwLock<()>>,
    /// One for each call that may run or wait for its turn.
    slots: Arc<Semaphore>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("root", &self.root)
            .field("allow_edits", &self.allow_edits)
            .finish_non_exhaustive()
    }
}

/// The server; clones share everything.
#[derive(Debug, Clone)]
pub struct Server {
    shared: Arc<Shared>,
}

impl Server {
    /// A server set up as `options` say.
    ///
    /// # Errors
    /// The root cannot be opened.
    pub fn new(options: Options) -> Result<Self, Error> {
        let root = Root::open(&options.root).map_err(|error| {
            Error::usage(format!("cannot serve `{}`", options.root)).caused_by(&error).hinted("--root is a folder")
        })?;
        let shared = Shared {
            root,
            allow_edits: options.allow_edits,
            flags: options.flags,
            model: options.model,
            queue: Queue::default(),
            audit: options.audit.as_deref().map(Audit::in_folder),
            cancel: options.cancel,
            pages: Pages::new(options.limit),
            tools: tools::all(),
            running: Arc::default(),
            slots: Arc::new(Semaphore::new(CALLS)),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// What stops every call.
    pub(super) fn cancel(&self) -> &Cancel {
        &self.shared.cancel
    }

    /// Waits until no call runs any more.
    pub(super) async fn idle(&self) {
        drop(self.shared.running.write().await);
    }

    async fn answer(
        &self,
        entry: &Entry,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        let begun = Instant::now();
        let about = about(&arguments);
        let Some(client) = self.client(context) else {
            return result(Err(Refused::new(Code::NotPermitted, "the caller is not known")));
        };
        let whose = Whose { owner: &client.name, tool: entry.name };
        if let Some(cursor) = arguments.get(CURSOR) {
            return result(self.shared.pages.next(whose, cursor.as_str().unwrap_or_default()));
        }
        let (progress, forwarder) = Progress::to(context.peer.clone(), context.meta.get_progress_token());
        let call = Call {
            shared: Arc::clone(&self.shared),
            client: client.clone(),
            cancel: Cancel::default(),
            progress,
            ending: Arc::default(),
        };
        let watch = self.watch(&call, context);
        let ending = Arc::clone(&call.ending);
        let found = self.on_a_thread(entry.run, call, arguments).await;
        watch.abort();
        if let Some(forwarder) = forwarder {
            // It ends with the last message; nothing is told after the answer.
            drop(forwarder.await);
        }
        let noted = ending.lock().unwrap_or_else(PoisonError::into_inner).take();
        let noted = noted.or_else(|| found.as_ref().err().map(|refused| Ending::of("refused", &refused.code, "")));
        self.log(&client, entry.name, &about, noted.unwrap_or_default(), begun);
        result(found.map(|found| self.shared.pages.first(whose, found)))
    }

    /// Runs a tool on a thread where it may block, and keeps the server from ending before it has.
    async fn on_a_thread(
        &self,
        run: fn(&tokio::runtime::Handle, &Call, JsonObject) -> Result<super::answer::Found, Refused>,
        call: Call,
        arguments: JsonObject,
    ) -> Result<super::answer::Found, Refused> {
        let Ok(slot) = Arc::clone(&self.shared.slots).try_acquire_owned() else {
            let busy = Refused::new(Code::Busy, format!("{CALLS} calls run or wait already"));
            return Err(busy.hinted("wait for answers before asking for more"));
        };
        let running = Arc::clone(&self.shared.running).read_owned().await;
        let runtime = tokio::runtime::Handle::current();
        let work = move || {
            let done = std::panic::catch_unwind(AssertUnwindSafe(|| run(&runtime, &call, arguments)));
            // Everything that the call held is let go of by now.
            drop(call);
            drop((running, slot));
            done
        };
        match tokio::task::spawn_blocking(work).await {
            Ok(Ok(found)) => found,
            Ok(Err(_)) | Err(_) => Err(Refused::new(Code::Internal, "a defect of relocator ended this call")),
        }
    }

    /// Passes on to the call whatever says that it should stop.
    fn watch(&self, call: &Call, context: &RequestContext<RoleServer>) -> tokio::task::JoinHandle<()> {
        let (own, all) = (call.cancel.clone(), self.shared.cancel.clone());
        let (cancelled, gone) = (context.ct.clone(), super::http::gone(&context.extensions));
        tokio::spawn(async move {
            tokio::select! {
                () = cancelled.cancelled() => {}
                () = gone.reached(Stop::Gracefully) => {}
                () = all.reached(Stop::Gracefully) => {}
            }
            own.request();
            all.reached(Stop::AtOnce).await;
            own.request();
        })
    }

    /// Who calls: the holder of a token, or our own stdin.
    fn client(&self, context: &RequestContext<RoleServer>) -> Option<Client> {
        match &self.shared.audit {
            Some(_) => super::http::client(&context.extensions),
            None => Some(Client::local()),
        }
    }

    fn log(&self, client: &Client, tool: &str, about: &str, ending: Ending, begun: Instant) {
        let Some(audit) = &self.shared.audit else { return };
        let duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let ended = Ended { client: &client.name, tool, about, ending, duration_ms };
        if let Err(error) = audit.ended(&ended) {
            crate::ui::Ui::default().warn(&cut(&format!("cannot write the audit log: {error}"), 400));
        }
    }
}

/// What a call is about, for the log.
fn about(arguments: &JsonObject) -> String {
    let named = |name: &&str| arguments.get(*name).and_then(Value::as_str).map(str::to_owned);
    ["test", "trace", "file", "run"].iter().find_map(named).unwrap_or_default()
}

/// The result of a call: a refusal is an answer like any other, only a defect is an error.
fn result(answer: Result<Value, Refused>) -> CallToolResult {
    match answer {
        Ok(page) => CallToolResult::structured(page),
        Err(refused) if refused.is_defect() => CallToolResult::structured_error(refusal(&refused)),
        Err(refused) => CallToolResult::structured(refusal(&refused)),
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.shared.tools.iter().map(|entry| entry.listed.clone()).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Listed> {
        self.shared.tools.iter().find(|entry| entry.name == name).map(|entry| entry.listed.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(entry) = self.shared.tools.iter().find(|entry| entry.name == request.name) else {
            return Err(ErrorData::invalid_params(format!("there is no tool `{}`", cut(&request.name, 100)), None));
        };
        Ok(self.answer(entry, request.arguments.unwrap_or_default(), &context).await.into())
    }
}
