//! `/plan …`, `/task …` and `/decide …` in the composer.

use super::{DecisionOrigin, Workflow, WorkflowChange as Change};

/// A command that was typed instead of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slash {
    /// `/plan` or `/task` alone: only looks.
    Show,
    /// Changes something.
    Change(Change),
}

/// Whether a text is meant for the work and not for the model, be it a command that there is or not.
pub fn is_meant(text: &str) -> bool {
    matches!(word(text.trim()).0, "/plan" | "/task" | "/decide")
}

/// The command that a text is; `None` for a message. A plan or task is named by its id or its whole title, and the one
/// that is worked on need not be named.
pub fn parse(text: &str, workflow: &Workflow) -> Option<Slash> {
    let (command, rest) = word(text.trim());
    let (verb, named) = word(rest);
    let change = match (command, verb) {
        ("/plan" | "/task", "" | "list") if named.is_empty() => return Some(Slash::Show),
        ("/plan", "add") => add_plan(named)?,
        ("/plan", "switch") => Change::SwitchPlan { id: Some(plan(named, workflow)?) },
        ("/plan", "finish") => Change::FinishPlan { id: plan(named, workflow)? },
        ("/plan", "archive") => Change::ArchivePlan { id: plan(named, workflow)? },
        ("/task", "add") => add_task(named)?,
        ("/task", "start") => Change::StartTask { id: task(named, workflow)? },
        ("/task", "finish") => Change::FinishTask { id: task(named, workflow)? },
        ("/task", "archive") => Change::ArchiveTask { id: task(named, workflow)? },
        // What begins with no verb is the title of a new one.
        ("/plan", verb) if verb != "list" => add_plan(rest)?,
        ("/task", verb) if verb != "list" => add_task(rest)?,
        ("/decide", _) => {
            let (source, origin) = (None, DecisionOrigin::Person);
            Change::AddDecision { text: some(rest)?, source, origin }
        }
        _ => return None,
    };
    Some(Slash::Change(change))
}

fn add_plan(title: &str) -> Option<Change> {
    Some(Change::AddPlan { title: some(title)?, description: String::new() })
}

fn add_task(title: &str) -> Option<Change> {
    Some(Change::AddTask {
        plan_id: None,
        title: some(title)?,
        notes: String::new(),
        acceptance: Vec::new(),
        depends_on: Vec::new(),
    })
}

/// What was named is passed on also where nothing is called so: the change then says that there is no such thing.
fn plan(named: &str, workflow: &Workflow) -> Option<String> {
    if named.is_empty() {
        return workflow.current_plan_id.clone();
    }
    let called = workflow.plans.iter().find(|plan| plan.title == named);
    Some(called.map_or(named, |plan| &plan.id).to_owned())
}

fn task(named: &str, workflow: &Workflow) -> Option<String> {
    if named.is_empty() {
        return workflow.current_task_id.clone();
    }
    let called = workflow.tasks().find(|task| task.title == named);
    Some(called.map_or(named, |task| &task.id).to_owned())
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// The first word, and what follows it.
fn word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;
    use rstest::rstest;

    fn workflow() -> Workflow {
        let add = |title: &str| Change::AddPlan { title: title.into(), description: String::new() };
        let empty = Workflow::new("p").apply(&add("인증"), Timestamp::UNIX_EPOCH).unwrap();
        empty.apply(&add("Ship it"), Timestamp::UNIX_EPOCH).unwrap()
    }

    #[rstest]
    #[case("/plan", Some(Slash::Show))]
    #[case("/task list", Some(Slash::Show))]
    #[case("/plan switch Ship it", Some(Slash::Change(Change::SwitchPlan { id: Some("plan_002".into()) })))]
    #[case("/plan finish", Some(Slash::Change(Change::FinishPlan { id: "plan_001".into() })))]
    #[case("/task start task_009", Some(Slash::Change(Change::StartTask { id: "task_009".into() })))]
    #[case(
        "/decide API 호환성 유지",
        Some(Slash::Change(Change::AddDecision {
            text: "API 호환성 유지".into(), source: None, origin: DecisionOrigin::Person,
        }))
    )]
    #[case("/plan Refresh tokens", add_plan("Refresh tokens").map(Slash::Change))]
    #[case("/task 토큰 갱신하기", add_task("토큰 갱신하기").map(Slash::Change))]
    #[case("/plan list of things", None)]
    #[case("/task finish", None)]
    #[case("/decide", None)]
    #[case("/plan add", None)]
    #[case("/planning is hard", None)]
    #[case("what does /plan do?", None)]
    fn a_command_is_told_from_a_message(#[case] text: &str, #[case] expected: Option<Slash>) {
        assert_eq!(parse(text, &workflow()), expected);
    }
}
