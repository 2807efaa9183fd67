//! A WebDriver session: WebKitWebDriver, the program it starts, and a blocking face over the client.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::future::Future;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use super::{PATIENCE, wait};

/// The file, in the folder a program starts in, with what it says on standard error.
pub(crate) const LOG: &str = "stderr.log";

/// One session; the driver and everything it started end with it.
pub(crate) struct Browser {
    driver: Child,
    runtime: Runtime,
    client: Client,
}

impl Browser {
    /// Starts `program` in `folder` under a driver of its own and waits for its first page. Should it crash, the system
    /// may keep all of its memory, as some desktops do.
    #[track_caller]
    pub(crate) fn start(
        program: &Path,
        arguments: &[&str],
        environment: &HashMap<OsString, OsString>,
        folder: &Path,
    ) -> Self {
        let port = free_port();
        let log = File::options().create(true).append(true).open(folder.join(LOG));
        let mut driver = Command::new("sh")
            .args(["-c", "ulimit -c \"$(ulimit -H -c)\" && exec WebKitWebDriver --port=\"$0\""])
            .arg(port.to_string())
            .current_dir(folder)
            .envs(environment)
            // Without these two the program is started but never driven.
            .env("TAURI_AUTOMATION", "true")
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log.expect("a log"))
            // A group of its own, so that it ends with everything it started.
            .process_group(0)
            .spawn()
            .expect("WebKitWebDriver is installed (scripts/setup.sh test)");
        let address = format!("http://127.0.0.1:{port}");
        wait("WebKitWebDriver", || std::net::TcpStream::connect(("127.0.0.1", port)).ok());
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let options = json!({ "binary": program, "args": arguments });
        let capabilities = json!({
            "webkitgtk:browserOptions": options,
            "timeouts": { "script": PATIENCE.as_millis(), "pageLoad": PATIENCE.as_millis() },
        });
        let Value::Object(capabilities) = capabilities else { unreachable!() };
        let client = runtime.block_on(async {
            let mut builder = ClientBuilder::new(HttpConnector::new());
            // Of a program that ends as soon as it begins, the driver says nothing at all.
            let session = builder.capabilities(capabilities).connect(&address);
            tokio::time::timeout(PATIENCE, session).await
        });
        let why = match client {
            Ok(Ok(client)) => return Self { driver, runtime, client },
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("nothing for {PATIENCE:?}"),
        };
        end(&mut driver);
        panic!("no session with {}: {why}", program.display());
    }

    /// The client, for a step of its own.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Runs a step to its end; a driver that does not answer ends the story, not the whole run.
    #[track_caller]
    pub(crate) fn block<T>(&self, step: impl Future<Output = T>) -> T {
        self.within(PATIENCE, step).expect("WebKitWebDriver answers")
    }

    /// As `block`, where there may be no answer.
    pub(crate) fn within<T>(&self, patience: Duration, step: impl Future<Output = T>) -> Option<T> {
        self.runtime.block_on(async { tokio::time::timeout(patience, step).await.ok() })
    }

    /// What a script returns. It gets its arguments as `arguments`.
    #[track_caller]
    pub(crate) fn run(&self, script: &str, arguments: Vec<Value>) -> Value {
        self.try_run(script, arguments).unwrap_or_else(|error| panic!("{error}\nin: {script}"))
    }

    /// As `run`; a script that throws is an error.
    pub(crate) fn try_run(&self, script: &str, arguments: Vec<Value>) -> Result<Value, String> {
        self.block(self.client.execute(script, arguments)).map_err(|error| error.to_string())
    }

    /// What a script hands to the callback that is its last argument.
    #[track_caller]
    pub(crate) fn run_async(&self, script: &str, arguments: Vec<Value>) -> Value {
        self.block(self.client.execute_async(script, arguments))
            .unwrap_or_else(|error| panic!("{error}\nin: {script}"))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        end(&mut self.driver);
    }
}

/// Ends the driver and the programs in its group.
fn end(driver: &mut Child) {
    // It may be gone already, or its programs may be.
    let group = format!("-{}", driver.id());
    drop(Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status());
    drop(driver.kill());
    drop(driver.wait());
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address").port()
}
