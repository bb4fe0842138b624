//! What an event file says beside the calls: errors of the test, the console, failed requests, pictures.

use super::context::Reader;
use super::events;
use super::json::{Text, cap};
use super::model::{ConsoleError, FailedRequest, ScreencastFrame, TestFailure};

impl Reader<'_> {
    pub(super) fn failure(&mut self, event: events::TestError) {
        if self.context.failures.len() < self.limits.messages {
            let message = cap(plain(&event.message.0), self.limits.text_bytes);
            let stack = self.stack(event.stack);
            self.context.failures.push(TestFailure { message, stack });
        }
    }

    pub(super) fn picture(&mut self, event: events::Screencast) {
        if self.context.screencast.len() < self.limits.actions {
            let (page_id, time) = (self.text(event.page_id), event.timestamp.unwrap_or_default());
            self.context.screencast.push(ScreencastFrame { page_id, part: part(event.file, &event.sha1), time });
        }
    }

    pub(super) fn console(&mut self, event: events::Console) {
        if event.message_type.0 == "error" {
            let (text, page_id) = (self.text(event.text), self.text(event.page_id));
            self.console_error(ConsoleError { text, time: event.time.unwrap_or_default(), page_id, uncaught: false });
        }
    }

    fn console_error(&mut self, error: ConsoleError) {
        if self.context.console.len() < self.limits.messages {
            self.context.console.push(error);
        }
    }

    pub(super) fn happening(&mut self, event: &events::Happening<'_>) {
        let params = event.params.map_or("{}", |params| params.get());
        let time = event.time.unwrap_or_default();
        match event.method.0.as_str() {
            "pageError" => {
                let error: events::PageError = serde_json::from_str(params).unwrap_or_default();
                if let Some(failure) = error.error.error {
                    let (text, page_id) = (self.error(failure).message, self.text(event.page_id.clone()));
                    self.console_error(ConsoleError { text, time, page_id, uncaught: true });
                }
            }
            "__create__" => {
                if let Ok(created) = serde_json::from_str(params) {
                    self.created(created);
                }
            }
            "console" => {
                let reported: events::Reported = serde_json::from_str(params).unwrap_or_default();
                if let Some((kind, text)) = self.context.created.remove(&reported.message.guid.0) {
                    let page_id = event.page_id.clone();
                    self.console(events::Console {
                        message_type: Text(kind),
                        text: Text(text),
                        time: event.time,
                        page_id,
                    });
                }
            }
            _ => {}
        }
    }

    pub(super) fn happening_format_3(&mut self, event: events::MetadataLine<'_>) {
        let metadata = event.metadata;
        self.happening(&events::Happening {
            class: metadata.class,
            method: metadata.method,
            params: metadata.params,
            time: metadata.start_time,
            page_id: metadata.page_id,
        });
    }

    pub(super) fn created(&mut self, created: events::Created) {
        let is_message = created.kind.0 == "ConsoleMessage" && created.initializer.kind.0 == "error";
        if is_message && self.context.created.len() < self.limits.messages {
            let text = self.text(created.initializer.text);
            self.context.created.insert(created.guid.0, (created.initializer.kind.0, text));
        }
    }

    pub(super) fn resource(&mut self, event: events::ResourceLine) {
        let events::Resource { pageref, request, response, time } = event.snapshot;
        let held = part(response.content.file, &response.content.sha1);
        if response.content.mime_type.0.starts_with("text/css")
            && !held.is_empty()
            && self.context.style_sheets.len() < self.limits.entries
        {
            self.context.style_sheets.push((cap(request.url.0.clone(), self.limits.text_bytes), held));
        }
        let status = response.status.and_then(|status| u16::try_from(status).ok()).filter(|&status| status > 0);
        let failed = !response.failure.0.is_empty() || status.is_some_and(|status| status >= 400);
        if failed && self.context.requests.len() < self.limits.messages {
            let url = request.url.0.split(['?', '#']).next().unwrap_or_default().to_owned();
            self.context.requests.push(FailedRequest {
                method: self.text(request.method),
                url: cap(url, self.limits.text_bytes),
                status,
                failure: self.text(response.failure),
                time: time.unwrap_or_default(),
                page_id: self.text(pageref),
            });
        }
    }
}

/// The name of the part that holds a resource. Up to format 8 only its hash is recorded.
pub(super) fn part(file: Text, sha1: &Text) -> String {
    if file.0.is_empty() && !sha1.0.is_empty() { format!("resources/{}", sha1.0) } else { file.0 }
}

/// Takes colour codes out.
pub(super) fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}
