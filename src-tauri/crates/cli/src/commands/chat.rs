//! `silt chat`: send, stream, stop.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use siltstone_contract::{
    BroughtContext, ChooseModel, Code, ConversationRef, CreateConversation, DefaultModel, Failure,
    MemoryAt, MessageRef, PreviewRequest, ProviderRef, RequestView, SendMessage, Sent, TakePlace,
    ToolProgress, TuneConversation, TurnEvent, TurnRef, Version, Waiting,
};
use siltstone_engine::Timestamp;
use siltstone_engine::acp::OWN_MODEL;
use siltstone_engine::attachment::MAX_BYTES;
use siltstone_engine::conversation::{ChosenMode, Tuning};
use siltstone_engine::ids::{ConversationId, MessageId, TurnId};
use siltstone_engine::memory;
use siltstone_engine::mention;
use siltstone_engine::message::{MessageStatus, text_of};
use siltstone_engine::provider::ProviderKind;
use siltstone_engine::run::{NodeKind, NodeStatus};
use siltstone_engine::turn::{TurnFault, Usage};
use siltstone_engine::workflow;
use tokio::sync::mpsc;

use super::calls::{self, Allowed};
use super::conversation::ended;
use super::named::{self, LAST};
use super::summary;
use crate::args;
use crate::host::Host;
use crate::input;
use crate::out::Stop;
use crate::words;

/// How often is looked whether messages that waited for this reply are on their way.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// Looks without any progress after which they are left for the next program that sends.
const LOOKS: u32 = 40;

/// A line of the stream for programs.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Line<'a> {
    Started {
        conversation_id: ConversationId,
        turn_id: TurnId,
    },
    Queued {
        conversation_id: ConversationId,
        message_id: MessageId,
    },
    Reasoning {
        text: &'a str,
    },
    Text {
        text: &'a str,
    },
    Reply {
        message_id: MessageId,
    },
    Tool {
        call: &'a ToolProgress,
    },
    Done {
        message_id: MessageId,
        usage: Option<Usage>,
        interrupted: bool,
        status: MessageStatus,
        /// Why a reply is less than a whole one.
        #[serde(skip_serializing_if = "Option::is_none")]
        fault: Option<&'a TurnFault>,
    },
}

/// How a reply ended.
struct End {
    reply_id: MessageId,
    status: MessageStatus,
    usage: Option<Usage>,
    fault: Option<TurnFault>,
}

