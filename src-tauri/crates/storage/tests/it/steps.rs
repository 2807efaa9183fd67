//! Turns of several steps: replies that call tools, and the results that follow them.

use siltstone_engine::conversation::ConversationPatch;
use siltstone_engine::ids::{BranchId, MessageId, NodeId, TurnId};
use siltstone_engine::message::{Message, MessageStatus, Part, Role};
use siltstone_engine::ports::{NewMessage, StoreError, Transcripts, TurnClosing, TurnOpening};
use siltstone_engine::run::{NodeKind, NodeStatus, RunNode};
use siltstone_engine::search::SearchScope;
use siltstone_engine::tool::{Effect, ToolRecords};
use siltstone_engine::turn::{TurnStatus, Usage};
use siltstone_storage::Store;

use crate::it::support::{Dice, at, closing, message, new_conversation, opening, say, store};

pub fn call(id: &str, arguments: &str) -> Part {
    Part::ToolCall {
        id: id.into(),
        name: "read_file".into(),
        arguments: arguments.into(),
        seal: None,
    }
}

fn text(text: &str) -> Part {
    Part::Text { text: text.into() }
}

/// The result of a call as a message of the turn.
pub fn result(turn: &TurnOpening, parent: MessageId, call: &str, said: &str) -> NewMessage {
    let now = turn.turn.opened_at;
    let mut new = message(turn.turn.conversation_id, Some(parent), Role::Tool, "", now);
    new.message.turn_id = Some(turn.turn.id);
    new.message.parts = vec![Part::ToolResult {
        call_id: call.into(),
        text: said.into(),
        is_error: false,
        kept: None,
    }];
    new
}

/// The empty reply of the turn's next step.
pub fn next_reply(turn: &TurnOpening, parent: MessageId) -> NewMessage {
    let now = turn.turn.opened_at;
    let mut new = message(turn.turn.conversation_id, Some(parent), Role::Assistant, "", now);
    new.message.turn_id = Some(turn.turn.id);
    new.message.status = MessageStatus::Streaming;
    new
}

pub fn model_node(turn: TurnId, message_id: MessageId, status: NodeStatus) -> RunNode {
    RunNode {
        id: NodeId::new(at(1)),
        turn_id: turn,
        parent: None,
        kind: NodeKind::Model { model: "m".into(), message_id },
        status,
        started_at: at(1),
        ended_at: None,
        usage: None,
        cost: None,
    }
}

pub fn tool_node(turn: TurnId, call: &str, status: NodeStatus) -> RunNode {
    let kind = NodeKind::Tool {
        tool: "read_file".into(),
        call_id: call.into(),
        effect: Effect::Reads,
        message_id: None,
        about: "src/상태.rs".into(),
        touched: vec!["src/상태.rs".into()],
        checkpoint_id: None,
        left_id: None,
        kept: false,
    };
    RunNode { kind, ..model_node(turn, MessageId::new(at(1)), status) }
}

fn path(store: &Store, turn: &TurnOpening) -> Vec<Message> {
    let page = store.page(turn.turn.conversation_id, None, 100).unwrap();
    page.messages.into_iter().map(|found| found.message).collect()
}

