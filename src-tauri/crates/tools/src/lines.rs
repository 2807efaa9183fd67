//! Programs that speak in lines of JSON: MCP servers and agents.

use std::io;
use std::process::Stdio;

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use serde::de::DeserializeOwned;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{ChildStdout, Command};
use tokio::sync::mpsc;

/// Most bytes of one message.
pub(crate) const MESSAGE_BYTES: usize = 32 * 1024 * 1024;

/// Bytes of lines that are not the protocol, such as greetings, after which nothing else is expected.
const NOISE_BYTES: usize = 64 * 1024;

/// Starts a program that is spoken to through its pipes, in a group of processes of its own, which ends as a whole.
pub(crate) fn start(mut program: Command) -> io::Result<Box<dyn ChildWrapper>> {
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = CommandWrap::from(program);
    #[cfg(unix)]
    program.wrap(process_wrap::tokio::ProcessSession);
    #[cfg(windows)]
    program.wrap(process_wrap::tokio::JobObject);
    program.spawn()
}

/// Reads messages until there are no more; gives why.
pub(crate) async fn read<M: DeserializeOwned>(
    output: ChildStdout,
    into: &mpsc::Sender<M>,
) -> String {
    let mut output = BufReader::with_capacity(64 * 1024, output);
    let (mut line, mut noise) = (Vec::new(), 0);
    loop {
        line.clear();
        let most = MESSAGE_BYTES as u64 + 1;
        match (&mut output).take(most).read_until(b'\n', &mut line).await {
            Ok(0) => return "it ended".to_owned(),
            Ok(_) => {}
            Err(error) => return error.to_string(),
        }
        if line.len() > MESSAGE_BYTES {
            return format!("it sent a message of more than {} MiB", MESSAGE_BYTES >> 20);
        }
        match serde_json::from_slice(&line) {
            Ok(message) => {
                if into.send(message).await.is_err() {
                    return "nobody listens any more".to_owned();
                }
            }
            Err(error) => {
                let begins = String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned();
                if begins.contains("\"jsonrpc\"") {
                    return format!("it sent a message that cannot be read: {error}");
                }
                noise += line.len();
                if noise > NOISE_BYTES {
                    return format!("it writes what is not the protocol: {}", begins.trim());
                }
            }
        }
    }
}