pub async fn run(host: &Host, chat: args::Chat) -> Result<(), Stop> {
    let (text, is_typed) = match chat.text.as_slice() {
        [dash] if dash == "-" => (input::stdin()?, false),
        words => (words.join(" "), true),
    };
    let named: Option<ConversationId> = match &chat.conversation {
        Some(typed) => Some(named::conversation(host, typed).await?),
        None if chat.last => Some(named::conversation(host, LAST).await?),
        None => None,
    };
    // What comes through a pipe or with files is a message, whatever it begins with.
    if is_typed && !chat.literal && chat.attach.is_empty() {
        if memory::slash::is_meant(&text) {
            return super::memory::typed(host, named, text).await;
        }
        if workflow::slash::is_meant(&text) {
            return super::workflow::typed(host, text).await;
        }
        if let Some(command) = no_command(&text) {
            let message = host.out.lang.pick("{} is no command here", "{} 명령은 없습니다");
            let hint = host.out.lang.pick(
                "There are /memory, /plan, /task and /decide; `--literal` sends the message as it is written.",
                "/memory, /plan, /task, /decide가 있습니다. 적은 그대로 보내려면 `--literal`을 붙이세요.",
            );
            return Err(Stop::Value {
                message: message.replace("{}", command),
                hint: hint.to_owned(),
            });
        }
    }
    if chat.carry && host.project().await?.is_none() {
        let lang = host.out.lang;
        let message = lang.pick(
            "--continue goes on with the work in a project, and there is none here",
            "--continue는 프로젝트의 일을 이어 가는데, 여기에는 프로젝트가 없습니다",
        );
        let hint = lang.pick(
            "`--last` goes on with the last conversation, `--conversation ID` with any other.",
            "마지막 대화를 이어 가려면 `--last`, 다른 대화는 `--conversation 아이디`를 쓰세요.",
        );
        return Err(Stop::Value { message: message.to_owned(), hint: hint.to_owned() });
    }
    let choice = choice(host, named, &chat).await?;
    let conversation_id = match named {
        Some(id) => id,
        None => {
            let project_id = host.project().await?.map(|project| project.id);
            let request = CreateConversation { project_id };
            let id = host.app.conversation_create(request).await?.id;
            match project_id {
                Some(_) => {
                    let at = MemoryAt { project_id, ..MemoryAt::default() };
                    let memory = host.app.memory_layers(at).await?;
                    super::memory::note_refused(host, &memory);
                    let take = TakePlace { conversation_id: id, take: chat.carry };
                    host.app.place_take(take).await?;
                }
                None => host.out.note(host.out.lang.pick(
                    "no project: no file and no memory of this folder goes along; `silt project open .` opens it",
                    "프로젝트 아님: 이 폴더의 파일과 메모리는 함께 가지 않습니다. `silt project open .`으로 엽니다",
                )),
            }
            id
        }
    };
    if choice.is_some() {
        let request = ChooseModel { id: conversation_id, choice };
        host.app.conversation_model(request).await?;
    }
    tune(host, conversation_id, &chat).await?;
    summary::fold(host, conversation_id, &chat.folding).await?;
    for skill in &chat.skill {
        super::skill::take(host, conversation_id, skill).await?;
    }
    let mut also = Vec::new();
    for typed in &chat.also {
        also.push(other_model(host, conversation_id, typed).await?);
    }
    let attachments = attach(host, conversation_id, &chat.attach).await?;
    let mut interrupts = interrupts();
    let context = host.brought_from_here(conversation_id, chat.brought.into()).await?;
    note_files(host, conversation_id, &text, context.clone()).await?;
    let request = SendMessage { conversation_id, text, attachments, context, also };
    let sent = match host.app.send(request.clone()).await {
        Err(failure) => {
            over_limit(host, failure, &chat.asking).await?;
            host.app.send(request).await?
        }
        Ok(sent) => sent,
    };
    streamed(host, conversation_id, sent, &chat.asking, &mut interrupts).await
}

/// The first word of a message that begins like a command and is none: a slash and letters, and no path of this computer.
fn no_command(text: &str) -> Option<&str> {
    let word = text.split_whitespace().next()?;
    let name = word.strip_prefix('/')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphabetic() || c == '-');
    (is_name && !Path::new(word).exists()).then_some(word)
}

/// Says of files that the message names with `@` which ones will not go along.
async fn note_files(
    host: &Host,
    conversation_id: ConversationId,
    text: &str,
    context: Option<BroughtContext>,
) -> Result<(), Stop> {
    let named = text.split_whitespace().filter_map(|word| word.strip_prefix('@'));
    let ends = |c: char| !c.is_alphanumeric();
    let named = named.map(|word| word.trim_start_matches('"').trim_end_matches(ends));
    let named: Vec<&str> = named.filter(|word| !word.is_empty()).collect();
    if named.is_empty() {
        return Ok(());
    }
    let lang = host.out.lang;
    let request = PreviewRequest { conversation_id, draft: text.to_owned(), context, model: None };
    let RequestView { sections, left_out, .. } = host.app.request_preview(request).await?;
    // A place is a path, perhaps with lines behind it.
    let is_of = |place: &str, path: &str| {
        place.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    };
    for left in mention::find(text, |path| left_out.iter().find(|it| is_of(&it.source, path))) {
        let said = lang.pick("does not go along", "함께 가지 않습니다");
        host.out.note(&format!("@{}: {said} ({})", left.place(), lang.term(&left.found.why)));
    }
    let mentioned = |path: &str| {
        let goes = sections.iter().any(|section| is_of(&section.source, path));
        (goes || left_out.iter().any(|left| is_of(&left.source, path))).then_some(())
    };
    for name in named.into_iter().filter(|name| name.contains(['/', '.'])) {
        if mention::find(&format!("@{name}"), mentioned).is_empty() {
            let said = lang.pick(
                "@{}: no such file in a project here; only the name goes",
                "@{}: 여기 프로젝트에 그런 파일이 없어 이름만 갑니다",
            );
            host.out.note(&said.replace("{}", name));
        }
    }
    Ok(())
}