/// A turn whose first reply called `a` and `b`, of which `a` has its result. Gives that result's message.
fn half_way(store: &Store) -> (TurnOpening, MessageId) {
    let turn = opening(new_conversation(store), None, "무엇이 틀렸나?", at(1));
    store.open_turn(&turn).unwrap();
    let calls = [text("먼저 본다."), call("a", r#"{"path":"granite"}"#), call("b", "{}")];
    store.finish_step(turn.turn.id, &calls, 21).unwrap();
    let first = result(&turn, turn.turn.reply_id, "a", "limestone 한 줄");
    store.append_result(turn.turn.id, &first).unwrap();
    (turn, first.message.id)
}

fn assert_conflict<T: std::fmt::Debug>(result: Result<T, StoreError>) {
    assert!(matches!(result, Err(StoreError::Conflict { .. })), "{result:?}");
}

#[test]
fn a_turn_of_two_steps_is_one_chain_and_any_reply_of_it_names_it() {
    let (_dir, store) = store();
    let (turn, a) = half_way(&store);
    let (id, first) = (turn.turn.id, turn.turn.reply_id);
    let b = result(&turn, a, "b", "sandstone 두 줄");
    store.append_result(id, &b).unwrap();
    let last = next_reply(&turn, b.message.id);
    store.begin_step(id, &last).unwrap();
    assert_eq!(store.turn(id).unwrap().reply_id, last.message.id);
    store.append_partial(id, "세미콜론이 ").unwrap();
    let streamed = store.message(last.message.id).unwrap().message;
    assert_eq!(streamed.text(), "세미콜론이 ");
    assert_eq!(store.message(first).unwrap().message.text(), "먼저 본다.", "each has its own text");
    let usage =
        Some(Usage { input_tokens: 900, output_tokens: 40, exact: true, ..Usage::default() });
    let closed = closing(id, "세미콜론이 빠졌다.", at(9));
    store.close_turn(&TurnClosing { usage, cost: Some(7), ..closed }).unwrap();

    let messages = path(&store, &turn);
    let roles: Vec<Role> = messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Tool, Role::Assistant]);
    assert!(messages.iter().all(|message| message.turn_id == Some(id)));
    assert!(messages.iter().all(|message| message.status == MessageStatus::Complete));
    assert_eq!((messages[1].tokens, messages[1].parts.len(), messages[4].tokens), (21, 3, 7));
    let conversation = store.conversation(turn.turn.conversation_id).unwrap();
    assert_eq!(conversation.message_count, 5);
    assert_eq!(conversation.updated_at, at(9));

    let turns = |replies: &[MessageId]| store.turns_of_replies(replies).unwrap();
    let of_last = turns(&[last.message.id]);
    assert_eq!((of_last[0].usage, of_last[0].cost, of_last.len()), (usage, Some(7), 1));
    assert_eq!(turns(&[first]), of_last, "the first reply is of the same turn");
    assert_eq!(turns(&[first, last.message.id]), of_last, "and it is given once");
    assert_eq!(turns(&[turn.turn.user_message_id, a]), [], "no replies");
    assert_eq!(store.spent_in(turn.turn.conversation_id).unwrap().cost, 7);
}

#[test]
fn results_are_found_at_the_reply_that_asked_and_arguments_are_not() {
    let (_dir, store) = store();
    let (turn, a) = half_way(&store);
    let b = result(&turn, a, "b", "limestone 둘째, limestone 셋째");
    store.append_result(turn.turn.id, &b).unwrap();
    let find = |word: &str| store.search(word, &SearchScope::default(), 9).unwrap();
    let found = find("limestone");
    assert_eq!((found.total, found.hits.len()), (2, 1), "two results of one reply are one hit");
    let hit = &found.hits[0];
    assert_eq!((hit.message_id, hit.role), (turn.turn.reply_id, Role::Assistant));
    assert!(hit.snippet.iter().any(|part| part.hit && part.text == "limestone"));
    assert_eq!(find("한 줄").hits[0].message_id, turn.turn.reply_id);
    assert_eq!(find("먼저").total, 1, "what the reply says is found while its calls go on");
    assert_eq!(find("granite").total, 0, "what is written for a tool to read is not");
    store.close_turn(&closing(turn.turn.id, "", at(3))).unwrap();
    assert_eq!(find("먼저").total, 1, "once, however often the turn ends");

    // A result alone, as other programs' transcripts have them.
    let alone = new_conversation(&store);
    let mut new = message(alone, None, Role::Tool, "", at(4));
    new.message.parts = result(&turn, a, "x", "marble").message.parts;
    store.append_message(&new).unwrap();
    assert_eq!(find("marble").hits[0].message_id, new.message.id);
    let trash = ConversationPatch { deleted_at: Some(Some(at(5))), ..Default::default() };
    store.update_conversation(alone, &trash).unwrap();
    store.purge_conversation(alone).unwrap();
    assert_eq!(find("marble").total, 0);
}

