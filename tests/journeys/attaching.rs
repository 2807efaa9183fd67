//! Pictures and files from the composer to the model, and how a conversation's model is asked.

use std::sync::Arc;

use siltstone_contract::{
    AddAttachment, AttachmentRef, Code, ConversationDetail, ConversationRef, EditMessage,
    ExportConversation, ExportFormat, ImportConversation, MessageRef, PasteText, PreviewRequest,
    ReadAttachment, Regenerate, SendMessage, Sent, TuneConversation, TurnRef,
};
use siltstone_engine::attachment::{from_base64, to_base64};
use siltstone_engine::conversation::Tuning;
use siltstone_engine::ids::{BranchId, ConversationId, MessageId};
use siltstone_engine::message::Part;
use siltstone_engine::ports::{NewMessage, Transcripts};
use siltstone_engine::provider::{Effort, ModelInfo, ModelRequest};
use siltstone_engine::section::{LeftOutWhy, Reason, Section};
use siltstone_engine::{Timestamp, attachment};
use siltstone_storage::Store;

use crate::scripted::{Latch, Scripted, Step};
use crate::world::{Journey, app_on};

/// 300 by 250 pixels: a hundred tokens.
pub const PICTURE: &[u8] = b"GIF89a\x2c\x01\xfa\0\0\0\0";
const PAPER: &[u8] = b"%PDF-1.4 <</Type /Page>>";

fn answers(count: usize) -> Scripted {
    Scripted::new((0..count).map(|_| vec![Step::Say("seen"), Step::Finish]))
}

fn journey(model: &Scripted) -> Journey {
    Journey::with(Arc::new(model.clone()))
}

impl Journey {
    pub async fn attach(&self, id: ConversationId, name: &str, bytes: &[u8]) -> String {
        let (name, data) = (name.to_owned(), to_base64(bytes));
        let request = AddAttachment { conversation_id: id, name, data };
        let attached = self.app.attachment_add(request).await.unwrap();
        assert_eq!(attached.size, bytes.len() as u64);
        attached.part.attached_hash().unwrap().to_owned()
    }

    async fn paste(&self, conversation_id: ConversationId, text: &str) -> String {
        let request = PasteText { conversation_id, text: text.into() };
        let attached = self.app.attachment_paste(request).await.unwrap();
        attached.part.attached_hash().unwrap().to_owned()
    }

    pub async fn send_with(&self, id: ConversationId, text: &str, hashes: &[&String]) -> Sent {
        let attachments = hashes.iter().map(|hash| (*hash).clone()).collect();
        let request = SendMessage {
            conversation_id: id,
            text: text.into(),
            attachments,
            context: None,
            also: Vec::new(),
        };
        self.app.send(request).await.unwrap()
    }

    pub async fn detail(&self, id: ConversationId) -> ConversationDetail {
        self.app.conversation_get(ConversationRef { id }).await.unwrap()
    }

    async fn bytes(&self, hash: &str) -> Result<Vec<u8>, Code> {
        let read = self.app.attachment_read(ReadAttachment { hash: hash.into() }).await;
        read.map(|read| from_base64(&read.data).unwrap()).map_err(|failure| failure.code)
    }
}

fn drafted(detail: &ConversationDetail) -> Vec<&str> {
    detail.attachments.iter().filter_map(|attached| attached.part.attached_name()).collect()
}

/// The texts with which pictures and files went, by name. Their bytes must be in the request.
fn sent(request: &ModelRequest) -> Vec<(String, Vec<String>)> {
    let with_any = |section: &&Section| section.attached().next().is_some();
    let named = |section: &Section| {
        let name = |part: &Part| {
            let picture = matches!(part, Part::Image { .. });
            let bytes = &request.attached[part.attached_hash().unwrap()];
            assert_eq!(&**bytes, if picture { PICTURE } else { PAPER });
            part.attached_name().unwrap().to_owned()
        };
        (section.text.clone(), section.attached().map(name).collect())
    };
    request.sections.iter().filter(with_any).map(named).collect()
}

fn with(text: &str, names: &[&str]) -> (String, Vec<String>) {
    (text.to_owned(), names.iter().map(|name| (*name).to_owned()).collect())
}

fn nth(model: &Scripted, turn: usize) -> ModelRequest {
    model.asked.lock().unwrap()[turn].clone()
}