/// Prints the reply to what was sent, and stays until what came after it is done.
pub(super) async fn streamed(
    host: &Host,
    conversation_id: ConversationId,
    sent: Sent,
    asking: &args::Asking,
    interrupts: &mut mpsc::UnboundedReceiver<()>,
) -> Result<(), Stop> {
    let (turn_id, reply_id) = match sent {
        Sent::Asked { turn_id, reply_id, .. } => (turn_id, reply_id),
        Sent::Queued { message_id } => return queued(host, conversation_id, message_id),
    };
    if host.out.json {
        host.out.value(&Line::Started { conversation_id, turn_id })?;
    } else {
        host.out.note(&format!("{} {conversation_id}", host.out.lang.pick("conversation", "대화")));
    }
    let (first, reply) = (reply_id, Printed::of(host, turn_id, reply_id));
    let allowed = || Allowed::of(&asking.allow);
    let before = summary::failed(host, conversation_id).await?;
    let end = follow(host, conversation_id, reply, allowed(), interrupts).await?;
    // Whoever reads the stream has the whole reply before anything else is waited for.
    let mut done = finish(host, end);
    let mut answered = done.is_ok();
    // Other models are asked the same, one after the other, whether or not one before them failed.
    let mut printed = vec![turn_id];
    while let Some((turn_id, version)) = next_version(host, first, &printed).await? {
        printed.push(turn_id);
        match host.out.json {
            true => host.out.value(&Line::Started { conversation_id, turn_id })?,
            false => host.out.line(&format!("\n{}", under(&version)))?,
        }
        let reply_id = version.messages.last().map_or(reply_id, |last| last.id);
        let reply = Printed::of(host, turn_id, reply_id);
        let end = follow(host, conversation_id, reply, allowed(), interrupts).await?;
        let finished = finish(host, end);
        answered |= finished.is_ok();
        done = done.and(finished);
    }
    // One that answered is followed by what waited behind the question, whether or not another failed.
    if !answered {
        return done;
    }
    let rest = async {
        send_what_waits(host, conversation_id).await?;
        summary::settled(host, conversation_id, &before).await
    };
    let rest = tokio::select! {
        rest = rest => rest,
        Some(()) = interrupts.recv() => {
            let named = ConversationRef { id: conversation_id };
            host.app.stop(named.clone()).await?;
            host.app.summary_cancel(named.clone()).await?;
            host.app.summaries_settled(conversation_id).await;
            host.app.turn_watch(named, Arc::new(|_| ())).await?;
            Err(Stop::Interrupted)
        }
    };
    rest.and(done)
}

/// Where the month's limit stopped it and the call says so, the month goes on; any other failure is one.
pub(super) async fn over_limit(
    host: &Host,
    failure: Failure,
    asking: &args::Asking,
) -> Result<(), Failure> {
    match failure.code {
        Code::LimitReached if asking.over_limit => host.app.spending_allow(()).await.map(drop),
        _ => Err(failure),
    }
}

/// Provider and model that were named, each completed by what the conversation or the provider has.
async fn choice(
    host: &Host,
    named: Option<ConversationId>,
    chat: &args::Chat,
) -> Result<Option<DefaultModel>, Stop> {
    if chat.provider.is_none() && chat.model.is_none() {
        return Ok(None);
    }
    let current = match named {
        Some(id) => {
            let detail = host.app.conversation_get(ConversationRef { id }).await?;
            DefaultModel { provider: detail.provider, model: detail.model }
        }
        None => {
            let settings = host.app.settings_get(()).await?;
            DefaultModel { provider: settings.default_provider, model: settings.default_model }
        }
    };
    let provider = chat.provider.clone().unwrap_or(current.provider.clone());
    let all = host.app.provider_list(()).await?;
    let Some(item) = all.iter().find(|item| item.name == provider) else {
        return Err(Failure::new(Code::NotFound, format!("no provider {provider}")).into());
    };
    let model = match &chat.model {
        Some(model) => model.clone(),
        None if provider == current.provider => current.model,
        // Its models are asked for when somebody wants one.
        None if item.kind == ProviderKind::Agent => OWN_MODEL.to_owned(),
        None => {
            let name = provider.clone();
            let models = host.app.provider_models(ProviderRef { name }).await?;
            let first = models.into_iter().next();
            first.map(|model| model.id).ok_or_else(|| {
                Failure::new(Code::ModelNotFound, format!("{provider} offers no model"))
            })?
        }
    };
    Ok(Some(DefaultModel { provider, model }))
}