/// A call is durable before anything runs, and every call has its result before the next request.
#[test]
fn the_order_of_steps_is_held() {
    let (_dir, store) = store();
    let fresh = opening(new_conversation(&store), None, "q", at(1));
    store.open_turn(&fresh).unwrap();
    let early = result(&fresh, fresh.turn.reply_id, "a", "early");
    assert_conflict(store.append_result(fresh.turn.id, &early));
    assert_conflict(store.begin_step(fresh.turn.id, &next_reply(&fresh, fresh.turn.reply_id)));

    let (turn, a) = half_way(&store);
    let id = turn.turn.id;
    assert_conflict(store.finish_step(id, &[text("other")], 1));
    assert_conflict(store.append_result(id, &result(&turn, a, "a", "twice")));
    assert_conflict(store.append_result(id, &result(&turn, a, "z", "nobody asked")));
    assert_conflict(store.append_result(id, &result(&turn, turn.turn.user_message_id, "b", "")));
    assert_conflict(store.append_result(id, &result(&fresh, a, "b", "another turn's")));
    assert_conflict(store.begin_step(id, &next_reply(&turn, a)));
    assert_conflict(store.begin_step(id, &next_reply(&fresh, a)));
    assert_eq!(path(&store, &turn).len(), 3, "nothing of what was refused is there");
    let b = result(&turn, a, "b", "in time");
    store.append_result(id, &b).unwrap();
    store.begin_step(id, &next_reply(&turn, b.message.id)).unwrap();
    store.close_turn(&closing(id, "done", at(9))).unwrap();
    assert_conflict(store.finish_step(id, &[], 0));
    assert_conflict(store.append_result(id, &result(&turn, a, "b", "late")));
    assert_conflict(store.begin_step(id, &next_reply(&turn, a)));
}

#[test]
fn two_calls_of_one_id_have_a_result_each() {
    let (_dir, store) = store();
    let turn = opening(new_conversation(&store), None, "q", at(1));
    store.open_turn(&turn).unwrap();
    let id = turn.turn.id;
    store.finish_step(id, &[call("", "{}"), call("", "{}")], 1).unwrap();
    let first = result(&turn, turn.turn.reply_id, "", "1");
    store.append_result(id, &first).unwrap();
    assert_conflict(store.begin_step(id, &next_reply(&turn, first.message.id)));
    let second = result(&turn, first.message.id, "", "2");
    store.append_result(id, &second).unwrap();
    assert_conflict(store.append_result(id, &result(&turn, second.message.id, "", "3")));
    store.begin_step(id, &next_reply(&turn, second.message.id)).unwrap();
}

#[test]
fn a_turn_that_ends_while_tools_run_keeps_its_calls() {
    let (_dir, store) = store();
    let (turn, _) = half_way(&store);
    let id = turn.turn.id;
    store.put_node(&tool_node(id, "a", NodeStatus::Done)).unwrap();
    store.put_node(&tool_node(id, "b", NodeStatus::Waiting)).unwrap();
    let stopped = TurnClosing {
        status: TurnStatus::Interrupted,
        reply_status: MessageStatus::Interrupted,
        parts: Vec::new(),
        tokens: 0,
        ..closing(id, "", at(9))
    };
    store.close_turn(&stopped).unwrap();
    let reply = store.message(turn.turn.reply_id).unwrap().message;
    assert_eq!((reply.parts.len(), reply.tokens), (3, 21), "a message that is whole stays so");
    assert_eq!(reply.status, MessageStatus::Interrupted);
    assert_eq!(path(&store, &turn).len(), 3);
    let nodes = store.nodes(id).unwrap();
    let seen: Vec<_> = nodes.iter().map(|node| (node.status, node.ended_at)).collect();
    assert_eq!(seen, [(NodeStatus::Done, None), (NodeStatus::Stopped, Some(at(9)))]);
}

