//! `silt tree` and `silt evaluate`.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use siltstone_contract::{
    ConversationRef, CreateConversation, CreateTree, ExecutionTree, ProjectRef, RunTree, TurnRef,
};
use siltstone_engine::ids::{ConversationId, ProjectId};
use siltstone_engine::workflow::{PlanRunState, WaitingWhy, Workflow};

use super::calls::{self, Allowed};
use super::named;
use super::session::project;
use crate::args::{Evaluate, Tree};
use crate::host::Host;
use crate::input;
use crate::out::Stop;
use crate::words;

/// How often is looked whether something waits for an answer.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

pub async fn run(host: &Host, command: Tree) -> Result<(), Stop> {
    match command {
        Tree::Create { conversation, goal } => {
            let conversation_id = conversation_of(host, conversation.as_deref()).await?;
            let request = CreateTree { conversation_id, goal: goal.join(" ") };
            let tree = tokio::select! {
                tree = host.app.tree_create(request) => tree?,
                _ = tokio::signal::ctrl_c() => {
                    host.app.stop(ConversationRef { id: conversation_id }).await?;
                    return Err(Stop::Interrupted);
                }
            };
            show_tree(host, &tree)
        }
        Tree::Run { conversation, allow, file } => {
            let tree = read(&file)?;
            let project = project(host).await?;
            let conversation_id = conversation_of(host, conversation.as_deref()).await?;
            host.app.tree_run(RunTree { conversation_id, tree }).await?;
            follow(host, project, conversation_id, &allow).await
        }
        Tree::GoOn { allow } => {
            let project = project(host).await?;
            host.app.tree_go_on(ProjectRef { id: project }).await?;
            let run = host.app.workflow_get(ProjectRef { id: project }).await?.run;
            let Some(run) = run else { return Ok(()) };
            follow(host, project, run.asked.conversation_id, &allow).await
        }
        Tree::Stop => {
            let project = project(host).await?;
            let work = host.app.tree_stop(ProjectRef { id: project }).await?;
            show_work(host, &work)
        }
    }
}

pub async fn evaluate(host: &Host, command: Evaluate) -> Result<(), Stop> {
    let turn = TurnRef { id: named::turn(host, &command.turn).await? };
    let verdict = host.app.turn_evaluate(turn).await?;
    if host.out.json {
        return host.out.value(&verdict);
    }
    verdict.criteria.iter().try_for_each(|criterion| {
        let met = if criterion.met { "+" } else { "-" };
        host.out.line(&format!("{met} {}\n    {}", criterion.text, criterion.why))
    })
}

/// The conversation that was named, else a new one of the call's project.
async fn conversation_of(host: &Host, typed: Option<&str>) -> Result<ConversationId, Stop> {
    if let Some(typed) = typed {
        return named::conversation(host, typed).await;
    }
    let project_id = host.project().await?.map(|project| project.id);
    Ok(host.app.conversation_create(CreateConversation { project_id }).await?.id)
}

fn read(file: &Path) -> Result<ExecutionTree, Stop> {
    let text = input::text(file)?;
    serde_json::from_str(&text).map_err(|error| Stop::Usage(error.to_string()))
}

/// Waits until a plan is done or waits. Nobody is there to be asked: what was not allowed before is refused.
async fn follow(
    host: &Host,
    project: ProjectId,
    conversation: ConversationId,
    allow: &[String],
) -> Result<(), Stop> {
    host.out.note(&format!("{} {conversation}", host.out.lang.pick("conversation", "대화")));
    let settled = host.app.plan_settled(project);
    tokio::pin!(settled);
    let mut allowed = Allowed::of(allow);
    loop {
        tokio::select! {
            () = &mut settled => break,
            _ = tokio::signal::ctrl_c() => {
                host.app.stop(ConversationRef { id: conversation }).await?;
            }
            () = tokio::time::sleep(LOOK_AGAIN) => {
                calls::answer(host, conversation, &mut allowed).await?;
            }
        }
    }
    let work = host.app.workflow_get(ProjectRef { id: project }).await?;
    show_work(host, &work)?;
    if work.run.is_some() { Err(Stop::Interrupted) } else { Ok(()) }
}

fn show_tree(host: &Host, tree: &ExecutionTree) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(tree);
    }
    host.out.line(&tree.title)?;
    for (place, step) in tree.steps.iter().enumerate() {
        let after: Vec<String> = step.after.iter().map(|after| (after + 1).to_string()).collect();
        let after =
            if after.is_empty() { String::new() } else { format!(" <{}>", after.join(", ")) };
        host.out.line(&format!("{}. {}{after}", place + 1, step.title))?;
        step.acceptance.iter().try_for_each(|it| host.out.line(&format!("    - {it}")))?;
    }
    Ok(())
}

fn show_work(host: &Host, work: &Workflow) -> Result<(), Stop> {
    let tasks = work.current_plan().map(|plan| plan.tasks.as_slice()).unwrap_or_default();
    if host.out.json {
        return host.out.value(&json!({"run": work.run, "tasks": tasks}));
    }
    for task in tasks {
        let now = if work.current_task_id.as_ref() == Some(&task.id) { ">" } else { " " };
        host.out.line(&format!(
            "{now} {}  {}  {}",
            task.id,
            host.out.lang.term(&task.status),
            task.title
        ))?;
    }
    if let Some(PlanRunState::Waiting { why }) = work.run.as_ref().map(|run| &run.state) {
        host.out.note(&waits(host, why));
    }
    Ok(())
}

fn waits(host: &Host, why: &WaitingWhy) -> String {
    let say = |en, ko| host.out.lang.pick(en, ko).to_owned();
    match why {
        WaitingWhy::NotMet { criteria } => {
            let missing = criteria.iter().filter(|criterion| !criterion.met);
            let heading = say("Not met yet:", "아직 채우지 못한 것:");
            missing.fold(heading, |all, it| format!("{all}\n- {}: {}", it.text, it.why))
        }
        WaitingWhy::Stopped => say("Stopped.", "멈췄습니다."),
        WaitingWhy::Interrupted => say("Interrupted.", "중단되었습니다."),
        WaitingWhy::Failed { code } => {
            format!(
                "{} {}",
                say("It failed:", "실패했습니다:"),
                words::of_code(host.out.lang, code)
            )
        }
        WaitingWhy::NotJudged { code } => {
            let begin = say("It could not be judged:", "판단하지 못했습니다:");
            format!("{begin} {}", words::of_code(host.out.lang, code))
        }
        WaitingWhy::Blocked => {
            say("What is left waits for other tasks.", "남은 할 일이 다른 할 일을 기다립니다.")
        }
    }
}