/// Changes of how the model is asked what was said and leaves the rest.
async fn tune(host: &Host, id: ConversationId, chat: &args::Chat) -> Result<(), Stop> {
    let before = host.app.conversation_get(ConversationRef { id }).await?.tuning;
    let tuning = Tuning {
        instructions: chat.instructions.clone().unwrap_or_else(|| before.instructions.clone()),
        temperature: chat.temperature.or(before.temperature),
        max_output_tokens: chat.max_output.or(before.max_output_tokens),
        effort: chat.effort.map(Into::into).or(before.effort),
        mode: match (&chat.mode, &chat.provider) {
            (Some(id), Some(agent)) => {
                let chosen = ChosenMode { agent: agent.clone(), id: id.clone() };
                Some(chosen).filter(|it| !it.id.is_empty())
            }
            _ => before.mode.clone(),
        },
    };
    if tuning != before {
        host.app.conversation_tune(TuneConversation { id, tuning }).await?;
    }
    Ok(())
}

/// Attaches files; gives their hashes.
async fn attach(host: &Host, id: ConversationId, files: &[PathBuf]) -> Result<Vec<String>, Stop> {
    let mut hashes = Vec::new();
    for file in files {
        // Of a file that is too large only so much that this shows.
        let mut bytes = Vec::new();
        File::open(file)
            .and_then(|file| file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes))
            .map_err(|error| Failure::new(Code::Io, format!("{}: {error}", file.display())))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let attached = host.app.attach(id, name, bytes).await?;
        hashes.extend(attached.part.attached_hash().map(ToOwned::to_owned));
    }
    Ok(hashes)
}

/// Each Ctrl-C, from now on.
pub(super) fn interrupts() -> mpsc::UnboundedReceiver<()> {
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() && sender.send(()).is_ok() {}
    });
    receiver
}

fn queued(host: &Host, conversation_id: ConversationId, message_id: MessageId) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(&Line::Queued { conversation_id, message_id });
    }
    host.out.note(host.out.lang.pick(
        "A reply is on its way there; the message is sent when it ends.",
        "그 대화에서 답변이 오는 중이라, 끝나면 메시지를 보냅니다.",
    ));
    Ok(())
}

/// Prints the reply as it comes. The first Ctrl-C stops it and waits until what came is durable; the second leaves.
async fn follow(
    host: &Host,
    id: ConversationId,
    mut reply: Printed<'_>,
    mut allowed: Allowed,
    interrupts: &mut mpsc::UnboundedReceiver<()>,
) -> Result<End, Stop> {
    let (sender, mut events) = mpsc::unbounded_channel();
    // A watcher that went away needs no events.
    let sink = Arc::new(move |event| drop(sender.send(event)));
    let watch = host.app.turn_watch(ConversationRef { id }, sink);
    tokio::pin!(watch);
    let mut watched = Ok(());
    let mut watching = true;
    let mut stopping = false;
    loop {
        tokio::select! {
            Some(()) = interrupts.recv() => {
                if stopping {
                    return Err(Stop::Interrupted);
                }
                stopping = true;
                host.app.stop(ConversationRef { id }).await?;
            }
            event = events.recv() => match event {
                Some(event) => {
                    if let Some(end) = reply.take(event) {
                        return reply.all_said(end);
                    }
                    if std::mem::take(&mut reply.waits) {
                        calls::answer(host, id, &mut allowed).await?;
                    }
                    if reply.failed.is_some() && !stopping {
                        stopping = true;
                        host.app.stop(ConversationRef { id }).await?;
                    }
                }
                None => break,
            },
            result = &mut watch, if watching => {
                watched = result;
                watching = false;
            }
        }
    }
    watched?;
    // It ended before the watch began.
    let end = reply.read_back().await?;
    reply.all_said(end)
}

/// What of the reply was printed.
struct Printed<'a> {
    host: &'a Host,
    turn_id: TurnId,
    /// Its newest reply.
    reply_id: MessageId,
    /// Whether the events that come are of this turn.
    ours: bool,
    text: usize,
    reasoning: usize,
    /// Whether a call waits for an answer.
    waits: bool,
    /// Printing is no longer possible; the reply is being stopped.
    failed: Option<Stop>,
}