#[test]
fn whoever_finds_a_turn_without_its_process_closes_it_where_it_stood() {
    let usage =
        |input_tokens| Usage { input_tokens, output_tokens: 5, exact: true, ..Usage::default() };
    for stage in 0..4 {
        let (dir, store) = store();
        let (turn, a) = half_way(&store);
        let id = turn.turn.id;
        let mut reply = turn.turn.reply_id;
        let done = RunNode { usage: Some(usage(100)), ..model_node(id, reply, NodeStatus::Done) };
        store.put_node(&done).unwrap();
        store.put_node(&tool_node(id, "b", NodeStatus::Running)).unwrap();
        if stage > 0 {
            let b = result(&turn, a, "b", "the other");
            store.append_result(id, &b).unwrap();
            if stage > 1 {
                let next = next_reply(&turn, b.message.id);
                store.begin_step(id, &next).unwrap();
                reply = next.message.id;
                let more =
                    RunNode { usage: Some(usage(250)), ..model_node(id, reply, NodeStatus::Done) };
                store.put_node(&more).unwrap();
            }
            if stage > 2 {
                store.append_partial(id, "여기까").unwrap();
                store.append_partial(id, "지").unwrap();
            }
        }
        drop(store);
        let store = Store::open(dir.path(), at(50)).unwrap();
        let nodes = store.nodes(id).unwrap();
        assert_eq!(nodes[1].status, NodeStatus::Stopped, "before anybody closed the turn");
        assert_eq!(store.recover_turns(at(60)).unwrap(), [id]);
        let closed = store.turn(id).unwrap();
        assert_eq!((closed.status, closed.reply_id), (TurnStatus::Interrupted, reply));
        let counted = if stage > 1 { 350 } else { 100 };
        assert_eq!(closed.usage.map(|usage| usage.input_tokens), Some(counted), "stage {stage}");
        let messages = path(&store, &turn);
        assert_eq!(messages.len(), [3, 4, 5, 5][stage]);
        let last = store.message(reply).unwrap().message;
        assert_eq!(last.status, MessageStatus::Interrupted);
        match stage {
            3 => assert_eq!(last.text(), "여기까지"),
            2 => assert_eq!(last.parts, []),
            _ => assert_eq!((last.parts.len(), last.tokens), (3, 21)),
        }
        let first = store.message(turn.turn.reply_id).unwrap().message;
        assert_eq!(first.parts.len(), 3, "a call that was durable is there");
        let nodes = store.nodes(id).unwrap();
        assert_eq!((nodes[1].status, nodes[1].ended_at), (NodeStatus::Stopped, Some(at(60))));
        assert_eq!(nodes[0], done, "what was done is as it was");
        let again =
            opening(turn.turn.conversation_id, messages.last().map(|it| it.id), "on", at(61));
        store.open_turn(&again).unwrap();
    }
}

#[test]
fn edits_and_other_answers_leave_the_steps_of_the_first_on_their_branch() {
    let (_dir, store) = store();
    let (turn, a) = half_way(&store);
    let (id, conversation) = (turn.turn.id, turn.turn.conversation_id);
    let b = result(&turn, a, "b", "b");
    store.append_result(id, &b).unwrap();
    let last = next_reply(&turn, b.message.id);
    store.begin_step(id, &last).unwrap();
    store.close_turn(&closing(id, "the first answer", at(2))).unwrap();
    let shown = || -> Vec<MessageId> { path(&store, &turn).iter().map(|it| it.id).collect() };
    let whole = shown();

    // Another answer to the question, and another one on the same results.
    let mut again = opening(conversation, None, "", at(3));
    again.question = None;
    again.turn.user_message_id = turn.turn.user_message_id;
    again.reply.message.parent_id = Some(turn.turn.user_message_id);
    store.open_turn(&again).unwrap();
    store.close_turn(&closing(again.turn.id, "the second answer", at(4))).unwrap();
    assert_eq!(shown(), [turn.turn.user_message_id, again.turn.reply_id]);
    let siblings = store.message(turn.turn.reply_id).unwrap().siblings;
    assert_eq!(siblings.ids, [turn.turn.reply_id, again.turn.reply_id]);
    let mut on_results = opening(conversation, None, "", at(5));
    on_results.question = None;
    on_results.turn.user_message_id = turn.turn.user_message_id;
    on_results.reply.message.parent_id = Some(b.message.id);
    store.open_turn(&on_results).unwrap();
    store.close_turn(&closing(on_results.turn.id, "the third answer", at(6))).unwrap();
    assert_eq!(shown()[..4], whole[..4]);
    assert_eq!(shown()[4], on_results.turn.reply_id);
    store.activate(last.message.id).unwrap();
    assert_eq!(shown(), whole);

    // An edit, and the way back to the middle of the steps.
    let edited = say(&store, conversation, None, "edited", 7);
    assert_eq!(shown(), [edited]);
    store.rewind(conversation, Some(a), BranchId::new(at(8))).unwrap();
    assert_eq!(shown(), whole[..3]);
    let on = say(&store, conversation, Some(a), "on from a result", 9);
    assert_eq!(shown(), [&whole[..3], &[on]].concat());
    assert_eq!(store.all_messages(conversation).unwrap().len(), 9);
    let page = store.page(conversation, Some(1), 2).unwrap();
    assert_eq!((page.total, page.messages.len()), (4, 2));
}

