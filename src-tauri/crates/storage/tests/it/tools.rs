//! What is kept of runs beside their messages: nodes, long results, rules, servers and the inbox.

use std::collections::BTreeMap;

use siltstone_engine::conversation::ConversationPatch;
use siltstone_engine::ids::{ConversationId, InboxId, MessageId, NodeId, ProjectId, RuleId};
use siltstone_engine::ports::{Records, StoreError, Transcripts};
use siltstone_engine::project::{Project, Trust};
use siltstone_engine::run::{NodeKind, NodeStatus, RunNode};
use siltstone_engine::section::{LeftOut, LeftOutWhy, Manifest};
use siltstone_engine::tool::approval::{Rule, Scope, Verdict};
use siltstone_engine::tool::mcp::{McpAgreed, McpNeeds, McpParts, McpServer, McpTransport};
use siltstone_engine::tool::{InboxRecord, ToolRecords};
use siltstone_engine::turn::Usage;
use siltstone_storage::Store;

use crate::it::steps::{call, model_node, result, tool_node};
use crate::it::support::{at, closing, conversation, new_conversation, opening, store};

fn project(store: &Store, path: &str) -> ProjectId {
    let project = Project {
        id: ProjectId::new(at(0)),
        path: path.into(),
        name: "p".into(),
        trust: Trust::Trusted,
        this_computer_only: false,
        exclude: vec![],
        identity: None,
        opened_at: at(0),
        copy: None,
    };
    store.put_project(&project).unwrap();
    project.id
}

fn purge(store: &Store, id: ConversationId) {
    let trash = ConversationPatch { deleted_at: Some(Some(at(90))), ..Default::default() };
    store.update_conversation(id, &trash).unwrap();
    store.purge_conversation(id).unwrap();
}