#[tokio::test]
async fn what_is_attached_survives_a_restart_and_reaches_the_model_again_and_again() {
    let model = answers(5);
    let first = journey(&model);
    let id = first.conversation(None).await;
    let picture = first.attach(id, "/home/me/그림.gif", PICTURE).await;
    let paper = first.attach(id, "paper.pdf", PAPER).await;
    let Journey { app, data, project } = first;
    drop(app);
    let app = app_on(data.path(), Arc::new(model.clone()));
    let journey = Journey { app, data, project };
    assert_eq!(drafted(&journey.detail(id).await), ["그림.gif", "paper.pdf"]);

    // The paper stays in the composer.
    journey.send_with(id, "", &[&picture]).await;
    journey.settled(id).await;
    assert_eq!(drafted(&journey.detail(id).await), ["paper.pdf"]);
    assert_eq!(journey.detail(id).await.item.title, "그림.gif");
    assert_eq!(sent(&nth(&model, 0)), [with("", &["그림.gif"])]);
    let path = journey.path(id).await;
    assert_eq!((path[0].parts.len(), path[0].tokens), (1, 100));

    journey
        .app
        .regenerate(Regenerate { id: path[1].id, context: None, model: None })
        .await
        .unwrap();
    journey.settled(id).await;
    assert_eq!(sent(&nth(&model, 1)), sent(&nth(&model, 0)));

    let both = [&picture, &paper].map(|hash| hash.to_owned());
    let edit =
        |id, attachments| EditMessage { id, text: "Compare".into(), attachments, context: None };
    journey.app.edit(edit(path[0].id, Some(both.to_vec()))).await.unwrap();
    journey.settled(id).await;
    let compared = with("Compare", &["그림.gif", "paper.pdf"]);
    assert_eq!(sent(&nth(&model, 2)), std::slice::from_ref(&compared));
    assert_eq!(drafted(&journey.detail(id).await), Vec::<&str>::new());

    journey.ask(id, "And now?").await;
    assert_eq!(sent(&nth(&model, 3)), std::slice::from_ref(&compared), "the history has them too");

    // An edit keeps what the message had.
    let asked = journey.path(id).await[0].id;
    journey.app.edit(edit(asked, None)).await.unwrap();
    journey.settled(id).await;
    assert_eq!(sent(&nth(&model, 4)), [compared]);
    let foreign = edit(asked, Some(vec!["0".repeat(64)]));
    assert_eq!(journey.app.edit(foreign).await.unwrap_err().code, Code::BadRequest);
}

#[tokio::test]
async fn a_pasted_text_waits_with_the_draft_and_is_sent_as_it_is_behind_the_question() {
    let model = answers(3);
    let large = ModelInfo { context_window: Some(100_000), ..ModelInfo::named("offline") };
    model.offers.lock().unwrap().push(large);
    let first = journey(&model);
    let id = first.conversation(None).await;
    let pasted: String = (0..1_204).map(|line| format!("  {line} an @old.rs\r\n")).collect();
    // A difference is not printed: it is long.
    let is = |said: &str, expected: &str| assert!(said == expected, "{} bytes", said.len());
    let hash = first.paste(id, &pasted).await;
    let Journey { app, data, project } = first;
    drop(app);
    let app = app_on(data.path(), Arc::new(model.clone()));
    let journey = Journey { app, data, project };
    let [attached] = &journey.detail(id).await.attachments[..] else { panic!("one paste") };
    let Part::Pasted { lines, text, tokens, .. } = &attached.part else { panic!("a paste") };
    assert_eq!((*lines, attached.size, text.as_str()), (1_204, pasted.len() as u64, ""));
    assert!(*tokens > 5_000, "{tokens}");

    let said = format!("What is this?\n\n{pasted}");
    let draft = |text: &str| PreviewRequest {
        conversation_id: id,
        draft: text.into(),
        context: None,
        model: None,
    };
    let preview = journey.app.request_preview(draft("What is this?")).await.unwrap();
    is(&preview.sections.last().unwrap().text, &said);
    assert_eq!(preview.needed, None);
    journey.send_with(id, "What is this?", &[&hash]).await;
    journey.settled(id).await;
    let asked = |turn| nth(&model, turn).sections.last().unwrap().text.clone();
    is(&asked(0), &said);
    let detail = journey.detail(id).await;
    assert_eq!((detail.attachments.len(), &*detail.item.title), (0, "What is this?"));
    assert_eq!(journey.bytes(&hash).await, Err(Code::NotFound), "the message says it itself");
    let path = journey.path(id).await;
    let turn = TurnRef { id: path[1].turn_id.unwrap() };
    let sent = journey.app.request_sent(turn).await.unwrap();
    is(sent.sections.last().unwrap().text.as_deref().unwrap(), &said);

    // An edit takes it along, and the next question has it in its history.
    let text = "And this?".into();
    let edit =
        EditMessage { id: path[0].id, text, attachments: Some(vec![hash.clone()]), context: None };
    journey.app.edit(edit).await.unwrap();
    journey.settled(id).await;
    is(&asked(1), &format!("And this?\n\n{pasted}"));
    journey.ask(id, "Go on").await;
    let history = nth(&model, 2).sections;
    assert!(history.iter().any(|it| it.text == format!("And this?\n\n{pasted}")));
}