#[test]
fn a_turn_that_goes_on_does_not_take_the_person_away_from_another_branch() {
    let (_dir, store) = store();
    let conversation = new_conversation(&store);
    let first = say(&store, conversation, None, "one way", 1);
    let turn = opening(conversation, None, "the other way", at(2));
    store.open_turn(&turn).unwrap();
    store.finish_step(turn.turn.id, &[call("a", "{}")], 1).unwrap();
    let shown = || -> Vec<MessageId> { path(&store, &turn).iter().map(|it| it.id).collect() };
    assert_eq!(shown().len(), 2);
    store.activate(first).unwrap();
    let answer = result(&turn, turn.turn.reply_id, "a", "x");
    store.append_result(turn.turn.id, &answer).unwrap();
    let next = next_reply(&turn, answer.message.id);
    store.begin_step(turn.turn.id, &next).unwrap();
    assert_eq!(shown(), [first]);
    store.close_turn(&closing(turn.turn.id, "there", at(3))).unwrap();
    assert_eq!(shown(), [first]);
    store.activate(turn.turn.reply_id).unwrap();
    assert_eq!(shown().len(), 4, "and everything is on its own");
}

/// What a turn may do next, kept in a few words.
struct Expected {
    /// The newest reply is whole.
    whole: bool,
    /// Calls of the newest reply without a result.
    waiting: Vec<String>,
    /// The path from the question on: roles, and what a result answers.
    path: Vec<(Role, Option<String>)>,
    open: bool,
}

/// Whatever is asked in whatever order, what is refused leaves nothing, and what is there is a turn as it has to be.
#[test]
fn steps_in_any_order_leave_a_turn_as_it_has_to_be() {
    for seed in 0..40 {
        let (_dir, store) = store();
        let mut dice = Dice(seed);
        let turn = opening(new_conversation(&store), None, "q", at(1));
        store.open_turn(&turn).unwrap();
        let id = turn.turn.id;
        let mut expected = Expected {
            whole: false,
            waiting: Vec::new(),
            path: vec![(Role::User, None), (Role::Assistant, None)],
            open: true,
        };
        for _ in 0..40 {
            let tip = path(&store, &turn).last().unwrap().id;
            match dice.below(12) {
                0..=2 => {
                    let names: Vec<String> =
                        (0..dice.below(4)).map(|name| name.to_string()).collect();
                    let parts: Vec<Part> = names.iter().map(|name| call(name, "{}")).collect();
                    let done = store.finish_step(id, &parts, 1);
                    assert_eq!(done.is_ok(), expected.open && !expected.whole, "{seed}");
                    if done.is_ok() {
                        (expected.whole, expected.waiting) = (true, names);
                    }
                }
                3..=7 => {
                    let name = dice.below(4).to_string();
                    let done = store.append_result(id, &result(&turn, tip, &name, &name));
                    let place = expected.waiting.iter().position(|waits| *waits == name);
                    let may = expected.open && expected.whole && place.is_some();
                    assert_eq!(done.is_ok(), may, "{seed}");
                    if done.is_ok() {
                        expected.waiting.remove(place.unwrap());
                        expected.path.push((Role::Tool, Some(name)));
                    }
                }
                8..=9 => {
                    let done = store.begin_step(id, &next_reply(&turn, tip));
                    let may = expected.open && expected.whole && expected.waiting.is_empty();
                    assert_eq!(done.is_ok(), may, "{seed}");
                    if done.is_ok() {
                        expected.whole = false;
                        expected.path.push((Role::Assistant, None));
                    }
                }
                10 => {
                    let done = store.append_partial(id, "more");
                    assert_eq!(done.is_ok(), expected.open && !expected.whole, "{seed}");
                }
                _ if dice.below(4) == 0 => {
                    let done = store.close_turn(&closing(id, "end", at(9)));
                    assert_eq!(done.is_ok(), expected.open, "{seed}");
                    expected.open = false;
                }
                _ => {}
            }
            let answered = |message: &Message| match message.parts.first() {
                Some(Part::ToolResult { call_id, .. }) => Some(call_id.clone()),
                _ => None,
            };
            let messages = path(&store, &turn);
            let seen: Vec<_> = messages.iter().map(|it| (it.role, answered(it))).collect();
            assert_eq!(seen, expected.path, "{seed}");
            let newest = messages.iter().rfind(|it| it.role == Role::Assistant).unwrap();
            assert_eq!(store.turn(id).unwrap().reply_id, newest.id, "{seed}");
        }
    }
}
