//! What a new conversation is told of the one before (behaviour.md, Sessions), and what every request is told of
//! the plan. In the design's order: project, plan, task, decisions, summary, recent dialog.

use super::file::{ContextFile, WindowMessage};
use crate::message::Role;
use crate::section::{Reason, Section, SectionKind};
use crate::summary::{Hydrated, first_tokens, fit, hydrated};
use crate::tokens::MESSAGE_OVERHEAD;
use crate::workflow::{Plan, Task, Workflow};

/// Tokens of all of it (behaviour.md, Sessions).
pub const TOKEN_LIMIT: u64 = 4_096;

/// Characters of a title or a decision that are told. With all of these at their most, the facts still have room.
const TITLE_CHARS: usize = 160;

/// Characters of what is written about a plan or a task that are told.
const ABOUT_CHARS: usize = 300;

/// Conditions of a task that are told, and characters of each.
const MOST_ITEMS: usize = 8;
const ITEM_CHARS: usize = 100;

/// What the ids of sections begin with that are of the session.
const SESSION: &str = "session:";

/// What is told, and in which language.
#[derive(Clone, Copy, Debug)]
pub struct Hydrating<'a> {
    /// `ko` or `en`.
    pub language: &'a str,
    /// The plans.
    pub workflow: &'a Workflow,
    /// The session.
    pub context: &'a ContextFile,
    /// Most tokens.
    pub limit: u64,
}

/// The words before each piece: those of the design, and ours in Korean.
struct Labels {
    project: &'static str,
    plan: &'static str,
    task: &'static str,
    decisions: &'static str,
    summary: &'static str,
    dialog: &'static str,
    acceptance: &'static str,
    interrupted: &'static str,
}

const EN: Labels = Labels {
    project: "PROJECT",
    plan: "ACTIVE PLAN",
    task: "ACTIVE TASK",
    decisions: "DECISIONS",
    summary: "SUMMARY",
    dialog: "RECENT DIALOG",
    acceptance: "Done when",
    interrupted: "interrupted",
};

const KO: Labels = Labels {
    project: "프로젝트",
    plan: "진행 중인 계획",
    task: "진행 중인 작업",
    decisions: "결정",
    summary: "요약",
    dialog: "최근 대화",
    acceptance: "완료 조건",
    interrupted: "중단됨",
};

fn labels(language: &str) -> &'static Labels {
    if language == "ko" { &KO } else { &EN }
}

impl<'a> Hydrating<'a> {
    /// The session's own plan; the workflow's where it names none that exists.
    fn plan(&self) -> Option<&'a Plan> {
        let named = self.context.memory.active_plan_id.as_deref();
        named.and_then(|id| self.workflow.plan(id)).or_else(|| self.workflow.current_plan())
    }

    fn task(&self) -> Option<&'a Task> {
        let named = self.context.memory.active_task_id.as_deref();
        named.and_then(|id| self.workflow.task(id)).or_else(|| self.workflow.current_task())
    }

    fn told(&self, labels: &Labels, facts: &[(&str, &str, String)], limit: u64) -> Hydrated {
        let conversation = &self.context.conversation;
        let lines: Vec<(&str, &str)> =
            facts.iter().map(|(_, label, value)| (*label, value.as_str())).collect();
        let told = Some(conversation.running_summary.trim()).filter(|told| !told.is_empty());
        let told = told.map(|told| (labels.summary, told));
        let newest_first = conversation.recent_window.iter().rev();
        let newest_first =
            newest_first.map(|message| (role_of(message), said(message, limit / 2, labels)));
        hydrated(&lines, told, labels.dialog, newest_first, limit)
    }
}

fn role_of(message: &WindowMessage) -> Role {
    match message.role.as_str() {
        "assistant" => Role::Assistant,
        "system" => Role::System,
        "tool" => Role::Tool,
        _ => Role::User,
    }
}

fn said(message: &WindowMessage, tokens: u64, labels: &Labels) -> String {
    let said = match first_tokens(&message.content, tokens) {
        begin if begin.len() < message.content.len() => format!("{begin}…"),
        whole => whole.to_owned(),
    };
    if message.interrupted { format!("{said} [{}]", labels.interrupted) } else { said }
}