#[tokio::test]
async fn what_does_not_fit_is_refused_before_it_is_sent_and_nothing_is_lost() {
    let model = answers(1);
    let small = ModelInfo { context_window: Some(4_000), ..ModelInfo::named("offline") };
    model.offers.lock().unwrap().push(small);
    let journey = journey(&model);
    let id = journey.conversation(None).await;
    let hash = journey.paste(id, &"a word and another one\n".repeat(1_000)).await;
    let draft =
        PreviewRequest { conversation_id: id, draft: "Why?".into(), context: None, model: None };
    let preview = journey.app.request_preview(draft).await.unwrap();
    assert!(preview.needed.unwrap() > preview.budget, "{:?} {}", preview.needed, preview.budget);
    let attachments = vec![hash.clone()];
    let send = SendMessage {
        conversation_id: id,
        text: "Why?".into(),
        attachments,
        context: None,
        also: Vec::new(),
    };
    assert_eq!(journey.app.send(send).await.unwrap_err().code, Code::ContextOverflow);
    let detail = journey.detail(id).await;
    assert_eq!((detail.attachments.len(), detail.item.message_count), (1, 0));
    let gone = AttachmentRef { conversation_id: id, hash: hash.clone() };
    journey.app.attachment_remove(gone).await.unwrap();
    assert_eq!(journey.bytes(&hash).await, Err(Code::NotFound));
    journey.send_with(id, "Why?", &[]).await;
    journey.settled(id).await;
    assert_eq!(journey.said(id).await, ["Why?", "seen"]);
}

#[tokio::test]
async fn a_waiting_message_keeps_what_is_attached_and_gives_it_up_when_it_is_taken_back() {
    let model =
        Scripted::new([vec![Step::Say("slow"), Step::Hang], vec![Step::Say("seen"), Step::Finish]]);
    let journey = journey(&model);
    let id = journey.conversation(None).await;
    journey.send(id, "first").await;
    let picture = journey.attach(id, "p.gif", PICTURE).await;
    let paper = journey.attach(id, "p.pdf", PAPER).await;
    let Sent::Queued { .. } = journey.send_with(id, "with a picture", &[&picture]).await else {
        panic!("a reply is on its way");
    };
    let Sent::Queued { message_id } = journey.send_with(id, "with a paper", &[&paper]).await else {
        panic!("a reply is on its way");
    };
    assert_eq!(drafted(&journey.detail(id).await), Vec::<&str>::new());
    assert_eq!(journey.bytes(&paper).await.as_deref(), Ok(PAPER));
    journey.app.unqueue(MessageRef { id: message_id }).await.unwrap();
    assert_eq!(journey.bytes(&paper).await, Err(Code::NotFound));

    // What waits goes when the person says so: the first reply was stopped.
    journey.app.stop(ConversationRef { id }).await.unwrap();
    journey.settled(id).await;
    journey.app.unqueue(MessageRef { id: journey.detail(id).await.queued[0].id }).await.unwrap();
    assert_eq!(journey.bytes(&picture).await, Err(Code::NotFound));

    let removed = journey.attach(id, "p.gif", PICTURE).await;
    let hash = removed.clone();
    journey.app.attachment_remove(AttachmentRef { conversation_id: id, hash }).await.unwrap();
    assert_eq!(journey.bytes(&removed).await, Err(Code::NotFound));
    let request = SendMessage {
        conversation_id: id,
        text: "x".into(),
        attachments: vec![removed],
        context: None,
        also: Vec::new(),
    };
    assert_eq!(journey.app.send(request).await.unwrap_err().code, Code::BadRequest);
}

