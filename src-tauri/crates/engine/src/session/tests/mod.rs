//! behaviour.md, Sessions: the example of section 2 opens (`file`), section 3 and section 4 (1) and (3)
//! (`registering`), section 4 (2) and section 6 (`hydrating`), the tips of section 5 here and in all of them.

mod file;
mod finding;
mod forgetting;
mod hydrating;
mod merging;
mod registering;

use jiff::{SignedDuration, Timestamp};
use rstest::rstest;

use super::*;
use crate::ids::{ConversationId, MessageId};
use crate::message::Role;
use crate::workflow::{Workflow, WorkflowChange};

/// Section 2 of the design, without its comments and with its two `…` in lists taken out.
const EXAMPLE: &str = r#"{
  "version": "1.0",
  "created_at": "2024-05-27T11:03:52Z",
  "updated_at": "2024-05-27T14:42:18Z",
  "memory": {
    "active_plan_id": "plan_001",
    "active_task_id": "task_004",
    "last_decisions": [
      "API 호환성 유지하기로 결정",
      " /flow 명령 패턴은 단수형 유지"
    ],
    "open_files": ["app/workflow.py", "docs/cli.md"],
    "working_directory": "/repo"
  },
  "conversation": {
    "running_summary": "…400자 이내 오토요약…",
    "recent_window": [
      {"role": "user",      "content": "...", "ts": "2024-05-27T14:23:00Z"},
      {"role": "assistant", "content": "...", "ts": "…"}
    ],
    "vector_cache": [
      {"id": "msg_034", "embedding": [0.21, 0.5]}
    ]
  },
  "stats": {
    "dialog_turns": 34,
    "total_tokens": 8920
  }
}"#;

fn said(role: Role, content: &str) -> Registered<'_> {
    let (id, conversation_id) = (MessageId::new(now()), ConversationId::new(now()));
    Registered { id, conversation_id, role, content, interrupted: false }
}

fn now() -> Timestamp {
    "2024-05-27T11:03:52Z".parse().unwrap()
}

fn later(seconds: i64) -> Timestamp {
    now() + SignedDuration::from_secs(seconds)
}

fn example() -> ContextFile {
    match parse(EXAMPLE.as_bytes()) {
        Parsed::Known(file) => file,
        other => panic!("{other:?}"),
    }
}

/// A workflow in which the example's plan and task are worked on.
fn workflow() -> Workflow {
    let add = |title: &str| WorkflowChange::AddTask {
        plan_id: None,
        title: title.to_owned(),
        notes: "See app/workflow.py.".to_owned(),
        acceptance: vec!["old clients still connect".to_owned()],
        depends_on: Vec::new(),
    };
    let plan = WorkflowChange::AddPlan {
        title: "CLI 재설계".to_owned(),
        description: "명령을 단수형으로 통일해요.".to_owned(),
    };
    let changes = [plan, add("a"), add("b"), add("c"), add("Keep the API compatible")];
    let started = WorkflowChange::StartTask { id: "task_004".to_owned() };
    let begin = Workflow::new("Flow Project");
    let all = changes.iter().chain([&started]);
    all.fold(begin, |state, change| state.apply(change, now()).unwrap())
}

fn us() -> Holder {
    Holder { owner: "mina".into(), host: "desk".into(), pid: 7 }
}

/// Section 5: a lock file settles who writes. Revisions decide, not times.
#[test]
fn section_5_a_lock_of_another_machine_makes_us_read() {
    let other = Holder { owner: "joon".into(), host: "laptop".into(), pid: 7 };
    let held = |holder: &Holder| sighting(LockFile::next(holder, None, now()), None, now());
    let standing_of = |seen: &Sighting, at| standing(Some(seen), &us(), at);
    assert_eq!(standing(None, &us(), now()), Standing::Free);
    assert_eq!(standing_of(&held(&us()), now()), Standing::Ours);
    let beside = Holder { pid: 8, ..us() };
    assert_eq!(standing_of(&held(&beside), now()), Standing::SameMachine);
    let seen = held(&other);
    assert_eq!(standing_of(&seen, later(60)), Standing::Foreign);
    assert_eq!(standing_of(&seen, later(90)), Standing::Stale);
    assert!(Standing::Stale.may_write() && !Standing::Foreign.may_write());

    // Its clock is a year wrong, and it is alive: its revision grows.
    let year = later(365 * 86_400);
    let beat = LockFile::next(&other, Some(&seen.lock), year);
    assert_eq!(beat.revision, 2);
    let seen = sighting(beat, Some(seen), later(90));
    assert_eq!(standing_of(&seen, later(100)), Standing::Foreign);
    let same = sighting(seen.lock.clone(), Some(seen.clone()), later(120));
    assert_eq!(same, seen);

    // Taking over is the next heartbeat, by us.
    let ours = LockFile::next(&us(), Some(&seen.lock), later(130));
    assert_eq!((ours.revision, ours.owner.as_str()), (3, "mina"));
}

fn copies(count: u32, hours: i64) -> Vec<Snapshot> {
    let copy = |number| Snapshot {
        file: BrainFile::Context,
        number,
        at: later(i64::from(number) * hours * 3_600),
        hash: format!("{number:08x}"),
    };
    (1..=count).map(copy).collect()
}

/// Section 5: snapshots every 30 minutes; the newest 48 stay, and one of each of the last 30 days.
#[rstest]
#[case(48, 1, 48)]
#[case(49, 24 * 40, 48)]
#[case(49, 24, 48)]
#[case(60, 24, 48)]
#[case(24 * 60, 1, 48 + 28)]
fn section_5_old_snapshots_go(#[case] count: u32, #[case] hours: i64, #[case] stay: usize) {
    let all = copies(count, hours);
    let gone = overdue(&all);
    let left: Vec<&Snapshot> = all.iter().filter(|it| !gone.contains(it)).collect();
    assert!(left.len().abs_diff(stay) <= 1, "{} stay", left.len());
    assert_eq!(
        &left[left.len() - 48.min(left.len())..],
        all.iter().rev().take(48).rev().collect::<Vec<_>>()
    );
}

/// A clock that was set back does not make the newest copy the oldest.
#[test]
fn the_number_of_a_snapshot_says_which_is_newer() {
    let mut all = copies(60, 24 * 40);
    all.last_mut().unwrap().at = Timestamp::UNIX_EPOCH;
    let gone = overdue(&all);
    assert_eq!(gone.iter().map(|it| it.number).max(), Some(12));
}

#[rstest]
#[case("context-000012-20240527T110352Z-0a1b2c3d.json", true)]
#[case("workflow-000001-20240527T110352Z-0a1b2c3d.json", true)]
#[case("context-12-20240527T110352Z-0a1b2c3d.json", false)]
#[case("context-000012-20240527T110352Z-../../../x.json", false)]
#[case("lock-000012-20240527T110352Z-0a1b2c3d.json", false)]
#[case("context.json", false)]
fn a_snapshot_is_its_name(#[case] name: &str, #[case] is_one: bool) {
    let parsed = Snapshot::parse(name);
    assert_eq!(parsed.map(|snapshot| snapshot.name()).as_deref(), is_one.then_some(name));
}