/// The sections a conversation begins with that goes on where another stopped; together at most `limit` tokens.
pub fn hydrate(from: &Hydrating<'_>) -> Vec<Section> {
    let labels = labels(from.language);
    let decisions: Vec<String> = from
        .context
        .memory
        .last_decisions
        .iter()
        .map(|decision| format!("\n- {}", fit(decision, TITLE_CHARS)))
        .collect();
    let facts = [
        ("project", labels.project, fit(&from.workflow.project_name, TITLE_CHARS).to_owned()),
        ("plan", labels.plan, from.plan().map(plan_text).unwrap_or_default()),
        ("task", labels.task, from.task().map(|it| task_text(it, labels)).unwrap_or_default()),
        ("decisions", labels.decisions, decisions.concat()),
    ];
    let facts: Vec<_> = facts.into_iter().filter(|(.., value)| !value.is_empty()).collect();
    let overhead = (facts.len() as u64 + 2) * MESSAGE_OVERHEAD;
    let Hydrated { facts: kept, summary, heading, dialog } =
        from.told(labels, &facts, from.limit.saturating_sub(overhead));
    let mut sections: Vec<Section> = kept
        .into_iter()
        .map(|(place, line)| piece(facts[place].0, SectionKind::Plan, "workflow", line))
        .collect();
    sections.extend(summary.map(|text| piece("summary", SectionKind::Summary, "session", text)));
    if let Some(heading) = heading.filter(|_| !dialog.is_empty()) {
        let text = format!("{heading}\n{}", dialog.join("\n"));
        sections.push(piece("dialog", SectionKind::Summary, "session", text));
    }
    sections
}

/// The list of texts of the design, as it writes them; facts that are not known have no line.
pub fn hydrate_prompt(from: &Hydrating<'_>) -> Vec<String> {
    let facts = [
        ("", EN.project, from.workflow.project_name.clone()),
        ("", EN.plan, from.plan().map(|plan| plan.title.clone()).unwrap_or_default()),
        ("", EN.task, from.task().map(|task| task.title.clone()).unwrap_or_default()),
        ("", EN.decisions, from.context.memory.last_decisions.join(", ")),
    ];
    let facts: Vec<_> = facts.into_iter().filter(|(.., value)| !value.is_empty()).collect();
    from.told(&EN, &facts, from.limit).lines()
}

/// The plan and the task that are worked on, for every request of their project.
pub fn plan_sections(workflow: &Workflow, language: &str) -> Vec<Section> {
    let labels = labels(language);
    let plan = workflow.current_plan().map(|plan| ("plan", labels.plan, plan_text(plan)));
    let task = workflow.current_task();
    let task = task.map(|task| ("task", labels.task, task_text(task, labels)));
    let facts: Vec<_> = plan.into_iter().chain(task).collect();
    let context = ContextFile::default();
    let from = Hydrating { language, workflow, context: &context, limit: TOKEN_LIMIT };
    let kept = from.told(labels, &facts, TOKEN_LIMIT).facts;
    let section = |(place, line): (usize, String)| Section {
        reason: Reason::Plan,
        ..piece(facts[place].0, SectionKind::Plan, "workflow", line)
    };
    kept.into_iter().map(section).collect()
}

fn plan_text(plan: &Plan) -> String {
    titled(&plan.title, &plan.description)
}

fn task_text(task: &Task, labels: &Labels) -> String {
    let mut text = titled(&task.title, &task.notes);
    if !task.acceptance.is_empty() {
        text.push_str(&format!("\n{}:", labels.acceptance));
        let items = task.acceptance.iter().take(MOST_ITEMS);
        text.extend(items.map(|item| format!("\n- {}", fit(item, ITEM_CHARS))));
    }
    text
}

fn titled(title: &str, about: &str) -> String {
    let title = fit(title, TITLE_CHARS);
    match fit(about, ABOUT_CHARS) {
        "" => title.to_owned(),
        about => format!("{title}\n{about}"),
    }
}

fn piece(id: &str, kind: SectionKind, source: &str, text: String) -> Section {
    Section {
        id: format!("{SESSION}{id}"),
        kind,
        role: Role::System,
        source: source.to_owned(),
        link: None,
        text,
        parts: Vec::new(),
        tokens: 0,
        exact: false,
        reason: Reason::Resumed,
        pinned: false,
        messages: Vec::new(),
        turns: None,
        redacted: Vec::new(),
    }
}
