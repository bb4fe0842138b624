//! The server on stdin and stdout: one caller, the process that started us.
//!
//! stdout carries the protocol and nothing else. The end of stdin means that the caller is gone: whatever runs is stopped.

use std::pin::Pin;
use std::task::{Context, Poll};

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;
use tokio::io::{AsyncRead, ReadBuf};

use super::server::Server;
use crate::adapters::process::{Cancel, Stop};
use crate::error::Error;

/// Serves until the caller is gone or the server is told to stop; no call runs any more when it returns.
///
/// # Errors
/// The first message is not the protocol's.
pub async fn serve(server: Server) -> Result<(), Error> {
    let cancel = server.cancel().clone();
    let (input, output) = stdio_pipes();
    let input = Watched { input, ended: cancel.clone() };
    let started = tokio::select! {
        started = server.clone().serve((input, output)) => started,
        () = cancel.reached(Stop::Gracefully) => return Ok(()),
    };
    let done = match started {
        Ok(service) => {
            let token = service.cancellation_token();
            let stop = async {
                cancel.reached(Stop::Gracefully).await;
                // What is running ends first, so that its answer still gets out where somebody reads it.
                server.idle().await;
                token.cancel();
                std::future::pending::<()>().await;
            };
            tokio::select! {
                _ = service.waiting() => Ok(()),
                () = stop => Ok(()),
            }
        }
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(Error::usage("the client does not speak the Model Context Protocol").caused_by(&error)),
    };
    if !cancel.is_cancelled() {
        cancel.request();
    }
    server.idle().await;
    done
}

/// Input that says when it has come to its end.
struct Watched<R> {
    input: R,
    ended: Cancel,
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.input).poll_read(cx, buf);
        let ended = match &polled {
            Poll::Ready(Ok(())) => buf.filled().len() == before && buf.remaining() > 0,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if ended && !self.ended.is_cancelled() {
            self.ended.request();
        }
        polled
    }
}
