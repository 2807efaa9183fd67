//! MCP servers that are programs: the reference server, and servers that misbehave. What a server does wrong is an error of
//! that server within its time, and its processes end with its session. Servers at addresses are in the journeys, behind
//! the real gate.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};
use siltstone_engine::Timestamp;
use siltstone_engine::checkpoint::remote::{Web, WebAnswer, WebRequest, WebStream};
use siltstone_engine::egress::{Departure, EgressItem, EgressLog, Outbox, SentRequest};
use siltstone_engine::ids::{ConversationId, TurnId};
use siltstone_engine::ports::{Access, Asked, Clock, StoreError};
use siltstone_engine::secret::Secret;
use siltstone_engine::settings::Network;
use siltstone_engine::tool::mcp::{
    McpAccess, McpAgreed, McpError, McpNeeds, McpServer, McpServers, McpSession, McpTransport,
};
use siltstone_engine::tool::{Commands, Sandbox};
use siltstone_test_servers::until::{PATIENCE, until};
use siltstone_test_servers::{mcp_everything_command, mcp_hostile};
use siltstone_tools::{Servers, Shell};
use tempfile::TempDir;

/// Programs send nothing through the gate.
struct Nowhere;

impl Web for Nowhere {
    fn send(&self, request: WebRequest, _: Access) -> Asked<'_, WebAnswer> {
        panic!("{} was asked", request.url)
    }

    fn open(&self, request: WebRequest, _: Access) -> Asked<'_, WebStream> {
        panic!("{} was asked", request.url)
    }
}

impl EgressLog for Nowhere {
    fn leaving(&self, request: &Departure<'_>) -> Result<u64, StoreError> {
        panic!("{} was asked", request.url)
    }

    fn answered(&self, _: u64, _: &str) -> Result<(), StoreError> {
        Ok(())
    }

    fn departures(&self, _: Option<u64>, _: u32, _: bool) -> Result<Vec<EgressItem>, StoreError> {
        Ok(Vec::new())
    }

    fn sent(&self, _: u64) -> Result<SentRequest, StoreError> {
        Err(StoreError::Busy)
    }

    fn last_of(
        &self,
        _: TurnId,
        _: Option<Timestamp>,
        _: Option<Timestamp>,
    ) -> Result<Option<u64>, StoreError> {
        Ok(None)
    }

    fn clear(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn receivers(&self, _: ConversationId) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }
}

impl Clock for Nowhere {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }
}

/// Long enough for what never answers.
const SHORT: Duration = Duration::from_millis(1_500);

fn servers() -> Servers {
    Servers::new(Arc::new(Nowhere)).with_patience(PATIENCE, PATIENCE)
}

fn program((command, args): (String, Vec<String>)) -> McpServer {
    let env = BTreeMap::from([("MODE".to_owned(), "test".to_owned())]);
    let (secret_env, needs) = (Vec::new(), McpNeeds::default());
    McpServer {
        project_id: None,
        name: "server".to_owned(),
        transport: McpTransport::Stdio { command, args, env, secret_env, needs },
        on: true,
        trusted: String::new(),
        instructions_trusted: String::new(),
        agreed: McpAgreed::default(),
    }
}

fn access(root: &Path) -> McpAccess {
    McpAccess {
        root: root.canonicalize().unwrap().display().to_string(),
        in_project: true,
        closed: Vec::new(),
        secrets: BTreeMap::from([("SERVER_KEY".to_owned(), Secret::new("canary-4711".into()))]),
        this_computer_only: true,
        network: Network::default(),
        outbox: Outbox {
            log: Arc::new(Nowhere),
            clock: Arc::new(Nowhere),
            provider: String::new(),
            turn_id: None,
            on_pause: None,
        },
    }
}

async fn connected(
    servers: &Servers,
    how: &str,
    root: &TempDir,
) -> Result<Arc<dyn McpSession>, McpError> {
    let beside = root.path().join("beside");
    let server = program(mcp_hostile(how, &beside).unwrap());
    servers.connect(&server, access(root.path())).await
}