#[tokio::test]
async fn a_queued_message_is_sent_with_what_is_attached() {
    let latch = Latch::default();
    let pause = Step::Until(latch.clone());
    let model = Scripted::new([
        vec![Step::Say("slow"), pause, Step::Finish],
        vec![Step::Say("seen"), Step::Finish],
    ]);
    let journey = journey(&model);
    let id = journey.conversation(None).await;
    journey.send(id, "first").await;
    let picture = journey.attach(id, "p.gif", PICTURE).await;
    journey.send_with(id, "look", &[&picture]).await;
    latch.open();
    journey.settled(id).await;
    assert_eq!(sent(&nth(&model, 1)), [with("look", &["p.gif"])]);
    assert_eq!(journey.said(id).await, ["first", "slow", "look", "seen"]);
}

#[tokio::test]
async fn a_model_without_eyes_gets_the_words_and_the_request_says_what_is_missing() {
    let model = answers(2);
    let blind = ModelInfo { takes_images: Some(false), ..ModelInfo::named("offline") };
    model.offers.lock().unwrap().push(blind);
    let journey = journey(&model);
    let id = journey.conversation(None).await;
    let picture = journey.attach(id, "p.gif", PICTURE).await;
    let draft = PreviewRequest {
        conversation_id: id,
        draft: "What is this?".into(),
        context: None,
        model: None,
    };
    let preview = journey.app.request_preview(draft).await.unwrap();
    let missing = |left_out: &[siltstone_engine::section::LeftOut]| -> Vec<(String, LeftOutWhy)> {
        left_out.iter().map(|left| (left.source.clone(), left.why)).collect()
    };
    let expected = [("p.gif".to_owned(), LeftOutWhy::NotTaken)];
    assert_eq!(missing(&preview.left_out), expected);
    let detail = journey.detail(id).await;
    assert_eq!((detail.takes_images, detail.takes_files), (Some(false), None));

    journey.send_with(id, "What is this?", &[&picture]).await;
    journey.settled(id).await;
    let reply = journey.ask(id, "And now?").await;
    for turn in 0..2 {
        assert_eq!((sent(&nth(&model, turn)), nth(&model, turn).attached.len()), (vec![], 0));
    }
    let turn = TurnRef { id: reply.turn_id.unwrap() };
    let view = journey.app.request_sent(turn).await.unwrap();
    assert_eq!(missing(&view.left_out), expected);
    assert!(view.sections.iter().all(|section| section.section.attached.is_empty()));
    assert!(view.sections.iter().any(|section| section.text.as_deref() == Some("What is this?")));
}

#[tokio::test]
async fn bytes_that_are_gone_fail_the_turn_and_nothing_else() {
    let model = answers(1);
    let journey = journey(&model);
    let id = journey.conversation(None).await;
    journey.ask(id, "first").await;
    // Another program's store, which keeps no bytes with the part.
    let store = Store::open(journey.data.path(), Timestamp::now()).unwrap();
    let mut last = store.page(id, None, 1).unwrap().messages.remove(0).message;
    last.parent_id = Some(last.id);
    last.id = MessageId::new(Timestamp::now());
    last.parts = vec![attachment::part_of("lost.gif", PICTURE).unwrap()];
    let branch_if_needed = BranchId::new(Timestamp::now());
    store.append_message(&NewMessage { message: last, branch_if_needed }).unwrap();

    let reply = journey.ask(id, "second").await;
    let fault = reply.fault.unwrap();
    assert_eq!(fault.code, "attachment_missing");
    assert!(fault.message.contains("lost.gif"), "{}", fault.message);
    assert_eq!(journey.said(id).await[3], "second");
    let export = ExportConversation { id, format: ExportFormat::Json, as_is: false };
    assert!(journey.app.conversation_export(export).await.is_ok());
}

