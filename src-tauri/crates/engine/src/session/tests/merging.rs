//! Two states of one file: nothing that was added is lost, and what contradicts itself is told.

use proptest::prelude::*;

use super::*;
use crate::message::Role;
use crate::workflow::{DecisionOrigin, TaskStatus};
use WorkflowChange as Change;

fn with(work: &Workflow, changes: &[Change]) -> Workflow {
    changes.iter().fold(work.clone(), |state, change| state.apply(change, now()).unwrap())
}

fn task(title: &str) -> Change {
    Change::AddTask {
        plan_id: None,
        title: title.into(),
        notes: String::new(),
        acceptance: Vec::new(),
        depends_on: Vec::new(),
    }
}

fn decide(text: &str) -> Change {
    Change::AddDecision { text: text.into(), source: None, origin: DecisionOrigin::Person }
}

fn rename(title: &str) -> Change {
    Change::EditPlan { id: "plan_001".into(), title: Some(title.into()), description: None }
}

#[test]
fn what_each_side_did_is_in_both() {
    let base = workflow();
    let ours = with(&base, &[rename("Ours"), decide("we"), task("ours")]);
    let finish = Change::FinishTask { id: "task_001".into() };
    let theirs = with(&base, &[finish, decide("they"), task("theirs"), decide("they again")]);
    let Merged { file, conflicts } = merge_workflows(&base, &ours, &theirs).unwrap();
    assert_eq!(conflicts, []);
    assert_eq!(file.plans[0].title, "Ours");
    assert_eq!(file.task("task_001").unwrap().status, TaskStatus::Done);
    let tasks: Vec<&str> = file.tasks().skip(4).map(|task| task.title.as_str()).collect();
    assert_eq!(tasks.len(), 2);
    assert!(tasks.contains(&"ours") && tasks.contains(&"theirs"));
    let texts: Vec<&str> = file.decisions.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
    let mut ids: Vec<&str> = file.decisions.iter().map(|it| it.id.as_str()).collect();
    ids.extend(file.tasks().map(|task| task.id.as_str()));
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "every id is one thing");
    assert_eq!(file.revision, base.revision + 3 + 4);
}

#[test]
fn a_place_that_both_changed_is_told_and_ours_stays() {
    let base = workflow();
    let (ours, theirs) = (with(&base, &[rename("Ours")]), with(&base, &[rename("Theirs")]));
    let Merged { file, conflicts } = merge_workflows(&base, &ours, &theirs).unwrap();
    assert_eq!(file.plans[0].title, "Ours");
    let conflict = MergeConflict {
        at: "plans.plan_001.title".into(),
        ours: "Ours".into(),
        theirs: "Theirs".into(),
    };
    assert_eq!(conflicts, [conflict]);
}

#[test]
fn what_one_side_took_away_goes_unless_the_other_changed_it() {
    let base = with(&workflow(), &[decide("a"), decide("b")]);
    let ours = with(&base, &[Change::RemoveDecision { id: "decision_001".into() }]);
    let merged = merge_workflows(&base, &ours, &base).unwrap();
    assert_eq!(merged.file, ours);
    let mut theirs = base.clone();
    theirs.decisions[0].text = "a, of course".into();
    let merged = merge_workflows(&base, &ours, &theirs).unwrap();
    assert_eq!(merged.conflicts.len(), 1);
    assert_eq!(merged.file.decisions.len(), 2);
}

#[test]
fn an_order_that_only_they_changed_is_theirs() {
    let base = workflow();
    let theirs = with(&base, &[Change::MoveTask { id: "task_004".into(), to: 0 }]);
    let ours = with(&base, &[task("new")]);
    let merged = merge_workflows(&base, &ours, &theirs).unwrap();
    let ids: Vec<&str> = merged.file.tasks().map(|task| task.id.as_str()).collect();
    assert_eq!(ids, ["task_004", "task_001", "task_002", "task_003", "task_005"]);
}

/// Messages of both sides stay in the window, and what was counted adds up.
#[test]
fn sessions_that_went_on_in_two_places_come_together() {
    let say = |file: &ContextFile, content: &str| {
        let with = Registering {
            language: "en",
            window_keep: WINDOW_KEEP,
            count: &|_| 10,
            summarise: &extractive,
        };
        register_message(file, said(Role::User, content), now(), &with)
    };
    let base = example();
    let (ours, theirs) = (say(&base, "here"), say(&say(&base, "there"), "again"));
    let Merged { file, conflicts } = merge(&base, &ours, &theirs).unwrap();
    assert_eq!(conflicts, []);
    let said: Vec<&str> =
        file.conversation.recent_window.iter().map(|it| it.content.as_str()).collect();
    assert_eq!(said.len(), 5, "{said:?}");
    assert!(["here", "there", "again"].iter().all(|it| said.contains(it)));
    assert_eq!((file.stats.dialog_turns, file.stats.total_tokens), (37, 8_950));
}

proptest! {
    /// Whatever both sides add, all of it is there, and a side that did nothing changes nothing.
    #[test]
    fn nothing_that_was_added_is_lost(
        ours in proptest::collection::vec("[a-z]{1,6}", 0..6),
        theirs in proptest::collection::vec("[A-Z]{1,6}", 0..6),
    ) {
        let base = with(&workflow(), &[decide("0")]);
        let add = |texts: &[String]| -> Workflow {
            let changes: Vec<Change> = texts.iter().flat_map(|it| [decide(it), task(it)]).collect();
            with(&base, &changes)
        };
        let (one, other) = (add(&ours), add(&theirs));
        prop_assert_eq!(&merge_workflows(&base, &one, &base).unwrap().file, &one);
        prop_assert_eq!(&merge_workflows(&base, &base, &other).unwrap().file, &other);
        let merged = merge_workflows(&base, &one, &other).unwrap();
        prop_assert!(merged.conflicts.is_empty(), "{:?}", merged.conflicts);
        for text in ours.iter().chain(&theirs) {
            prop_assert!(merged.file.decisions.iter().any(|it| it.text == *text));
            prop_assert!(merged.file.tasks().any(|it| it.title == *text));
        }
        let count = 1 + ours.len() + theirs.len();
        prop_assert_eq!(merged.file.decisions.len(), count);
    }
}