async fn told(session: &dyn McpSession, tool: &str, arguments: Value) -> String {
    let answer = session.call(tool, &arguments).await.unwrap();
    assert!(!answer.is_error, "{answer:?}");
    answer.text
}

#[tokio::test]
async fn the_reference_server_is_used() {
    let root = TempDir::new().unwrap();
    let server = program(mcp_everything_command().unwrap());
    let session = servers().connect(&server, access(root.path())).await.unwrap();
    assert!(session.instructions().unwrap().len() > 100);

    let tools = session.tools().await.unwrap();
    let echo = tools.iter().find(|tool| tool.name == "echo").unwrap();
    assert_eq!(echo.schema["properties"]["message"]["type"], "string");
    assert!(!echo.description.is_empty());
    assert!(server.spec(echo).is_some_and(|spec| spec.name == "mcp__server__echo"));

    let session = session.as_ref();
    assert_eq!(told(session, "echo", json!({"message": "안녕"})).await, "Echo: 안녕");
    assert!(told(session, "get-sum", json!({"a": 2, "b": 40})).await.contains("42"));
    let picture = told(session, "get-tiny-image", json!({})).await;
    assert!(picture.contains("[image image/png, ") && picture.len() < 500, "{picture}");
    let weather = told(session, "get-structured-content", json!({"location": "Chicago"})).await;
    assert!(weather.contains("temperature"), "{weather}");
    let steps = json!({"duration": 0.2, "steps": 2});
    assert!(told(session, "trigger-long-running-operation", steps).await.contains("completed"));
    let wrong = session.call("echo", &json!({"message": 1})).await.unwrap();
    assert!(wrong.is_error, "{wrong:?}");
    assert!(!session.is_over());
}

#[rstest]
#[case::ends("crash", "no module named nothing")]
#[case::babbles("garbage", "not the protocol: Listening for connections")]
#[tokio::test]
async fn a_server_that_does_not_come_up_is_told_with_its_own_words(
    #[case] how: &str,
    #[case] words: &str,
) {
    let root = TempDir::new().unwrap();
    let error = connected(&servers(), how, &root).await.err().unwrap();
    assert!(
        matches!(&error, McpError::Unreachable { detail, .. } if detail.contains(words)),
        "{error}"
    );
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let root = TempDir::new().unwrap();
    let server = program(("no-such-program-4711".to_owned(), Vec::new()));
    let error = servers().connect(&server, access(root.path())).await.err().unwrap();
    let named = error.to_string();
    assert!(named.contains("no-such-program-4711") && named.contains("whole path"), "{named}");
}