/// The next reply to the same question that came after this one and is none of these turns.
async fn next_version(
    host: &Host,
    reply: MessageId,
    printed: &[TurnId],
) -> Result<Option<(TurnId, Version)>, Stop> {
    let versions = host.app.conversation_versions(MessageRef { id: reply }).await?;
    let is_it = |version: &Version| version.messages.iter().any(|message| message.id == reply);
    let later = versions.iter().position(is_it).map_or(versions.len(), |at| at + 1);
    let turn = |version: &Version| version.messages.first().and_then(|first| first.turn_id);
    let mut later = versions.into_iter().skip(later).filter_map(|it| Some((turn(&it)?, it)));
    Ok(later.find(|(turn, _)| !printed.contains(turn)))
}

/// What a reply is called beside others: its provider and its model.
pub(super) fn under(version: &Version) -> String {
    let model = version.messages.iter().rev().find_map(|message| message.model.as_deref());
    let names = version.provider.as_deref().into_iter().chain(model);
    format!("## {}", names.collect::<Vec<_>>().join("/"))
}

/// A model that was named with its provider or without: then it is one of the provider that the conversation asks.
pub(super) async fn other_model(
    host: &Host,
    conversation: ConversationId,
    typed: &str,
) -> Result<DefaultModel, Stop> {
    let all = host.app.provider_list(()).await?;
    // Names of models have slashes too.
    if let Some((provider, model)) = typed.split_once('/')
        && all.iter().any(|item| item.name == provider)
    {
        return Ok(DefaultModel { provider: provider.to_owned(), model: model.to_owned() });
    }
    let detail = host.app.conversation_get(ConversationRef { id: conversation }).await?;
    Ok(DefaultModel { provider: detail.provider, model: typed.to_owned() })
}

impl<'a> Printed<'a> {
    fn of(host: &'a Host, turn_id: TurnId, reply_id: MessageId) -> Self {
        Self {
            host,
            turn_id,
            reply_id,
            ours: false,
            text: 0,
            reasoning: 0,
            waits: false,
            failed: None,
        }
    }
}

impl Printed<'_> {
    /// Prints what is new; gives the end when it is there.
    fn take(&mut self, event: TurnEvent) -> Option<End> {
        match event {
            TurnEvent::Started { turn_id, reply_id, text, reasoning, calls, waiting } => {
                self.ours = turn_id == self.turn_id;
                if self.ours {
                    waiting.into_iter().for_each(|it| self.waits_until(it));
                    self.goes_on_in(reply_id);
                    self.waits |= calls.iter().any(|call| call.status == NodeStatus::Waiting);
                    let reasoning = reasoning.get(self.reasoning..).unwrap_or_default();
                    self.reason(reasoning);
                    self.say(text.get(self.text..).unwrap_or_default());
                }
            }
            TurnEvent::Text { text } if self.ours => self.say(&text),
            TurnEvent::Reasoning { text } if self.ours => self.reason(&text),
            TurnEvent::Text { .. } | TurnEvent::Reasoning { .. } => {}
            TurnEvent::Reply { reply_id } if self.ours => self.goes_on_in(reply_id),
            TurnEvent::Tool { call } if self.ours => self.call(&call),
            TurnEvent::Waiting { waiting } if self.ours => self.waits_until(waiting),
            TurnEvent::Reply { .. }
            | TurnEvent::Tool { .. }
            | TurnEvent::Waiting { .. }
            | TurnEvent::Output { .. } => {}
            TurnEvent::Done { reply_id, status, usage, fault } => {
                return (reply_id == self.reply_id).then_some(End {
                    reply_id,
                    status,
                    usage,
                    fault,
                });
            }
        }
        None
    }

    /// The turn goes on in another message.
    fn goes_on_in(&mut self, reply_id: MessageId) {
        if self.reply_id == reply_id {
            return;
        }
        let said = self.text > 0;
        (self.reply_id, self.text, self.reasoning) = (reply_id, 0, 0);
        let told = match self.host.out.json {
            true => self.host.out.value(&Line::Reply { message_id: reply_id }),
            false if said => self.host.out.line(""),
            false => Ok(()),
        };
        self.failed = self.failed.take().or(told.err());
    }

    fn call(&mut self, call: &ToolProgress) {
        self.waits |= call.status == NodeStatus::Waiting;
        if self.host.out.json {
            let told = self.host.out.value(&Line::Tool { call });
            self.failed = self.failed.take().or(told.err());
        } else if let Some(line) = calls::line(self.host, call) {
            self.host.out.note(&line);
        }
    }

    /// The provider is asked again by itself; who reads JSON hears what comes of it.
    fn waits_until(&self, Waiting { limited, until }: Waiting) {
        let lang = self.host.out.lang;
        let seconds = until.duration_since(Timestamp::now()).as_secs_f64().ceil().max(1.0);
        let words = match limited {
            true => lang.count(
                "Too many requests; asked again in {} second(s).",
                "요청이 너무 많아 {}초 뒤에 다시 묻습니다.",
                seconds,
            ),
            false => lang.count(
                "The provider has trouble; asked again in {} second(s).",
                "서비스에 문제가 있어 {}초 뒤에 다시 묻습니다.",
                seconds,
            ),
        };
        self.host.out.note(&words);
    }

    fn say(&mut self, text: &str) {
        if text.is_empty() || self.failed.is_some() {
            return;
        }
        self.text += text.len();
        let said = if self.host.out.json {
            self.host.out.value(&Line::Text { text })
        } else {
            self.host.out.text(text)
        };
        self.failed = said.err();
    }

    fn reason(&mut self, text: &str) {
        self.reasoning += text.len();
        if self.host.out.json && !text.is_empty() && self.failed.is_none() {
            self.failed = self.host.out.value(&Line::Reasoning { text }).err();
        }
    }

    async fn read_back(&mut self) -> Result<End, Stop> {
        let app = &self.host.app;
        let run = app.run_get(TurnRef { id: self.turn_id }).await?;
        let mut replies = run.nodes.into_iter().filter_map(|node| match node.kind {
            NodeKind::Model { message_id, .. } => Some(message_id),
            NodeKind::Tool { .. } => None,
        });
        if let Some(newest) = replies.next_back() {
            self.goes_on_in(newest);
        }
        let request = MessageRef { id: self.reply_id };
        let versions = self.host.app.conversation_versions(request).await?;
        let mut messages = versions.into_iter().flat_map(|version| version.messages);
        let message = messages.find(|message| message.id == self.reply_id);
        let none = || Failure::new(Code::NotFound, format!("no message {}", self.reply_id));
        let message = message.ok_or_else(none)?;
        let text = text_of(&message.parts);
        self.say(text.get(self.text..).unwrap_or_default());
        Ok(End {
            reply_id: message.id,
            status: message.status,
            usage: message.usage,
            fault: message.fault,
        })
    }

    fn all_said(self, end: End) -> Result<End, Stop> {
        match self.failed {
            // The reply was cut short because nobody read it.
            Some(Stop::PipeClosed) if end.status != MessageStatus::Complete => {
                Err(Stop::Interrupted)
            }
            Some(stop) => Err(stop),
            None => Ok(end),
        }
    }
}

