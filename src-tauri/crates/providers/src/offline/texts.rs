//! The offline model's own words, in both languages. Everything else it says is a quotation.

use siltstone_engine::provider::{OFFLINE_EN, OFFLINE_KO};

/// What there was to look through.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Looked {
    pub passages: usize,
    pub files: usize,
    pub memory: usize,
    pub messages: usize,
}

/// The words in one language.
#[derive(Debug)]
pub(super) struct Texts {
    /// Opens every answer; an earlier answer of ours is recognised by it.
    pub opening: &'static str,
    /// What was looked through.
    pub looked: fn(Looked) -> String,
    /// Nothing but the question came.
    pub nothing_to_look: &'static str,
    /// Something came, but nothing that speaks of the question.
    pub nothing_found: &'static str,
    /// Before the quotes.
    pub found: &'static str,
    /// Closes an answer without a quote.
    pub advice: &'static str,
    /// The label of a link to a message.
    pub earlier_message: &'static str,
}

/// Korean.
pub(super) const KO: Texts = Texts {
    opening: OFFLINE_KO,
    looked: looked_ko,
    nothing_to_look: "살펴볼 파일 구절, 메모리 파일, 이전 메시지가 없었습니다.",
    nothing_found: "그 안에는 이 질문과 겹치는 글이 없습니다.",
    found: "질문과 가장 많이 겹치는 글입니다.",
    advice: "모델이 쓴 답을 받으려면 설정에서, 또는 `silt provider add`로 모델을 연결하세요.",
    earlier_message: "이전 메시지",
};

/// English.
pub(super) const EN: Texts = Texts {
    opening: OFFLINE_EN,
    looked: looked_en,
    nothing_to_look: "There were no passages of files, memory files or earlier messages to look through.",
    nothing_found: "Nothing in there has words in common with the question.",
    found: "This has most in common with the question.",
    advice: "For an answer written by a model, connect one in Settings, or with `silt provider add`.",
    earlier_message: "earlier message",
};

fn looked_ko(looked: Looked) -> String {
    let mut kinds = Vec::new();
    if looked.passages > 0 {
        kinds.push(format!("파일 {}개에서 찾은 구절 {}개", looked.files, looked.passages));
    }
    if looked.memory > 0 {
        kinds.push(format!("메모리 파일 {}개", looked.memory));
    }
    if looked.messages > 0 {
        kinds.push(format!("이전 메시지 {}개", looked.messages));
    }
    format!("살펴본 것: {}.", kinds.join(", "))
}

fn looked_en(looked: Looked) -> String {
    let count = |n: usize, thing: &str| format!("{n} {thing}{}", if n == 1 { "" } else { "s" });
    let mut kinds = Vec::new();
    if looked.passages > 0 {
        let passages = count(looked.passages, "passage");
        kinds.push(format!("{passages} found in {}", count(looked.files, "file")));
    }
    if looked.memory > 0 {
        kinds.push(count(looked.memory, "memory file"));
    }
    if looked.messages > 0 {
        kinds.push(count(looked.messages, "earlier message"));
    }
    format!("Looked through: {}.", kinds.join(", "))
}