#[tokio::test]
async fn an_export_carries_bytes_and_instructions_into_another_data_folder() {
    let model = answers(1);
    let here = journey(&model);
    let id = here.conversation(None).await;
    let tuning = Tuning { instructions: "Be brief.".into(), ..Tuning::default() };
    here.app.conversation_tune(TuneConversation { id, tuning: tuning.clone() }).await.unwrap();
    let picture = here.attach(id, "p.gif", PICTURE).await;
    let paper = here.attach(id, "p.pdf", PAPER).await;
    here.send_with(id, "both", &[&picture, &paper]).await;
    here.settled(id).await;
    let export =
        |format| here.app.conversation_export(ExportConversation { id, format, as_is: false });
    let text = export(ExportFormat::Json).await.unwrap().text;
    for format in [ExportFormat::Markdown, ExportFormat::Jsonl] {
        let text = export(format).await.unwrap().text;
        assert!(text.contains("[p.gif]") && text.contains("[p.pdf]"), "{text}");
    }

    let there = journey(&Scripted::default());
    let import = ImportConversation { text, name: String::new(), project_id: None };
    let copy = there.app.conversation_import(import).await.unwrap().item.id;
    assert_eq!(there.path(copy).await[0].parts, here.path(id).await[0].parts);
    assert_eq!(there.bytes(&picture).await.as_deref(), Ok(PICTURE));
    assert_eq!(there.bytes(&paper).await.as_deref(), Ok(PAPER));
    assert_eq!(there.detail(copy).await.tuning, tuning);

    there.app.conversation_delete(ConversationRef { id: copy }).await.unwrap();
    there.app.conversation_purge(ConversationRef { id: copy }).await.unwrap();
    assert_eq!(there.bytes(&picture).await, Err(Code::NotFound));
}

#[tokio::test]
async fn a_conversation_is_asked_as_it_was_tuned_and_the_reply_remembers_how() {
    let model = answers(2);
    let journey = journey(&model);
    let id = journey.conversation(None).await;
    let tune = |instructions: &str, temperature| TuneConversation {
        id,
        tuning: Tuning {
            instructions: instructions.into(),
            temperature,
            max_output_tokens: Some(99),
            effort: Some(Effort::Low),
            mode: None,
        },
    };
    journey.app.conversation_tune(tune("Answer in verse.", Some(0.5))).await.unwrap();
    let refused = journey.app.conversation_tune(tune("", Some(2.5))).await.unwrap_err();
    assert_eq!(refused.code, Code::BadRequest);
    let reply = journey.ask(id, "first").await;
    let request = nth(&model, 0);
    assert_eq!(
        (request.temperature, request.max_output_tokens, request.effort),
        (Some(0.5), Some(99), Some(Effort::Low))
    );
    assert_eq!(request.sections[1].text, "Answer in verse.");
    assert_eq!(request.sections[1].reason, Reason::ConversationRule);

    journey.app.conversation_tune(tune("", None)).await.unwrap();
    journey.ask(id, "second").await;
    let request = nth(&model, 1);
    assert_eq!(request.temperature, None);
    assert!(request.sections.iter().all(|section| section.reason != Reason::ConversationRule));
    let turn = TurnRef { id: reply.turn_id.unwrap() };
    let view = journey.app.request_sent(turn).await.unwrap();
    assert_eq!(view.tuning, tune("Answer in verse.", Some(0.5)).tuning);
    assert_eq!(view.sections[1].text.as_deref(), Some("Answer in verse."));
}

#[tokio::test]
async fn what_cannot_be_attached_is_refused_with_its_name() {
    let journey = journey(&Scripted::default());
    let id = journey.conversation(None).await;
    let add = |name: &str, data: String| {
        journey.app.attachment_add(AddAttachment { conversation_id: id, name: name.into(), data })
    };
    let program = add("holiday.png", to_base64(b"MZ a program")).await.unwrap_err();
    assert_eq!(program.code, Code::AttachmentUnsupported);
    assert!(program.message.contains("holiday.png"), "{}", program.message);
    let huge = [PICTURE, &vec![0; attachment::MAX_BYTES]].concat();
    let huge = add("p.gif", to_base64(&huge)).await.unwrap_err();
    assert_eq!(huge.code, Code::AttachmentTooLarge);
    assert_eq!(add("p.gif", "?".into()).await.unwrap_err().code, Code::BadRequest);
    for number in 0..20_u8 {
        let other = [PICTURE, &[number]].concat();
        add("p.gif", to_base64(&other)).await.unwrap();
    }
    let many = add("p.gif", to_base64(PICTURE)).await.unwrap_err();
    assert_eq!(many.code, Code::AttachmentTooLarge);
    assert_eq!(journey.detail(id).await.attachments.len(), 20);
}