fn rows(dir: &tempfile::TempDir, table: &str) -> i64 {
    let db = rusqlite::Connection::open(dir.path().join("siltstone.db")).unwrap();
    db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

fn manifest(sections: u64) -> Manifest {
    let left = |n| LeftOut::of(format!("message:{n}"), "conversation", n, LeftOutWhy::ByYou);
    Manifest {
        tokens: sections,
        left_out: (0..sections).map(left).collect(),
        ..Manifest::default()
    }
}

#[test]
fn nodes_keep_their_order_and_what_they_were_made_of() {
    let (dir, store) = store();
    let turn = opening(new_conversation(&store), None, "q", at(1));
    store.open_turn(&turn).unwrap();
    let id = turn.turn.id;
    let mut model = model_node(id, turn.turn.reply_id, NodeStatus::Running);
    let mut tool = tool_node(id, "a", NodeStatus::Waiting);
    tool.parent = Some(model.id);
    store.put_node(&model).unwrap();
    assert_eq!(store.node_manifest(model.id).unwrap(), None);
    store.put_node_manifest(model.id, &manifest(500)).unwrap();
    store.put_node(&tool).unwrap();
    assert_eq!(store.nodes(id).unwrap(), [model.clone(), tool.clone()], "as they are, alive");

    model.status = NodeStatus::Done;
    model.ended_at = Some(at(7));
    model.usage = Some(Usage { input_tokens: 9, exact: true, ..Usage::default() });
    model.cost = Some(77);
    let NodeKind::Tool { message_id, touched, .. } = &mut tool.kind else { unreachable!() };
    *message_id = Some(MessageId::new(at(8)));
    touched.push("b.rs".into());
    tool.status = NodeStatus::Denied;
    // The tool's node changes first and stays where it was.
    store.put_node(&tool).unwrap();
    store.put_node(&model).unwrap();
    assert_eq!(store.nodes(id).unwrap(), [model.clone(), tool.clone()]);
    assert_eq!(store.node_manifest(model.id).unwrap(), Some(manifest(500)), "it stays");
    let kept: i64 = rusqlite::Connection::open(dir.path().join("siltstone.db"))
        .unwrap()
        .query_row("SELECT sum(length(manifest)) FROM run_nodes", [], |row| row.get(0))
        .unwrap();
    let plain = serde_json::to_string(&manifest(500)).unwrap().len() as i64;
    assert!(kept < plain / 5, "{kept} of {plain} bytes");

    let nobody = NodeId::new(at(9));
    let missing = |result| matches!(result, Err(StoreError::NotFound { what: "node", .. }));
    assert!(missing(store.node_manifest(nobody).map(|_| ())));
    assert!(missing(store.put_node_manifest(nobody, &manifest(1))));
    let astray =
        RunNode { id: nobody, turn_id: siltstone_engine::ids::TurnId::new(at(9)), ..model };
    assert!(matches!(store.put_node(&astray), Err(StoreError::Conflict { .. })));
    store.close_turn(&closing(id, "a", at(10))).unwrap();
    assert_eq!(
        store.nodes(id).unwrap()[1].status,
        NodeStatus::Denied,
        "what ended stays as it ended"
    );
    purge(&store, turn.turn.conversation_id);
    assert_eq!(rows(&dir, "run_nodes"), 0);
}

#[test]
fn a_long_result_is_kept_whole_for_its_conversation_alone() {
    let (dir, store) = store();
    let [one, two, third] = [(); 3].map(|()| new_conversation(&store));
    let long = "줄바꿈 없이 … \u{0}\u{1F600} 끝\n".repeat(200_000);
    let hash = store.put_output(one, &long, at(1)).unwrap();
    assert_eq!(hash, siltstone_engine::checkpoint::ObjectId::of(long.as_bytes()).to_string());
    assert_eq!(store.output(one, &hash).unwrap(), long);
    let not_found = |id, hash: &str| {
        let result = store.output(id, hash);
        assert!(matches!(result, Err(StoreError::NotFound { what: "output", .. })), "{result:?}");
    };
    not_found(two, &hash);
    assert_eq!(store.put_output(two, &long, at(2)).unwrap(), hash);
    assert_eq!(store.put_output(two, &long, at(3)).unwrap(), hash, "once more is the same");
    not_found(third, &hash);
    not_found(one, "");
    not_found(one, "../../etc/passwd");
    let empty = store.put_output(one, "", at(4)).unwrap();
    assert_eq!(store.output(one, &empty).unwrap(), "");
    assert_eq!((rows(&dir, "outputs"), rows(&dir, "outputs_kept")), (2, 3), "the bytes once");
    let size = dir.path().join("siltstone.db").metadata().unwrap().len();
    assert!(size < long.len() as u64 / 4, "compressed: {size}");

    purge(&store, one);
    assert_eq!(store.output(two, &hash).unwrap(), long, "the other conversation has it still");
    assert_eq!(rows(&dir, "outputs"), 1);
    purge(&store, two);
    assert_eq!((rows(&dir, "outputs"), rows(&dir, "outputs_kept")), (0, 0));
    let nowhere = store.put_output(two, "x", at(5));
    assert!(matches!(nowhere, Err(StoreError::Conflict { .. })), "{nowhere:?}");
    assert_eq!(rows(&dir, "outputs"), 0);
}

fn rule(project_id: Option<ProjectId>, scope: Scope, verdict: Verdict, second: i64) -> Rule {
    Rule {
        id: RuleId::new(at(second)),
        project_id,
        tool: "edit_file".into(),
        fingerprint: "f".into(),
        scope,
        verdict,
        created_at: at(second),
    }
}

#[test]
fn rules_are_of_a_project_or_of_all_and_can_be_revoked() {
    let (dir, store) = store();
    let [a, b] = ["/a", "/b"].map(|path| project(&store, path));
    let paths = Scope::Paths { pattern: "src/**".into() };
    let late = rule(Some(a), paths, Verdict::Allow, 9);
    let everywhere = rule(None, Scope::Tool, Verdict::Deny, 5);
    let line = Scope::Command { line: "cargo test -- '한글'\n".into() };
    let early = rule(Some(a), line, Verdict::Allow, 1);
    let others = rule(Some(b), Scope::Exactly { hash: "h".into() }, Verdict::Allow, 2);
    for rule in [&late, &everywhere, &early, &others] {
        store.put_rule(rule).unwrap();
    }
    let all = [early.clone(), everywhere.clone(), late.clone()];
    assert_eq!(store.rules(Some(a)).unwrap(), all, "oldest first");
    assert_eq!(store.rules(None).unwrap(), std::slice::from_ref(&everywhere));
    assert!(store.put_rule(&early).is_err(), "a rule is never changed, only revoked");
    assert_eq!(store.remove_rule(early.id).unwrap().as_ref(), Some(&early));
    assert_eq!(store.remove_rule(early.id).unwrap(), None);
    assert_eq!(store.rules(Some(a)).unwrap(), [everywhere.clone(), late]);

    assert!(!store.commands_allowed(a).unwrap(), "off until the person says so");
    store.allow_commands(a, true).unwrap();
    store.allow_commands(a, true).unwrap();
    assert_eq!([a, b].map(|id| store.commands_allowed(id).unwrap()), [true, false]);
    store.allow_commands(a, false).unwrap();
    assert!(!store.commands_allowed(a).unwrap());
    store.allow_commands(a, true).unwrap();
    let nowhere = ProjectId::new(at(9));
    assert!(store.allow_commands(nowhere, true).is_err());

    store.forget_project(a).unwrap();
    assert_eq!(store.rules(Some(a)).unwrap(), std::slice::from_ref(&everywhere));
    assert_eq!(store.rules(Some(b)).unwrap(), [others, everywhere]);
    assert_eq!((rows(&dir, "commands_allowed"), store.commands_allowed(a)), (0, Ok(false)));
}

fn server(project_id: Option<ProjectId>, name: &str, command: &str) -> McpServer {
    let transport = McpTransport::Stdio {
        command: command.into(),
        args: vec!["-y".into(), "한글 인자".into()],
        env: BTreeMap::from([("A".into(), "1".into())]),
        secret_env: vec!["TOKEN".into()],
        needs: McpNeeds { writes: vec!["~/.npm".into()], network: true, ..McpNeeds::default() },
    };
    let mut server = McpServer {
        project_id,
        name: name.into(),
        transport,
        on: true,
        trusted: String::new(),
        instructions_trusted: String::new(),
        agreed: McpAgreed::default(),
    };
    let files = [("/a/server.js".to_owned(), "0".repeat(64))].into();
    server.agreed.put("/a", McpParts { program: "/usr/bin/node".into(), files, more: false });
    server.trusted = server.fingerprint();
    server
}

#[test]
fn servers_are_one_for_each_name_of_a_project_and_a_changed_one_is_not_trusted() {
    let (dir, store) = store();
    let [a, b] = ["/a", "/b"].map(|path| project(&store, path));
    let own = server(Some(a), "files", "npx");
    let mut all = server(None, "files", "uvx");
    let other = server(Some(b), "zebra", "z");
    let web = McpServer {
        transport: McpTransport::Http { url: "https://x/y?z".into(), secret_header: "k".into() },
        ..server(None, "alpha", "")
    };
    for server in [&other, &own, &all, &web] {
        store.put_server(server).unwrap();
    }
    assert_eq!(store.servers(Some(a)).unwrap(), [web.clone(), own.clone(), all.clone()]);
    assert_eq!(store.servers(None).unwrap(), [web.clone(), all.clone()]);
    assert!(store.servers(Some(a)).unwrap()[1].is_trusted());
    // The command is another one, the answer the old one.
    let changed = McpServer { transport: server(None, "files", "evil").transport, ..own.clone() };
    store.put_server(&changed).unwrap();
    let found = store.servers(Some(a)).unwrap();
    assert_eq!((found.len(), &found[1]), (3, &changed), "in its place");
    assert!(!found[1].is_trusted());
    all.on = false;
    store.put_server(&all).unwrap();
    assert_eq!(store.servers(None).unwrap(), [web.clone(), all.clone()]);
    assert!(!store.remove_server(Some(b), "files").unwrap());
    assert!(store.remove_server(None, "files").unwrap());
    assert_eq!(store.servers(Some(a)).unwrap(), [web.clone(), changed], "the project's own stays");
    store.forget_project(a).unwrap();
    assert_eq!(store.servers(Some(b)).unwrap(), [web, other]);
    assert_eq!(rows(&dir, "mcp_servers"), 2);
}

#[test]
fn the_inbox_gives_each_line_once() {
    let (dir, store) = store();
    let home = project(&store, "/a");
    let inside = conversation(Some(home));
    store.create_conversation(&inside).unwrap();
    let outside = new_conversation(&store);
    let line = |project_id, conversation_id, second: i64, for_all_projects| InboxRecord {
        id: InboxId::new(at(second)),
        project_id,
        conversation_id: Some(conversation_id),
        message_id: Some(MessageId::new(at(second))),
        text: format!("탭이 아니라 빈칸 {second}"),
        why: "\"please\"".into(),
        for_all_projects,
        at: at(second),
        from: None,
    };
    let own = line(Some(home), inside.id, 3, false);
    let person = line(Some(home), inside.id, 2, true);
    let loose = line(None, outside, 1, false);
    for record in [&own, &person, &loose] {
        store.put_inbox(record).unwrap();
    }
    assert_eq!(store.inbox(Some(home)).unwrap(), [loose.clone(), person.clone(), own.clone()]);
    assert_eq!(store.inbox(None).unwrap(), std::slice::from_ref(&loose));
    assert_eq!(store.take_inbox(own.id).unwrap(), Some(own.clone()));
    assert_eq!(store.take_inbox(own.id).unwrap(), None);
    store.put_inbox(&own).unwrap();
    store.forget_project(home).unwrap();
    let stays = InboxRecord { project_id: None, ..person };
    assert_eq!(store.inbox(None).unwrap(), [loose, stays.clone()], "it is about the person");
    purge(&store, outside);
    assert_eq!(store.inbox(None).unwrap(), [stays]);
    purge(&store, inside.id);
    assert_eq!(rows(&dir, "inbox"), 0);
    assert!(store.put_inbox(&own).is_err(), "of a conversation that is gone");
}

#[test]
fn lines_of_agents_need_no_conversation_and_so_many_wait_at_most() {
    let (_dir, store) = store();
    let (home, other) = (project(&store, "/a"), project(&store, "/b"));
    let line = |project_id, second: i64| InboxRecord {
        id: InboxId::new(at(second)),
        project_id,
        conversation_id: None,
        message_id: None,
        text: format!("line {second}"),
        why: String::new(),
        for_all_projects: project_id.is_none(),
        at: at(second),
        from: Some("Claude Code".into()),
    };
    let (own, loose, third) = (line(Some(home), 1), line(None, 2), line(Some(other), 3));
    assert!(store.put_inbox_within(&own, 2).unwrap());
    assert!(store.put_inbox_within(&loose, 2).unwrap());
    assert!(!store.put_inbox_within(&third, 2).unwrap(), "two wait, of whatever project");
    assert_eq!(store.inbox(Some(home)).unwrap(), [own.clone(), loose.clone()]);
    assert_eq!(store.inbox(Some(other)).unwrap(), std::slice::from_ref(&loose));
    // What a model in a conversation proposes is neither counted nor kept out.
    let talk = new_conversation(&store);
    let (conversation_id, from) = (Some(talk), None);
    store.put_inbox(&InboxRecord { conversation_id, from, ..line(Some(home), 4) }).unwrap();
    assert_eq!(store.take_inbox(own.id).unwrap(), Some(own.clone()));
    assert!(store.put_inbox_within(&third, 2).unwrap());
    // What was taken can be put back, however many wait.
    store.put_inbox(&own).unwrap();
    assert_eq!(store.inbox(Some(home)).unwrap().len(), 3);
}

#[test]
fn a_purge_leaves_nothing_that_a_tool_said() {
    let (dir, store) = store();
    let secret = "quittenbrotmesser";
    let turn = opening(new_conversation(&store), None, "q", at(1));
    store.open_turn(&turn).unwrap();
    let (id, conversation_id) = (turn.turn.id, turn.turn.conversation_id);
    store.finish_step(id, &[call("a", &format!("{{\"path\":\"{secret}\"}}"))], 1).unwrap();
    let answer = result(&turn, turn.turn.reply_id, "a", secret);
    store.append_result(id, &answer).unwrap();
    let mut node = tool_node(id, "a", NodeStatus::Done);
    let NodeKind::Tool { about, .. } = &mut node.kind else { unreachable!() };
    *about = secret.into();
    store.put_node(&node).unwrap();
    // Too short to be compressed beyond recognition.
    store.put_output(conversation_id, secret, at(2)).unwrap();
    let line = InboxRecord {
        id: InboxId::new(at(3)),
        project_id: None,
        conversation_id: Some(conversation_id),
        message_id: Some(answer.message.id),
        text: secret.into(),
        why: secret.into(),
        for_all_projects: false,
        at: at(3),
        from: None,
    };
    store.put_inbox(&line).unwrap();
    store.close_turn(&closing(id, "done", at(4))).unwrap();
    let holds = || {
        let files = std::fs::read_dir(dir.path()).unwrap().flatten().map(|entry| entry.path());
        files.filter(|path| path.is_file()).any(|path| {
            let bytes = std::fs::read(&path).unwrap();
            bytes.windows(secret.len()).any(|window| window == secret.as_bytes())
        })
    };
    assert!(holds(), "it is looked for where it is");
    purge(&store, conversation_id);
    drop(store);
    assert!(!holds());
    for table in ["run_nodes", "outputs", "outputs_kept", "inbox", "messages", "message_index"] {
        assert_eq!(rows(&dir, table), 0, "{table}");
    }
}
