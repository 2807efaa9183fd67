//! One session of an agent: handshake, session, mode and model, one prompt, its end.
//!
//! Everything happens in one task, in the order in which it came. An agent that asks waits for its answer; one that wants
//! files or terminals of ours is told that none are offered. When nobody hears it any more the prompt is cancelled, and the
//! program ended with its whole group.

use std::collections::HashMap;

use serde_json::{Value, json};
use siltstone_engine::acp::{AgentCall, CommandLine, Heard, Leave, METHOD, OWN_MODEL, Question};
use siltstone_engine::client;
use siltstone_engine::egress::{Departure, Outbox};
use siltstone_engine::offers::Told;
use siltstone_engine::ports::Access;
use siltstone_engine::provider::{Effort, ModelRequest, ProviderError};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::time::timeout;

use super::program::Program;
use super::wire::{self, Choice, Said};
use super::{Patience, prompt};

/// What is heard of it, until nobody wants to.
type Hearer = mpsc::Sender<Result<Heard, ProviderError>>;

/// An answer of the person's to an agent that asks.
struct Answered {
    id: Value,
    result: Value,
    note: String,
}

/// What happens next.
enum Next {
    Said(Option<Value>),
    Answered(Answered),
    Gone,
}

/// An agent that was started.
pub(super) struct Session {
    program: Program,
    patience: Patience,
    command: String,
    heard: Hearer,
    /// The number of the last request.
    last: u64,
    id: String,
    /// It reads pictures.
    images: bool,
    model: Option<Choice>,
    effort: Option<Choice>,
    mode: Option<Choice>,
    /// What it offers, as far as it told.
    told: Told,
    /// It was given something to do.
    begun: bool,
    calls: HashMap<String, AgentCall>,
    plan: String,
    answer: UnboundedSender<Answered>,
    answers: UnboundedReceiver<Answered>,
    /// What the person said with a no, which the protocol has no room for.
    notes: Vec<String>,
    /// Nobody hears it any more.
    gone: bool,
}

impl Session {
    /// Starts the program. Fails where nothing but this computer may be asked: where an agent sends what it reads is not
    /// ours to see.
    pub(super) async fn start(
        command: &CommandLine,
        folder: Option<&str>,
        access: &Access,
        heard: Hearer,
        patience: Patience,
    ) -> Result<Self, ProviderError> {
        if access.this_computer_only {
            return Err(ProviderError::NotLocal { url: command.program.clone() });
        }
        let program = Program::start(command, folder)?;
        let (answer, answers) = mpsc::unbounded_channel();
        let words = std::iter::once(command.program.as_str())
            .chain(command.args.iter().map(String::as_str));
        Ok(Self {
            program,
            patience,
            command: shlex::try_join(words).unwrap_or_else(|_| command.program.clone()),
            heard,
            last: 0,
            id: String::new(),
            images: false,
            model: None,
            effort: None,
            mode: None,
            told: Told::default(),
            begun: false,
            calls: HashMap::new(),
            plan: String::new(),
            answer,
            answers,
            notes: Vec::new(),
            gone: false,
        })
    }

    /// Shakes hands and begins a session, in the mode in which it asks, with `server` to look things up. Gives the models
    /// that it offers.
    pub(super) async fn open(
        &mut self,
        server: Option<&CommandLine>,
    ) -> Result<Vec<String>, ProviderError> {
        let patience = self.patience.start;
        let opened = timeout(patience, self.begin(server)).await;
        opened.unwrap_or(Err(ProviderError::TimedOut { seconds: patience.as_secs() }))
    }

