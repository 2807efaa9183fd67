//! Every change, what refuses it, and that ids are those of the design.

use rstest::rstest;

use super::*;
use WorkflowChange as Change;

fn now() -> Timestamp {
    "2024-05-27T11:03:52Z".parse().unwrap()
}

fn plan(title: &str) -> Change {
    Change::AddPlan { title: title.into(), description: String::new() }
}

fn task(title: &str, depends_on: &[&str]) -> Change {
    let depends_on = depends_on.iter().map(|id| (*id).to_owned()).collect();
    let (notes, acceptance) = (String::new(), Vec::new());
    Change::AddTask { plan_id: None, title: title.into(), notes, acceptance, depends_on }
}

fn start(id: &str) -> Change {
    Change::StartTask { id: id.into() }
}

fn finish(id: &str) -> Change {
    Change::FinishTask { id: id.into() }
}

fn after(changes: &[Change]) -> Workflow {
    let begin = Workflow::new("Flow");
    changes.iter().fold(begin, |state, change| state.apply(change, now()).unwrap())
}

/// Two plans; in the first, `task_002` waits for `task_001`.
fn two_plans() -> Workflow {
    after(&[plan("Auth"), task("Tokens", &[]), task("Refresh", &["task_001"]), plan("Docs")])
}

#[test]
fn ids_are_those_of_the_seed_and_the_first_plan_is_worked_on() {
    let work = two_plans();
    let ids: Vec<&str> = work.plans.iter().map(|plan| plan.id.as_str()).collect();
    assert_eq!(ids, ["plan_001", "plan_002"]);
    assert_eq!(work.current_plan_id.as_deref(), Some("plan_001"));
    assert_eq!(work.plans[0].status, PlanStatus::Active);
    assert_eq!(work.plans[1].status, PlanStatus::Open);
    assert_eq!(work.task("task_002").unwrap().depends_on, ["task_001"]);
    assert_eq!(work.revision, 4);
}

#[test]
fn a_task_begins_when_what_it_waits_for_is_done() {
    let work = two_plans();
    let blocked = WorkflowError::Blocked { id: "task_002".into(), by: vec!["task_001".into()] };
    assert_eq!(work.apply(&start("task_002"), now()), Err(blocked.clone()));
    assert_eq!(work.apply(&finish("task_002"), now()), Err(blocked));

    let work = work.apply(&start("task_001"), now()).unwrap();
    assert_eq!(work.current_task().unwrap().status, TaskStatus::Doing);
    let work = work.apply(&finish("task_001"), now()).unwrap();
    assert_eq!(work.task("task_001").unwrap().finished_at, Some(now()));
    assert_eq!(work.current_task_id, None);
    let work = work.apply(&start("task_002"), now()).unwrap();
    assert_eq!(work.current_task_id.as_deref(), Some("task_002"));
}

#[test]
fn switching_leaves_one_plan_active_and_finds_its_task_again() {
    let work = two_plans().apply(&start("task_001"), now()).unwrap();
    let away = work.apply(&Change::SwitchPlan { id: Some("plan_002".into()) }, now()).unwrap();
    assert_eq!((away.current_task_id.as_deref(), away.plans[0].status), (None, PlanStatus::Open));
    let back = away.apply(&Change::SwitchPlan { id: Some("plan_001".into()) }, now()).unwrap();
    assert_eq!(back.current_task_id.as_deref(), Some("task_001"));
    let done = back.apply(&Change::FinishPlan { id: "plan_001".into() }, now()).unwrap();
    assert_eq!((done.current_plan_id, done.current_task_id), (None, None));
    assert_eq!(done.plans[0].status, PlanStatus::Done);
}

/// Starting a task of another plan works on that plan.
#[test]
fn a_task_brings_its_plan_along() {
    let add = Change::AddTask {
        plan_id: Some("plan_002".into()),
        title: "Index".into(),
        notes: String::new(),
        acceptance: vec!["every page is listed".into()],
        depends_on: Vec::new(),
    };
    let work = two_plans().apply(&add, now()).unwrap();
    let work = work.apply(&start("task_003"), now()).unwrap();
    assert_eq!(work.current_plan().unwrap().title, "Docs");
    assert_eq!(work.plans[0].status, PlanStatus::Open);
}

