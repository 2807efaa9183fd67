//! Work that a model is asked for beside answers: plans and their carrying-out, verdicts, titles.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use siltstone_contract::{
    ChangeWorkflow, Code, ConversationRef, CreateTree, ExecutionTree, MessageRef, ProjectRef,
    RenameConversation, RunTree, SaveDraft, Sent, TreeStep, TurnRef,
};
use siltstone_engine::context::TaskKind;
use siltstone_engine::ids::{ConversationId, ProjectId};
use siltstone_engine::message::MessageStatus;
use siltstone_engine::price::Price;
use siltstone_engine::project::Trust;
use siltstone_engine::provider::{FinishReason, ModelRequest, ProviderError};
use siltstone_engine::settings::TaskModel;
use siltstone_engine::summary::Policy;
use siltstone_engine::turn::Usage;
use siltstone_engine::workflow::{PlanRunState, TaskStatus, WaitingWhy, Workflow, WorkflowChange};
use siltstone_test_servers::until::{PATIENCE, until};

use crate::scripted::{Scripted, Step};
use crate::summaries::{is_task, journey_with, talkative};
use crate::world::{Journey, app_on};

const PLAN: &str = "```json\n{\"title\": \"Move the port\", \"steps\": [\
     {\"title\": \"Find the port\", \"notes\": \"in docs\", \"acceptance\": [\"a path is named\"]}, \
     {\"title\": \"Change it\", \"acceptance\": [\"it is 5433\"], \"after\": [0]}]}\n```";

const MET: &str = "{\"criteria\": [{\"number\": 1, \"met\": true, \"why\": \"docs/setup.md\"}]}";
const NOT_MET: &str = "{\"criteria\": [{\"number\": 1, \"met\": false, \"why\": \"no path\"}]}";

fn says(text: &'static str) -> Vec<Step> {
    vec![Step::Say(text), Step::Finish]
}

/// What a request says, all together.
fn text_of(request: &ModelRequest) -> String {
    let sections = request.sections.iter();
    sections.map(|section| section.text.as_str()).collect::<Vec<_>>().join("\n")
}

fn judges(request: &ModelRequest) -> bool {
    is_task(request) && text_of(request).contains("Judge whether the work below")
}

fn asked(model: &Scripted) -> Vec<ModelRequest> {
    model.asked.lock().unwrap().clone()
}

fn tree() -> ExecutionTree {
    let step = |title: &str, criterion: &str, after: &[u32]| TreeStep {
        title: title.into(),
        notes: String::new(),
        acceptance: vec![criterion.into()],
        after: after.to_vec(),
    };
    let steps =
        vec![step("Find the port", "a path is named", &[]), step("Change it", "it is 5433", &[0])];
    ExecutionTree { title: "Move the port".into(), steps }
}

/// Answers questions with a path, and verdicts as this says, by how many there were before.
fn judged(verdict: impl Fn(usize) -> Vec<Step> + Send + Sync + 'static) -> Scripted {
    let verdicts = AtomicUsize::new(0);
    Scripted::answering(move |request| match judges(request) {
        true => verdict(verdicts.fetch_add(1, Ordering::SeqCst)),
        false => says("It is in docs/setup.md: 5433."),
    })
}

async fn planned(model: &Scripted) -> (Journey, ProjectId, ConversationId) {
    let journey = journey_with(model, |_| ()).await;
    let project = journey.open(Trust::Trusted).await;
    let id = journey.conversation(Some(project)).await;
    (journey, project, id)
}

impl Journey {
    async fn plan(&self, id: ConversationId, goal: &str) -> Result<ExecutionTree, Code> {
        let request = CreateTree { conversation_id: id, goal: goal.into() };
        self.app.tree_create(request).await.map_err(|failure| failure.code)
    }

    async fn run_tree(&self, id: ConversationId) -> Sent {
        self.app.tree_run(RunTree { conversation_id: id, tree: tree() }).await.unwrap()
    }

    async fn work(&self, project: ProjectId) -> Workflow {
        self.app.workflow_get(ProjectRef { id: project }).await.unwrap()
    }

