//! `silt`: the use cases of Siltstone without a window.
//!
//! Scripts, tests, benchmarks and other programs call it. It parses ([`args`]), wires the same adapters as the window
//! ([`host`]), calls one method of the app per command ([`commands`]) and prints ([`out`], [`words`]). Exit codes: 0
//! done, 1 refused, not found or interrupted, 2 wrong usage. It has no logic of its own and links no web view.

mod args;
mod commands;
mod help;
mod host;
mod input;
mod out;
mod words;

use std::io::Write;
use std::process::ExitCode;

use clap::FromArgMatches;

use args::Args;
use host::Host;
use out::{Out, Stop};
use words::Lang;

fn main() -> ExitCode {
    siltstone_secrets::keep_memory_private();
    let call = help::command(help::lang_of_call()).try_get_matches();
    let args = match call.and_then(|call| Args::from_arg_matches(&call)) {
        Ok(args) => args,
        Err(error) => return wrong_usage(&error),
    };
    let lang = args.global.lang.unwrap_or_else(Lang::of_system);
    let out = Out::new(lang, args.global.json, args.global.quiet);
    host::log_to_stderr(args.global.quiet);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return out.stopped(Stop::io(&error)),
    };
    let ended = runtime.block_on(async {
        let host = Host::start(&args.global, out.clone())?;
        host.open_vault(&args.global).await?;
        let ended = commands::run(&host, args.command).await;
        host.app.leave_sessions().await;
        commands::say_unwritten(&host);
        commands::say_choice(&host).await;
        host.app.leave_servers().await;
        ended
    });
    // An index that is still being made goes on when it is needed; the backup of the day was waited for.
    runtime.shutdown_background();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(stop) => out.stopped(stop),
    }
}

/// Help and version are answers; everything else is a wrong call.
fn wrong_usage(error: &clap::Error) -> ExitCode {
    let lang = help::lang_of_call();
    if !error.use_stderr() {
        // A reader that closed the pipe has read enough.
        let _ = match lang {
            Lang::Ko => write!(std::io::stdout(), "{}", help::in_korean_words(&error.to_string())),
            Lang::En => error.print(),
        };
        return ExitCode::SUCCESS;
    }
    let json = std::env::args_os().any(|arg| arg == "--json");
    let worded = words::of_usage(lang, error).filter(|_| !json);
    if json || worded.is_some() {
        let said = worded.unwrap_or_else(|| error.to_string());
        return Out::new(lang, json, false).stopped(Stop::Usage(said));
    }
    let _ = error.print();
    ExitCode::from(out::WRONG_USAGE)
}