#[test]
fn tasks_never_wait_for_themselves() {
    let wait = |id: &str, depends_on: &[&str]| Change::EditTask {
        id: id.into(),
        title: None,
        notes: None,
        acceptance: None,
        depends_on: Some(depends_on.iter().map(|id| (*id).to_owned()).collect()),
    };
    let work = two_plans().apply(&task("Logout", &["task_002"]), now()).unwrap();
    for others in [["task_001"], ["task_002"], ["task_003"]] {
        let refused = work.apply(&wait("task_001", &others), now());
        assert_eq!(refused, Err(WorkflowError::Cycle { id: "task_001".into() }), "{others:?}");
    }
    assert!(work.apply(&wait("task_003", &["task_001", "task_002"]), now()).is_ok());
}

#[rstest]
#[case(plan("  "), WorkflowError::Empty)]
#[case(task("x", &["task_009"]), WorkflowError::Unknown { what: "task", id: "task_009".into() })]
#[case(start("task_9"), WorkflowError::Unknown { what: "task", id: "task_9".into() })]
#[case(Change::SwitchPlan { id: Some("plan_9".into()) }, WorkflowError::Unknown { what: "plan", id: "plan_9".into() })]
#[case(Change::RemoveDecision { id: "decision_1".into() }, WorkflowError::Unknown { what: "decision", id: "decision_1".into() })]
fn what_cannot_be_is_refused(#[case] change: Change, #[case] why: WorkflowError) {
    assert_eq!(two_plans().apply(&change, now()), Err(why));
}

#[test]
fn a_task_needs_a_plan_and_an_archived_one_is_not_done() {
    assert_eq!(Workflow::new("Flow").apply(&task("x", &[]), now()), Err(WorkflowError::NoPlan));
    let work = two_plans().apply(&Change::ArchiveTask { id: "task_001".into() }, now()).unwrap();
    let archived = WorkflowError::Archived { id: "task_001".into() };
    assert_eq!(work.apply(&finish("task_001"), now()), Err(archived));
    // It holds nothing up any more, and comes back when it is begun.
    assert!(work.apply(&start("task_002"), now()).is_ok());
    let back = work.apply(&start("task_001"), now()).unwrap();
    assert_eq!(back.task("task_001").unwrap().status, TaskStatus::Doing);
}

#[test]
fn things_are_moved_and_written_anew() {
    let work = two_plans();
    let work = work.apply(&Change::MovePlan { id: "plan_002".into(), to: 0 }, now()).unwrap();
    let work = work.apply(&Change::MoveTask { id: "task_001".into(), to: 9 }, now()).unwrap();
    let edit = Change::EditPlan {
        id: "plan_001".into(),
        title: None,
        description: Some("Sign in".into()),
    };
    let work = work.apply(&edit, now()).unwrap();
    let titles: Vec<&str> = work.plans.iter().map(|plan| plan.title.as_str()).collect();
    let tasks: Vec<&str> = work.tasks().map(|task| task.id.as_str()).collect();
    assert_eq!((titles, tasks), (vec!["Docs", "Auth"], vec!["task_002", "task_001"]));
    assert_eq!(work.plan("plan_001").unwrap().description, "Sign in");
}

#[test]
fn a_decision_knows_its_plan_and_an_id_is_not_given_twice() {
    let decide = |text: &str| Change::AddDecision {
        text: text.into(),
        source: None,
        origin: DecisionOrigin::Person,
    };
    let work = two_plans().apply(&decide("API 호환성 유지하기로 결정"), now()).unwrap();
    let work = work.apply(&decide("/flow stays singular"), now()).unwrap();
    let work = work.apply(&Change::RemoveDecision { id: "decision_001".into() }, now()).unwrap();
    let work = work.apply(&decide("third"), now()).unwrap();
    let ids: Vec<&str> = work.decisions.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids, ["decision_002", "decision_003"]);
    assert_eq!(work.decisions[0].plan_id.as_deref(), Some("plan_001"));
}