/// Messages that the window queued behind this reply are sent by this process, so it stays until they are answered.
async fn send_what_waits(host: &Host, id: ConversationId) -> Result<(), Stop> {
    let mut waiting = usize::MAX;
    let mut looks = 0;
    loop {
        let detail = host.app.conversation_get(ConversationRef { id }).await?;
        if detail.queued.is_empty() && detail.open_turn.is_none() {
            return Ok(());
        }
        looks = if detail.queued.len() < waiting { 0 } else { looks + 1 };
        waiting = detail.queued.len();
        if looks == LOOKS {
            return Ok(());
        }
        host.app.turn_watch(ConversationRef { id }, Arc::new(|_| ())).await?;
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

fn finish(host: &Host, end: End) -> Result<(), Stop> {
    let interrupted = end.status == MessageStatus::Interrupted;
    if host.out.json {
        host.out.value(&Line::Done {
            message_id: end.reply_id,
            usage: end.usage,
            interrupted,
            status: end.status,
            fault: end.fault.as_ref(),
        })?;
    } else {
        host.out.line("")?;
    }
    let fault = end.fault.map(|fault| {
        let code = serde_json::from_value(fault.code.into()).unwrap_or(Code::Internal);
        Failure::new(code, fault.message)
    });
    match (end.status, fault) {
        // It is an answer, and less than a whole one.
        (MessageStatus::Complete, Some(fault)) => {
            let (title, hint) = words::of_failure(host.out.lang, &fault);
            host.out.note(&format!("{title}. {hint}"));
            Ok(())
        }
        (MessageStatus::Complete, None) => Ok(()),
        (_, Some(fault)) => Err(fault.into()),
        (status, None) => {
            host.out.note(ended(host.out.lang, status));
            Err(Stop::Interrupted)
        }
    }
}