    async fn begin(&mut self, server: Option<&CommandLine>) -> Result<Vec<String>, ProviderError> {
        let hello = json!({
            "protocolVersion": wire::VERSION,
            "clientCapabilities": {"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false},
            "clientInfo": {"name": "siltstone", "title": "Siltstone", "version": env!("CARGO_PKG_VERSION")},
        });
        let hello = self.ask("initialize", hello).await?;
        let version = hello.get("protocolVersion").and_then(Value::as_u64);
        if version != Some(wire::VERSION) {
            let detail = "it speaks another version of the Agent Client Protocol than 1";
            return Err(ProviderError::Malformed { detail: detail.to_owned() });
        }
        self.images = wire::reads_images(&hello);
        let folder = self.program.folder.to_string_lossy().into_owned();
        // Claude Code is told that nobody will switch its questions off.
        let options =
            json!({"allowDangerouslySkipPermissions": false, "permissionMode": "default"});
        let meta = json!({"claudeCode": {"options": options}});
        let servers: Vec<Value> = server
            .map(|CommandLine { program, args }| {
                json!({"name": client::SERVER, "command": program, "args": args, "env": []})
            })
            .into_iter()
            .collect();
        let new = json!({"cwd": folder, "mcpServers": servers, "_meta": meta});
        let begun = match (self.ask("session/new", new.clone()).await, wire::by_key(&hello)) {
            (Err(ProviderError::Unauthorised { .. }), Some(key)) => {
                self.ask("authenticate", json!({"methodId": key})).await?;
                self.ask("session/new", new).await?
            }
            (begun, _) => begun?,
        };
        let id = wire::text(&begun, "sessionId");
        let no_session = || ProviderError::Malformed { detail: "it began no session".to_owned() };
        self.id = id.ok_or_else(no_session)?.to_owned();
        self.effort = Choice::of(&begun, "thought_level", ("", "", "", ""));
        if let Some(mode) = Choice::of(&begun, "mode", wire::MODES) {
            self.told.modes = Some(mode.modes());
            if let Some(asking) = mode.asking() {
                self.set_mode(&mode, asking).await?;
            }
            self.mode = Some(mode);
        }
        self.model = Choice::of(&begun, "model", wire::MODELS);
        let models = self.model.iter().flat_map(Choice::ids);
        Ok(models.map(str::to_owned).collect())
    }

    async fn set_mode(&mut self, mode: &Choice, id: &str) -> Result<(), ProviderError> {
        self.set(mode, "session/set_mode", "modeId", id).await
    }

    /// What it offers, once it was opened. Its commands are waited for as long as for an end.
    pub(super) async fn offers(&mut self) -> Told {
        let patience = self.patience.end;
        let told = async {
            while self.told.commands.is_none() {
                match self.next().await {
                    Next::Said(Some(message)) => {
                        if let Said::Notification { params, .. } = Said::of(message) {
                            self.updated(params).await;
                        }
                    }
                    _ => return,
                }
            }
        };
        // Not every agent says that it has none.
        let _ = timeout(patience, told).await;
        std::mem::take(&mut self.told)
    }

    /// Whether it reads pictures, once it was opened.
    pub(super) fn reads_images(&self) -> bool {
        self.images
    }

    /// Chooses its mode, its model, unless it is to choose by itself, and how much it thinks, where it lets somebody.
    pub(super) async fn choose(&mut self, request: &ModelRequest) -> Result<(), ProviderError> {
        if let Some(wanted) = &request.mode {
            let offered = self.mode.take().filter(|it| it.has(wanted));
            let none = || {
                let detail = format!("this agent has no mode {wanted} any more: choose another");
                ProviderError::Agent { detail }
            };
            self.set_mode(&offered.ok_or_else(none)?, wanted).await?;
        }
        let model = request.model.as_str();
        if model != OWN_MODEL {
            self.choose_model(model).await?;
        }
        let wanted = request.effort.map(|effort| match effort {
            Effort::Minimal | Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
        });
        if let (Some(wanted), Some(choice)) = (wanted, self.effort.take())
            && choice.has(wanted)
        {
            self.set(&choice, "", "", wanted).await?;
        }
        Ok(())
    }

    async fn choose_model(&mut self, model: &str) -> Result<(), ProviderError> {
        let offered = self.model.take().filter(|it| it.has(model));
        let none = || ProviderError::ModelNotFound { model: model.to_owned() };
        self.set(&offered.ok_or_else(none)?, "session/set_model", "modelId", model).await
    }

    async fn set(
        &mut self,
        choice: &Choice,
        older: &str,
        key: &str,
        value: &str,
    ) -> Result<(), ProviderError> {
        let (method, params) = match &choice.option {
            Some(option) => {
                let params = json!({"sessionId": self.id, "configId": option, "value": value});
                ("session/set_config_option", params)
            }
            None => (older, json!({"sessionId": self.id, key: value})),
        };
        self.ask(method, params).await.map(drop)
    }

    /// Has it do what the request says, and what the person says with a no.
    pub(super) async fn prompt(
        &mut self,
        request: &ModelRequest,
        access: &Access,
    ) -> Result<(), ProviderError> {
        self.tell(Heard::Began { images: self.images }).await;
        self.tell(Heard::Offers(self.told.clone())).await;
        self.begun = true;
        let pictures = prompt::pictures(request);
        if !self.images && !pictures.is_empty() {
            let detail = "this agent reads no pictures: send the message without them".to_owned();
            return Err(ProviderError::Agent { detail });
        }
        let mut blocks = prompt::blocks(request, pictures);
        loop {
            let answer = self.one_prompt(blocks, access).await?;
            if self.gone {
                return Ok(());
            }
            if let Some(usage) = wire::usage(&answer) {
                self.tell(Heard::Usage(usage)).await;
            }
            match wire::text(&answer, "stopReason") {
                Some(reason @ ("max_tokens" | "max_turn_requests")) => {
                    let detail = format!("the agent stopped at a limit of its own ({reason})");
                    return Err(ProviderError::Cut { detail });
                }
                Some("refusal") => return Err(ProviderError::Withheld),
                _ => {}
            }
            let notes = std::mem::take(&mut self.notes);
            if notes.is_empty() {
                self.tell(Heard::Finished).await;
                return Ok(());
            }
            // One number for a session says all of it; the next one will.
            blocks = vec![json!({"type": "text", "text": notes.join("\n\n")})];
        }
    }

    async fn one_prompt(
        &mut self,
        blocks: Vec<Value>,
        access: &Access,
    ) -> Result<Value, ProviderError> {
        let message =
            self.numbered("session/prompt", json!({"sessionId": self.id, "prompt": blocks}));
        let seq = leaving(&access.outbox, &self.command, message.clone()).await?;
        self.program.say(&message).await;
        let answer = self.answer_to(self.last).await;
        let said = match &answer {
            Ok(answer) => wire::text(answer, "stopReason").unwrap_or("answered").to_owned(),
            Err(error) => error.code().to_owned(),
        };
        answered(&access.outbox, seq, said).await;
        answer
    }

    /// Lets the program end.
    pub(super) async fn end(self) {
        self.program.end(self.patience.end).await;
    }

    async fn ask(&mut self, method: &str, params: Value) -> Result<Value, ProviderError> {
        let message = self.numbered(method, params);
        self.program.say(&message).await;
        self.answer_to(self.last).await
    }

    fn numbered(&mut self, method: &str, params: Value) -> Vec<u8> {
        self.last += 1;
        wire::request(self.last, method, params)
    }

    /// Hears it until it answers a request. Once nobody hears, it is told to stop, and soon not heard any more either.
    async fn answer_to(&mut self, number: u64) -> Result<Value, ProviderError> {
        loop {
            let next = match self.gone {
                false => self.next().await,
                true => match timeout(self.patience.end, self.next()).await {
                    Ok(next) => next,
                    Err(_) => return Ok(Value::Null),
                },
            };
            match next {
                Next::Said(Some(message)) => match Said::of(message) {
                    Said::Answer(id, answer) if id == number => return answer,
                    Said::Notification { method, params } if method == "session/update" => {
                        self.updated(params).await;
                    }
                    Said::Request { id, method, params } => {
                        self.asked(id, &method, &params).await;
                    }
                    _ => {}
                },
                Next::Said(None) if self.gone => return Ok(Value::Null),
                Next::Said(None) => {
                    let detail = self.program.last_words();
                    return Err(match self.id.is_empty() {
                        true => {
                            ProviderError::Unreachable { url: self.program.name.clone(), detail }
                        }
                        false => ProviderError::Cut { detail },
                    });
                }
                Next::Answered(Answered { id, result, note }) => {
                    if !note.trim().is_empty() {
                        self.notes.push(note);
                    }
                    self.program.say(&wire::answer(&id, result)).await;
                }
                Next::Gone => {
                    self.gone = true;
                    let stop = wire::notification("session/cancel", json!({"sessionId": self.id}));
                    self.program.say(&stop).await;
                }
            }
        }
    }

    async fn next(&mut self) -> Next {
        tokio::select! {
            biased;
            () = self.heard.closed(), if !self.gone => Next::Gone,
            Some(answered) = self.answers.recv() => Next::Answered(answered),
            said = self.program.hear() => Next::Said(said),
        }
    }

    async fn tell(&mut self, heard: Heard) {
        // That nobody is there is found out by the next look.
        let _ = self.heard.send(Ok(heard)).await;
    }

    async fn updated(&mut self, mut params: Value) {
        let is_here = wire::text(&params, "sessionId") == Some(&self.id);
        let update = params.get_mut("update").map(Value::take).unwrap_or_default();
        // Some tell their commands before they say which session it is.
        if (is_here || self.id.is_empty())
            && wire::text(&update, "sessionUpdate") == Some("available_commands_update")
        {
            self.told.commands = Some(wire::commands(&update));
            if self.begun {
                self.tell(Heard::Offers(self.told.clone())).await;
            }
        }
        if !is_here {
            return;
        }
        let said =
            || update.get("content").and_then(|it| wire::text(it, "text")).map(str::to_owned);
        match wire::text(&update, "sessionUpdate") {
            Some("agent_message_chunk") => {
                if let Some(text) = said() {
                    self.tell(Heard::Text(text)).await;
                }
            }
            Some("agent_thought_chunk") => {
                if let Some(text) = said() {
                    self.tell(Heard::Thought(text)).await;
                }
            }
            Some("tool_call" | "tool_call_update") => {
                if let Some(call) = self.call(&update) {
                    self.tell(Heard::Call(call)).await;
                }
            }
            Some("plan") => {
                let plan = wire::plan(&update);
                if !plan.is_empty() && plan != self.plan {
                    self.tell(Heard::Thought(format!("\n\n{plan}"))).await;
                    self.plan = plan;
                }
            }
            // Modes, titles, and what will be thought of.
            _ => {}
        }
    }

    fn call(&mut self, told: &Value) -> Option<AgentCall> {
        let known = wire::text(told, "toolCallId").and_then(|id| self.calls.get(id));
        let call = wire::call(known, told)?;
        self.calls.insert(call.id.clone(), call.clone());
        Some(call)
    }

    /// The agent asks.
    async fn asked(&mut self, id: Value, method: &str, params: &Value) {
        if method != "session/request_permission" {
            return self.program.say(&wire::no_method(&id)).await;
        }
        let call = params.get("toolCall").and_then(|told| self.call(told));
        let options = params.get("options").cloned().unwrap_or_default();
        let pending = Pending { id, options, to: Some(self.answer.clone()) };
        let Some(call) = call else { return drop(pending) };
        let answer = Box::new(move |leave| pending.answer(leave));
        self.tell(Heard::Asks(Question { call, answer })).await;
    }
}

/// An agent that waits for leave; it is refused where nobody answers.
struct Pending {
    id: Value,
    options: Value,
    to: Option<UnboundedSender<Answered>>,
}

impl Pending {
    fn answer(mut self, leave: Leave) {
        self.send(leave);
    }

