//! The table of commands, expanded for the window.
//!
//! A call carries `request` and, for streaming rows, `channel`. A command that panics answers with a failure like any
//! other; the window goes on.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;
use siltstone_app::{App, Sink};
use siltstone_contract::{
    CarryEvent, Code, CopyEvent, CopyMade, Failure, ImportEvent, ProbeEvent, SealEvent, TurnEvent,
    UpdateEvent, VaultEvent, for_each_command,
};
use tauri::ipc::{
    Invoke, InvokeBody, InvokeError, InvokeResolver, InvokeResponseBody, JavaScriptChannelId,
};
use tauri::{Manager, Wry};

use crate::MAIN;
use crate::host::Host;

macro_rules! table {
    (
        app { $($service:ident { $($(#[$doc:meta])* $name:ident: $request:ty => $reply:ty;)* })* }
        streams {
            $($streaming:ident { $($(#[$sdoc:meta])* $sname:ident: $srequest:ty => $sreply:ty, $event:ty;)* })*
        }
        host { $($(#[$hdoc:meta])* $hname:ident: $hrequest:ty => $hreply:ty;)* }
    ) => {
        /// Answers a call of the window; `false` for a command that is not in the table.
        pub(crate) fn handle(invoke: Invoke<Wry>) -> bool {
            let Invoke { message, resolver, .. } = invoke;
            let webview = message.webview_ref().clone();
            if webview.label() != MAIN {
                return false;
            }
            let handle = webview.app_handle().clone();
            let app = handle.state::<App>().inner().clone();
            let payload = message.payload();
            match message.command() {
                $($(stringify!($name) => match argument(payload, "request") {
                    Ok(request) => answer(resolver, async move { app.$name(request).await }),
                    Err(failure) => resolver.invoke_error(error(&failure)),
                },)*)*
                $($(stringify!($sname) => {
                    let arguments = argument(payload, "request").and_then(|request| {
                        argument::<JavaScriptChannelId>(payload, "channel").map(|id| (request, id))
                    });
                    match arguments {
                        Ok((request, channel)) => {
                            let channel = channel.channel_on::<Wry, $event>(webview);
                            let sink: Sink<$event> = Arc::new(move |event| {
                                // A window that was reloaded no longer listens; the work goes on.
                                let _ = channel.send(event);
                            });
                            answer(resolver, async move { app.$sname(request, sink).await });
                        }
                        Err(failure) => resolver.invoke_error(error(&failure)),
                    }
                })*)*
                $(stringify!($hname) => match argument(payload, "request") {
                    Ok(request) => {
                        let host = Host { handle, app };
                        answer(resolver, async move { host.$hname(request).await });
                    }
                    Err(failure) => resolver.invoke_error(error(&failure)),
                },)*
                _ => return false,
            }
            true
        }
    };
}

for_each_command!(table);

fn argument<T: DeserializeOwned>(payload: &InvokeBody, name: &str) -> Result<T, Failure> {
    let value = match payload {
        InvokeBody::Json(value) => value.get(name).cloned().unwrap_or_default(),
        InvokeBody::Raw(_) => serde_json::Value::Null,
    };
    // Serde's own words may quote the value, which may be a key.
    serde_json::from_value(value)
        .map_err(|_| Failure::new(Code::BadRequest, format!("`{name}` does not fit this command")))
}

fn answer<T: Serialize + Send + 'static>(
    resolver: InvokeResolver<Wry>,
    work: impl Future<Output = Result<T, Failure>> + Send + 'static,
) {
    // In a box: what Tauri and tokio put around it is compiled once, and not for each of two hundred commands.
    answered(
        resolver,
        Box::pin(async move {
            let outcome = AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| {
                Err(Failure::new(Code::Internal, "a command failed in a way it never should"))
            });
            let reply = outcome.map_err(|failure| error(&failure))?;
            serde_json::to_string(&reply).map_err(InvokeError::from_error)
        }),
    );
}

fn answered(resolver: InvokeResolver<Wry>, work: BoxFuture<'static, Result<String, InvokeError>>) {
    resolver.respond_async_serialized(async move { work.await.map(InvokeResponseBody::Json) });
}

fn error(failure: &Failure) -> InvokeError {
    serde_json::to_value(failure).map_or_else(InvokeError::from_error, InvokeError)
}