    /// The work once its plan goes no further by itself.
    async fn settled_work(&self, project: ProjectId) -> Workflow {
        let settled = self.app.plan_settled(project);
        tokio::time::timeout(PATIENCE, settled).await.unwrap();
        self.work(project).await
    }
}

fn statuses(work: &Workflow) -> Vec<TaskStatus> {
    work.current_plan().unwrap().tasks.iter().map(|task| task.status).collect()
}

fn why(work: &Workflow) -> Option<WaitingWhy> {
    match &work.run.as_ref()?.state {
        PlanRunState::Waiting { why } => Some(why.clone()),
        _ => None,
    }
}

/// behaviour.md, Context stores: a plan is asked for with the persistent and the volatile block before its body; section 6: with
/// the run's and the layers' stores too.
#[tokio::test]
async fn a_plan_is_composed_of_app_layer_and_run() {
    let model = Scripted::answering(|_| says(PLAN));
    let (journey, _, id) = planned(&model).await;
    let made = journey.plan(id, "Move the database to port 5433").await.unwrap();
    let titles: Vec<&str> = made.steps.iter().map(|step| step.title.as_str()).collect();
    assert_eq!(
        (made.title.as_str(), titles),
        ("Move the port", vec!["Find the port", "Change it"])
    );
    assert_eq!((&made.steps[1].after, &made.steps[0].notes), (&vec![0], &"in docs".to_owned()));

    let requests = asked(&model);
    assert_eq!(requests.len(), 1);
    assert!(is_task(&requests[0]) && requests[0].schema.is_some() && requests[0].tools.is_empty());
    let text = text_of(&requests[0]);
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}\n{text}"));
    let parts = [
        "Never break the public API.",
        "provider.work",
        "workingDirectory",
        "executionId",
        "userMessage",
        "model: small",
        "Plan the work for the goal below",
        "Goal:\nMove the database to port 5433",
    ];
    let places: Vec<usize> = parts.iter().map(|part| place(part)).collect();
    assert!(places.is_sorted(), "{places:?}\n{text}");
    assert!(journey.path(id).await.is_empty(), "nothing of it is kept");
}

#[tokio::test]
async fn an_answer_that_is_no_plan_is_asked_for_once_more_with_what_was_wrong() {
    let model = Scripted::new([
        says("{\"title\": \"x\", \"steps\": [{\"title\": \"a\", \"after\": [0]}]}"),
        says(PLAN),
        says("I would look at the port."),
        says("Really."),
    ]);
    let (journey, _, id) = planned(&model).await;
    assert_eq!(journey.plan(id, "Move it").await.unwrap().steps.len(), 2);
    let again = text_of(&asked(&model)[1]);
    assert!(again.contains("step 0 cannot come after step 0"), "{again}");
    assert_eq!(journey.plan(id, "Move it").await, Err(Code::AnswerUnusable));
    assert_eq!(asked(&model).len(), 4);
    assert_eq!(journey.plan(id, "  ").await, Err(Code::BadRequest));
}

#[tokio::test]
async fn the_offline_model_plans_nothing_and_carries_nothing_out() {
    let journey = Journey::offline();
    let project = journey.open(Trust::Trusted).await;
    let id = journey.conversation(Some(project)).await;
    assert_eq!(journey.plan(id, "Move it").await, Err(Code::ModelNeeded));
    let run = journey.app.tree_run(RunTree { conversation_id: id, tree: tree() }).await;
    assert_eq!(run.unwrap_err().code, Code::ModelNeeded);
    assert!(journey.work(project).await.plans.is_empty(), "no plan that nobody asked for is left");
    journey.ask(id, "port").await;
    let turn = journey.path(id).await.pop().unwrap().turn_id.unwrap();
    let verdict = journey.app.turn_evaluate(TurnRef { id: turn }).await;
    assert_eq!(verdict.unwrap_err().code, Code::ModelNeeded);
}