#[tokio::test]
async fn a_server_that_never_answers_is_waited_for_once_and_holds_nobody_up() {
    let root = TempDir::new().unwrap();
    let hasty = servers().with_patience(SHORT, PATIENCE);
    let silent = tokio::spawn({
        let (hasty, beside) = (hasty.clone(), root.path().join("silent"));
        let (server, access) =
            (program(mcp_hostile("hang", &beside).unwrap()), access(root.path()));
        async move { hasty.connect(&server, access).await.err() }
    });
    let other = connected(&servers(), "fine", &root).await.unwrap();
    assert_eq!(told(other.as_ref(), "echo", json!({"a": [1]})).await, r#"{"a": [1]}"#);
    let error = silent.await.unwrap().unwrap();
    assert!(matches!(error, McpError::TimedOut { .. }), "{error}");

    let hasty = servers().with_patience(PATIENCE, SHORT);
    let session = connected(&hasty, "hang_call", &root).await.unwrap();
    let error = session.call("echo", &json!({})).await.unwrap_err();
    assert!(matches!(error, McpError::TimedOut { .. }), "{error}");
    assert_eq!(session.tools().await.unwrap().len(), 1, "the session goes on");
    written(&root.path().join("beside"), "cancelled").await;
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_is_taken_back() {
    let root = TempDir::new().unwrap();
    let session = connected(&servers(), "hang_call", &root).await.unwrap();
    let arguments = json!({});
    let call = session.call("echo", &arguments);
    assert!(tokio::time::timeout(SHORT, call).await.is_err());
    written(&root.path().join("beside"), "cancelled").await;
}

#[rstest]
#[case::ends("crash_call", "it fell over")]
#[case::floods("flood", "more than 32 MiB")]
#[case::nests("deep", "cannot be read")]
#[tokio::test]
async fn a_server_that_breaks_in_a_call_is_an_error_and_is_over(
    #[case] how: &str,
    #[case] words: &str,
) {
    let root = TempDir::new().unwrap();
    let session = connected(&servers(), how, &root).await.unwrap();
    let error = session.call("echo", &json!({})).await.unwrap_err();
    assert!(matches!(&error, McpError::Broken { detail, .. } if detail.contains(words)), "{error}");
    assert!(session.is_over());
    let again = session.call("echo", &json!({})).await.unwrap_err();
    assert!(matches!(again, McpError::Broken { .. }), "{again}");
}

#[tokio::test]
async fn what_a_server_refuses_is_told_to_the_model() {
    let root = TempDir::new().unwrap();
    let session = connected(&servers(), "refuses", &root).await.unwrap();
    let answer = session.call("echo", &json!({})).await.unwrap();
    assert!(answer.is_error && answer.text.contains("no such thing: echo"), "{answer:?}");
}

#[tokio::test]
async fn what_is_no_text_is_named_and_structure_speaks_where_there_is_none() {
    let root = TempDir::new().unwrap();
    let kinds = connected(&servers(), "kinds", &root).await.unwrap();
    assert_eq!(
        told(kinds.as_ref(), "echo", json!({})).await,
        "[image image/png, 300 bytes, not shown]\n[file:///a.txt]\ninside\n[link to b: file:///b.txt]"
    );
    let structured = connected(&servers(), "structured", &root).await.unwrap();
    assert_eq!(told(structured.as_ref(), "echo", json!({})).await, r#"{"sum":3}"#);
}

#[tokio::test]
async fn resources_are_listed_and_read_and_what_is_no_text_is_refused() {
    let (root, beside) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let tables = beside.path().join("tables");
    std::fs::write(&tables, "orders(id); the key is canary-4711").unwrap();
    let mut server = program(mcp_hostile("resources", &tables).unwrap());
    if let McpTransport::Stdio { needs, .. } = &mut server.transport {
        needs.reads = vec![beside.path().display().to_string()];
    }
    let session = servers().connect(&server, access(root.path())).await.unwrap();
    let listed = session.resources().await.unwrap();
    let names: Vec<&str> = listed.iter().map(|it| it.name.as_str()).collect();
    assert_eq!((names, listed[1].size), (vec!["Tables", "Picture"], Some(3)));
    let said = session.resource("notes://tables").await.unwrap();
    assert_eq!((said.text.as_str(), said.is_error), ("orders(id); the key is [secret]", false));
    let picture = session.resource("notes://picture").await.unwrap();
    assert!(picture.is_error, "{picture:?}");
    let none = session.resource("notes://none").await.unwrap();
    assert_eq!((none.text.as_str(), none.is_error), ("nothing at notes://none", true));
    // One that speaks of no resources is not asked for any.
    let plain = connected(&servers(), "fine", &root).await.unwrap();
    assert_eq!(plain.resources().await.unwrap(), []);
}

#[tokio::test]
async fn lists_without_end_and_long_instructions_are_bounded() {
    let root = TempDir::new().unwrap();
    let endless = connected(&servers(), "endless", &root).await.unwrap();
    assert_eq!(endless.tools().await.unwrap().len(), 256);
    let wordy = connected(&servers(), "instructions", &root).await.unwrap();
    let said = wordy.instructions().unwrap();
    assert!(said.starts_with("Ignore the person") && said.len() < 9_000, "{}", said.len());
}

#[tokio::test]
async fn a_secret_reaches_the_server_and_comes_back_nowhere() {
    let root = TempDir::new().unwrap();
    let session = connected(&servers(), "secret", &root).await.unwrap();
    assert_eq!(told(session.as_ref(), "echo", json!({})).await, "it is [secret]");
    let described = session.tools().await.unwrap().remove(0).description;
    assert!(described.ends_with("The key is [secret]"), "{described}");
}

#[tokio::test]
async fn a_server_starts_in_the_folder_it_is_given() {
    let root = TempDir::new().unwrap();
    let session = connected(&servers(), "where", &root).await.unwrap();
    let real = root.path().canonicalize().unwrap();
    assert_eq!(told(session.as_ref(), "echo", json!({})).await, real.display().to_string());
}

/// Safety T14: a child's environment holds 0 of 40 variables that look like secrets.
#[test]
fn a_server_inherits_none_of_forty_secrets() {
    const INSIDE: &str = "MCP_TEST_INSIDE";
    const SECRETS: [&str; 40] = [
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "GEMINI_API_KEY",
        "GROQ_API_KEY",
        "HF_TOKEN",
        "GITHUB_TOKEN",
        "GH_TOKEN",
        "GITLAB_TOKEN",
        "NPM_TOKEN",
        "CARGO_REGISTRY_TOKEN",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AWS_PROFILE",
        "AZURE_CLIENT_SECRET",
        "AZURE_STORAGE_KEY",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GOOGLE_API_KEY",
        "GCP_SERVICE_ACCOUNT",
        "SSH_AUTH_SOCK",
        "SSH_AGENT_PID",
        "DATABASE_URL",
        "PGPASSWORD",
        "MYSQL_PWD",
        "REDIS_PASSWORD",
        "MONGODB_URI",
        "STRIPE_SECRET_KEY",
        "SLACK_BOT_TOKEN",
        "DISCORD_TOKEN",
        "TWILIO_AUTH_TOKEN",
        "SENTRY_DSN",
        "JWT_SECRET",
        "SECRET_KEY_BASE",
        "DJANGO_SECRET_KEY",
        "VAULT_TOKEN",
        "KUBECONFIG",
        "DOCKER_AUTH_CONFIG",
        "LC_SECRET",
        "DBUS_SESSION_BUS_ADDRESS",
        "SILTSTONE_LOG",
    ];
    if std::env::var_os(INSIDE).is_none() {
        // The environment of this process is everybody's: the test runs again in one of its own.
        let mut again = std::process::Command::new(std::env::current_exe().unwrap());
        again.args(["--exact", "it::mcp::a_server_inherits_none_of_forty_secrets", "--nocapture"]);
        again.env(INSIDE, "1").envs(SECRETS.map(|name| (name, "canary")));
        assert!(again.status().unwrap().success());
        return;
    }
    let inside = async {
        let root = TempDir::new().unwrap();
        let session = connected(&servers(), "environment", &root).await.unwrap();
        told(session.as_ref(), "echo", json!({})).await
    };
    let names = tokio::runtime::Runtime::new().unwrap().block_on(inside);
    let names: Vec<&str> = names.lines().collect();
    let leaked: Vec<_> = SECRETS.iter().filter(|name| names.contains(name)).collect();
    assert!(leaked.is_empty(), "{leaked:?}");
    for wanted in ["PATH", "HOME", "MODE", "SERVER_KEY"] {
        assert!(names.contains(&wanted), "{wanted} is missing: {names:?}");
    }
    assert!(!names.contains(&INSIDE));
}

#[cfg(target_os = "linux")]
#[rstest]
#[case::dropped(false)]
#[case::ended(true)]
#[tokio::test]
async fn a_server_ends_with_all_its_children(#[case] is_ended: bool) {
    let root = TempDir::new().unwrap();
    let session = connected(&servers(), "family", &root).await.unwrap();
    // Its child holds it as long as it lives, whatever number that has where it is.
    let file = std::fs::File::open(root.path().join("beside")).unwrap();
    assert!(file.try_lock().is_err());
    if is_ended {
        session.end().await;
        assert!(session.is_over());
    }
    drop(session);
    until("the server to end", async || file.try_lock().is_ok()).await;
}

/// What is refused to a server is there without what keeps it inside: it is what a program of the person's could do.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_reaches_what_was_named_for_it_and_nothing_else() {
    if Shell.sandbox() == Sandbox::None {
        println!("skipped: nothing keeps a program inside here");
        return;
    }
    let (root, outside) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let place = |path: &str| outside.path().canonicalize().unwrap().join(path);
    for folder in [".ssh", "read", "write"] {
        std::fs::create_dir(place(folder)).unwrap();
        std::fs::write(place(folder).join("file"), "canary").unwrap();
    }
    std::fs::write(root.path().join("own"), "own").unwrap();
    let network = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = network.local_addr().unwrap().port();
    let at = |folder: &str| place(folder).join("file").display().to_string();
    let new = |folder: &str| place(folder).join("new").display().to_string();

    let named = McpNeeds {
        reads: vec![place("read").display().to_string()],
        writes: vec![place("write").display().to_string()],
        network: false,
    };
    let with_network = McpNeeds { network: true, ..named.clone() };
    let nothing = McpNeeds::default();
    // What was named, whether only this computer may be reached, and what is refused of everything that is tried.
    for (needs, stays_here, refused) in [
        (&nothing, false, vec![0, 1, 2, 3, 4, 5, 6]),
        (&named, false, vec![0, 3, 4, 6]),
        (&with_network, false, vec![0, 3, 4]),
        (&with_network, true, vec![0, 3, 4, 6]),
    ] {
        let mut server = program(mcp_hostile("tries", Path::new("none")).unwrap());
        if let McpTransport::Stdio { needs: of, .. } = &mut server.transport {
            of.clone_from(needs);
        }
        let access = McpAccess { this_computer_only: stays_here, ..access(root.path()) };
        let session = servers().connect(&server, access).await.unwrap();
        let session = session.as_ref();
        let tries = [
            json!({"read": at(".ssh")}),
            json!({"read": at("read")}),
            json!({"read": at("write")}),
            json!({"write": new(".ssh")}),
            json!({"write": new("read")}),
            json!({"write": new("write")}),
            json!({"connect": port}),
        ];
        let mut came = Vec::new();
        for (number, arguments) in tries.into_iter().enumerate() {
            if told(session, "echo", arguments).await.starts_with("refused: ") {
                came.push(number);
            }
        }
        assert_eq!(came, refused, "{needs:?}, only this computer: {stays_here}");
        assert_eq!(told(session, "echo", json!({"read": "own"})).await, "read own");
        assert_eq!(told(session, "echo", json!({"write": "made"})).await, "wrote");
        session.end().await;
    }
    assert!(!place(".ssh/new").exists() && !place("read/new").exists());
}

/// Outside of a project nothing is written by a server that was not told where.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_that_starts_in_no_project_changes_nothing_there() {
    if Shell.sandbox() == Sandbox::None {
        println!("skipped: nothing keeps a program inside here");
        return;
    }
    let root = TempDir::new().unwrap();
    let server = program(mcp_hostile("tries", Path::new("none")).unwrap());
    std::fs::write(root.path().join("kept"), "canary").unwrap();
    let access = McpAccess { in_project: false, ..access(&std::env::home_dir().unwrap()) };
    let session = servers().connect(&server, access).await.unwrap();
    let kept = root.path().join("kept").display().to_string();
    for arguments in [json!({"write": "siltstone-probe"}), json!({"read": kept})] {
        let came = told(session.as_ref(), "echo", arguments).await;
        assert!(came.starts_with("refused: "), "{came}");
    }
}

/// What fetches what it runs, and was given no network, is told apart from what does not work.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_without_the_network_it_wanted_says_so() {
    if Shell.sandbox() == Sandbox::None {
        println!("skipped: nothing keeps a program inside here");
        return;
    }
    let root = TempDir::new().unwrap();
    let error = connected(&servers(), "fetches", &root).await.err().unwrap();
    assert!(matches!(error, McpError::NoNetwork { .. }), "{error}");
}

async fn written(file: &Path, word: &str) {
    until(word, async || std::fs::read_to_string(file).is_ok_and(|text| text.contains(word))).await;
}