    fn send(&mut self, leave: Leave) {
        let Some(to) = self.to.take() else { return };
        let option = |kind: &str| {
            let mut options = self.options.as_array().into_iter().flatten();
            options.find_map(|it| match wire::text(it, "kind") == Some(kind) {
                true => wire::text(it, "optionId").map(str::to_owned),
                false => None,
            })
        };
        let (chosen, note) = match leave {
            // What is allowed for ever is kept here, where it can be seen and taken back.
            Leave::Given => {
                (option("allow_once").or_else(|| option("allow_always")), String::new())
            }
            Leave::Refused { note } => (option("reject_once"), note),
            Leave::Stopped => (None, String::new()),
        };
        let outcome = match chosen {
            Some(id) => json!({"outcome": "selected", "optionId": id}),
            None => json!({"outcome": "cancelled"}),
        };
        let result = json!({"outcome": outcome});
        // Where the session is over nobody waits.
        let _ = to.send(Answered { id: self.id.take(), result, note });
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.send(Leave::Refused { note: String::new() });
    }
}

/// Writes down what is about to be said; nothing is that cannot be.
async fn leaving(outbox: &Outbox, command: &str, body: Vec<u8>) -> Result<u64, ProviderError> {
    let (outbox, command) = (outbox.clone(), command.to_owned());
    let recorded = tokio::task::spawn_blocking(move || {
        outbox.log.leaving(&Departure {
            at: outbox.clock.now(),
            turn_id: outbox.turn_id,
            provider: &outbox.provider,
            method: METHOD,
            url: &command,
            home: false,
            headers: &[],
            body: &body,
            keep: true,
        })
    });
    let detail = match recorded.await {
        Ok(Ok(seq)) => return Ok(seq),
        Ok(Err(error)) => error.to_string(),
        Err(error) => error.to_string(),
    };
    Err(ProviderError::NotRecorded { detail })
}

async fn answered(outbox: &Outbox, seq: u64, said: String) {
    let outbox = outbox.clone();
    let noted = tokio::task::spawn_blocking(move || outbox.log.answered(seq, &said)).await;
    if !matches!(noted, Ok(Ok(()))) {
        tracing::warn!("recording an answer");
    }
}