#[tokio::test]
async fn each_kind_of_work_asks_its_own_model_is_paid_for_and_carries_no_secret() {
    let usage = Usage { input_tokens: 1_000, output_tokens: 100, exact: true, ..Usage::default() };
    let model =
        Scripted::answering(move |_| vec![Step::Say(PLAN), Step::Count(usage), Step::Finish]);
    let price =
        Price { input: 3_000_000, cached_input: None, cache_write: None, output: 15_000_000 };
    let journey = journey_with(&model, |settings| {
        let planner = TaskModel { provider: "work".into(), model: "planner".into() };
        settings.tasks.insert(TaskKind::CreateTree, planner);
        settings.prices.insert("planner".into(), price);
        settings.monthly_limit = Some(1_000);
    })
    .await;
    let id = journey.conversation(None).await;
    let secret = ["ghp", "_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    journey.plan(id, &format!("Log in with {secret}")).await.unwrap();
    let request = asked(&model).remove(0);
    assert_eq!(request.model, "planner");
    assert!(!text_of(&request).contains(&secret) && text_of(&request).contains("[redacted: "));
    let spent = journey.app.spending_get(()).await.unwrap();
    assert_eq!(spent.cost, 1_000 * 3_000 + 100 * 15_000);
    assert_eq!(spent.by_model[0].model, "planner");
    // It counts towards the limit like any other request.
    assert_eq!(journey.plan(id, "Again").await, Err(Code::LimitReached));
    assert_eq!(asked(&model).len(), 1);
}

#[tokio::test]
async fn a_request_that_was_refused_costs_nothing() {
    let error = ProviderError::Unauthorised { detail: "no".into() };
    let model = Scripted::new([vec![Step::Fail(error)]]);
    let price = Price { input: 3_000_000, cached_input: None, cache_write: None, output: 1 };
    let journey = journey_with(&model, |settings| {
        settings.prices.insert("small".into(), price);
    })
    .await;
    let id = journey.conversation(None).await;
    assert_eq!(journey.plan(id, "Move it").await, Err(Code::KeyRefused));
    let spent = journey.app.spending_get(()).await.unwrap();
    assert_eq!((spent.cost, spent.by_model.len()), (0, 0));
}

#[tokio::test]
async fn stopping_a_conversation_ends_the_planning_in_it() {
    let model = Scripted::answering(|_| vec![Step::Say("{"), Step::Hang]);
    let (journey, _, id) = planned(&model).await;
    let app = journey.app.clone();
    let planning = tokio::spawn(async move {
        app.tree_create(CreateTree { conversation_id: id, goal: "Move it".into() }).await
    });
    until("the plan to be asked for", async || !asked(&model).is_empty()).await;
    assert_eq!(journey.plan(id, "Another").await, Err(Code::Conflict));
    journey.app.stop(ConversationRef { id }).await.unwrap();
    assert_eq!(planning.await.unwrap().unwrap_err().code, Code::Cancelled);
}

#[tokio::test]
async fn a_plan_is_carried_out_task_after_task_and_what_is_being_written_stays() {
    let model = judged(|_| says(MET));
    let (journey, project, id) = planned(&model).await;
    let draft = SaveDraft { id, text: "half a thought".into() };
    journey.app.conversation_draft(draft).await.unwrap();
    let sent = journey.run_tree(id).await;
    assert!(matches!(sent, Sent::Asked { .. }));
    let work = journey.settled_work(project).await;
    assert_eq!(statuses(&work), [TaskStatus::Done, TaskStatus::Done]);
    assert_eq!((work.run.clone(), work.current_task_id.clone()), (None, None));
    assert_eq!(work.current_plan().unwrap().title, "Move the port");

    let said = journey.said(id).await;
    assert_eq!(said.len(), 4);
    assert_eq!(
        said[0],
        "Carry out this step of the plan “Move the port”: Find the port\n\n\
         It is done when:\n- a path is named"
    );
    assert!(said[2].contains("Change it") && said[2].contains("- it is 5433"), "{}", said[2]);
    let tasks = &work.current_plan().unwrap().tasks;
    let questions = [journey.path(id).await[0].id, journey.path(id).await[2].id];
    assert_eq!(
        tasks.iter().map(|task| task.asked.unwrap().message_id).collect::<Vec<_>>(),
        questions
    );
    let open = journey.app.conversation_get(ConversationRef { id }).await.unwrap();
    assert_eq!(open.draft, "half a thought");

    let verdicts: Vec<String> = asked(&model).iter().filter(|it| judges(it)).map(text_of).collect();
    assert_eq!(verdicts.len(), 2);
    assert!(verdicts[0].contains("Criteria:\n1. a path is named\n"), "{}", verdicts[0]);
    assert!(verdicts[0].contains("The work:\nIt is in docs/setup.md: 5433."), "{}", verdicts[0]);
    assert!(verdicts[0].contains("executionId"), "seed 000: a verdict sees the run");
}

#[tokio::test]
async fn what_is_not_met_waits_for_the_person_and_is_asked_for_again_with_what_is_missing() {
    let model = judged(|before| says(if before == 0 { NOT_MET } else { MET }));
    let (journey, project, id) = planned(&model).await;
    journey.run_tree(id).await;
    let work = journey.settled_work(project).await;
    assert_eq!(statuses(&work), [TaskStatus::Doing, TaskStatus::Todo]);
    let Some(WaitingWhy::NotMet { criteria }) = why(&work) else { panic!("{:?}", work.run) };
    let verdict = (criteria[0].text.as_str(), criteria[0].met, criteria[0].why.as_str());
    assert_eq!(verdict, ("a path is named", false, "no path"));
    assert_eq!(journey.path(id).await.len(), 2, "nothing more is asked by itself");

    journey.app.tree_go_on(ProjectRef { id: project }).await.unwrap();
    let work = journey.settled_work(project).await;
    assert_eq!(statuses(&work), [TaskStatus::Done, TaskStatus::Done]);
    let said = journey.said(id).await;
    assert!(
        said[2].ends_with("What was found missing:\n- a path is named: no path"),
        "{}",
        said[2]
    );
    let more = journey.app.tree_go_on(ProjectRef { id: project }).await;
    assert_eq!(more.unwrap_err().code, Code::Conflict);
}

#[tokio::test]
async fn a_task_that_the_person_finished_is_not_asked_for_again() {
    let model = judged(|before| says(if before == 0 { NOT_MET } else { MET }));
    let (journey, project, id) = planned(&model).await;
    journey.run_tree(id).await;
    let work = journey.settled_work(project).await;
    let task = work.run.unwrap().task_id;
    let change = ChangeWorkflow {
        project_id: project,
        change: WorkflowChange::FinishTask { id: task },
        reset: false,
    };
    journey.app.workflow_change(change).await.unwrap();
    journey.app.tree_go_on(ProjectRef { id: project }).await.unwrap();
    let work = journey.settled_work(project).await;
    assert_eq!(statuses(&work), [TaskStatus::Done, TaskStatus::Done]);
    let said = journey.said(id).await;
    assert!(said[2].contains("Change it") && !said[2].contains("missing"), "{}", said[2]);
}

#[tokio::test]
async fn a_stop_an_error_and_a_verdict_that_does_not_come_wait_for_the_person() {
    // In the answer.
    let model = Scripted::answering(|_| vec![Step::Say("It is"), Step::Hang]);
    let (journey, project, id) = planned(&model).await;
    journey.run_tree(id).await;
    let again = journey.app.tree_run(RunTree { conversation_id: id, tree: tree() }).await;
    assert_eq!(again.unwrap_err().code, Code::Conflict);
    assert_eq!(journey.work(project).await.run.unwrap().state, PlanRunState::Asked);
    journey.app.stop(ConversationRef { id }).await.unwrap();
    assert_eq!(why(&journey.settled_work(project).await), Some(WaitingWhy::Stopped));

    // In the verdict.
    let model = judged(|_| vec![Step::Hang]);
    let (journey, project, id) = planned(&model).await;
    journey.run_tree(id).await;
    journey.settled(id).await;
    until("a verdict to be asked for", async || asked(&model).iter().any(judges)).await;
    assert_eq!(journey.work(project).await.run.unwrap().state, PlanRunState::Judging);
    journey.app.stop(ConversationRef { id }).await.unwrap();
    assert_eq!(why(&journey.settled_work(project).await), Some(WaitingWhy::Stopped));

    // Trouble of the server, in the verdict and in the answer.
    let trouble = || ProviderError::Server { status: 500, detail: "out of memory".into() };
    let model = judged(move |_| vec![Step::Fail(trouble())]);
    let (journey, project, id) = planned(&model).await;
    journey.run_tree(id).await;
    let work = journey.settled_work(project).await;
    assert_eq!(why(&work), Some(WaitingWhy::NotJudged { code: "provider_trouble".into() }));
    assert_eq!(statuses(&work), [TaskStatus::Doing, TaskStatus::Todo]);

    let model = Scripted::answering(move |_| vec![Step::Fail(trouble())]);
    let (journey, project, id) = planned(&model).await;
    journey.run_tree(id).await;
    let work = journey.settled_work(project).await;
    assert_eq!(why(&work), Some(WaitingWhy::Failed { code: "provider_trouble".into() }));

    // An answer that is cut at its greatest length.
    let cut = vec![Step::Say("It is"), Step::FinishBy(FinishReason::Length)];
    let model = Scripted::answering(move |_| cut.clone());
    let (journey, project, id) = planned(&model).await;
    journey.run_tree(id).await;
    let work = journey.settled_work(project).await;
    assert_eq!(why(&work), Some(WaitingWhy::Failed { code: "reply_full".into() }));
    assert_eq!(statuses(&work), [TaskStatus::Doing, TaskStatus::Todo]);
}

#[tokio::test]
async fn a_plan_asks_after_what_the_person_asked_before_and_waits_when_its_message_is_taken_back() {
    let model = Scripted::answering(|_| vec![Step::Say("It is"), Step::Hang]);
    let (journey, project, id) = planned(&model).await;
    journey.send(id, "Which port is it?").await;
    let Sent::Queued { message_id } = journey.run_tree(id).await else { panic!("it waits") };
    assert_eq!(journey.work(project).await.run.unwrap().asked.message_id, message_id);
    journey.app.unqueue(MessageRef { id: message_id }).await.unwrap();
    assert_eq!(why(&journey.settled_work(project).await), Some(WaitingWhy::Stopped));

    // Ending the plan takes it back too, and leaves the person's own reply alone.
    let Sent::Queued { .. } = journey.app.tree_go_on(ProjectRef { id: project }).await.unwrap()
    else {
        panic!("it waits")
    };
    journey.app.tree_stop(ProjectRef { id: project }).await.unwrap();
    let detail = journey.app.conversation_get(ConversationRef { id }).await.unwrap();
    assert!(detail.queued.is_empty() && detail.open_turn.is_some());
    journey.app.stop(ConversationRef { id }).await.unwrap();
    journey.settled(id).await;
    assert_eq!(journey.path(id).await.len(), 2);
}

#[tokio::test]
async fn ending_a_plan_stops_what_is_on_its_way_for_it_and_keeps_its_tasks() {
    let model = Scripted::answering(|_| vec![Step::Say("It is"), Step::Hang]);
    let (journey, project, id) = planned(&model).await;
    journey.run_tree(id).await;
    let work = journey.app.tree_stop(ProjectRef { id: project }).await.unwrap();
    assert_eq!(
        (work.run.clone(), statuses(&work)),
        (None, vec![TaskStatus::Doing, TaskStatus::Todo])
    );
    journey.settled(id).await;
    let reply = journey.path(id).await.pop().unwrap();
    assert_eq!(reply.status, MessageStatus::Interrupted);
    assert_eq!(journey.settled_work(project).await.run, None);
}

#[tokio::test]
async fn after_a_restart_a_plan_waits_and_goes_on_when_it_is_told_to() {
    let hangs = Scripted::answering(|_| vec![Step::Say("It is"), Step::Hang]);
    let (journey, project, id) = planned(&hangs).await;
    journey.run_tree(id).await;
    let data = journey.data;
    // The process ends; what it held open is closed.
    journey.app.stop(ConversationRef { id }).await.unwrap();
    journey.app.plan_settled(project).await;
    drop(journey.app);
    let model = judged(|_| says(MET));
    let app = app_on(data.path(), Arc::new(model.clone()));
    let journey = Journey { app, data, project: journey.project };
    assert!(why(&journey.work(project).await).is_some());
    assert!(asked(&model).is_empty(), "nothing goes on by itself");
    journey.app.tree_go_on(ProjectRef { id: project }).await.unwrap();
    let work = journey.settled_work(project).await;
    assert_eq!(statuses(&work), [TaskStatus::Done, TaskStatus::Done]);
    let said = journey.said(id).await;
    assert!(said[2].ends_with("go on from where it stands."), "{}", said[2]);
}

#[tokio::test]
async fn without_a_task_the_question_is_the_criterion() {
    let model = judged(|before| says(if before == 0 { NOT_MET } else { MET }));
    let (journey, _, id) = planned(&model).await;
    journey.ask(id, "Which port is it?").await;
    let turn = journey.path(id).await[1].turn_id.unwrap();
    let verdict = journey.app.turn_evaluate(TurnRef { id: turn }).await.unwrap();
    assert_eq!((verdict.met, verdict.criteria[0].text.as_str()), (false, "Which port is it?"));
    assert_eq!(verdict.model, "small");
    assert!(journey.app.turn_evaluate(TurnRef { id: turn }).await.unwrap().met);
}

#[tokio::test]
async fn a_chosen_model_names_a_conversation_and_never_over_a_name_of_the_persons() {
    let titles = |request: &ModelRequest| text_of(request).contains("a title of at most six words");
    let model = Scripted::answering(move |request| match titles(request) {
        true => says("“Moving the port”"),
        false => says("5433."),
    });
    let namer = TaskModel { provider: "work".into(), model: "tiny".into() };
    let journey =
        journey_with(&model, |settings| _ = settings.tasks.insert(TaskKind::Title, namer)).await;
    let title =
        async |id| journey.app.conversation_get(ConversationRef { id }).await.unwrap().item.title;
    let id = journey.conversation(None).await;
    journey.ask(id, "Which port does the database listen on?").await;
    until("the title", async || title(id).await == "Moving the port").await;
    journey.ask(id, "And why?").await;
    let asked_for = asked(&model).iter().filter(|it| titles(it)).count();
    let named = asked(&model).iter().find(|it| titles(it)).unwrap().model.clone();
    assert_eq!((asked_for, named.as_str()), (1, "tiny"));

    let own = journey.conversation(None).await;
    let rename = RenameConversation { id: own, title: "Mine".into() };
    journey.app.conversation_rename(rename).await.unwrap();
    journey.ask(own, "Which port?").await;
    journey.ask(id, "And when?").await;
    assert_eq!(title(own).await, "Mine");
    assert_eq!(asked(&model).iter().filter(|it| titles(it)).count(), 1);
}

#[tokio::test]
async fn summaries_ask_the_model_that_is_chosen_for_them() {
    let model = Scripted::answering(talkative);
    let small = TaskModel { provider: "work".into(), model: "short".into() };
    let journey = journey_with(&model, |settings| {
        settings.summary.policy = Policy::Rolling;
        settings.summary.threshold = 100;
        settings.tasks.insert(TaskKind::Summarise, small);
    })
    .await;
    let id = journey.conversation(None).await;
    for question in ["Which port?", "And the token?", "And the retry?"] {
        journey.ask_and_fold(id, question).await;
    }
    let summaries = || asked(&model).into_iter().filter(is_task).map(|it| it.model);
    let others = asked(&model).into_iter().filter(|it| !is_task(it)).map(|it| it.model);
    assert!(others.eq(["small", "small", "small"]));
    let made = summaries().count();
    assert!(made > 0 && summaries().all(|model| model == "short"));

    // A provider that is gone is as good as none chosen.
    let mut settings = journey.app.settings_get(()).await.unwrap();
    let gone = TaskModel { provider: "elsewhere".into(), model: "short".into() };
    settings.tasks.insert(TaskKind::Summarise, gone);
    journey.app.settings_set(settings).await.unwrap();
    for question in ["Since when?", "By whom?", "And why?"] {
        journey.ask_and_fold(id, question).await;
    }
    assert!(summaries().count() > made && summaries().skip(made).all(|model| model == "small"));
}
