//! Names of states, kinds and reasons for the person: the code that JSON has, in plain words of both languages.

use serde::Serialize;
use serde_json::Value;

use super::Lang;

impl Lang {
    /// The word for something that JSON names by a code.
    pub fn term(self, value: &impl Serialize) -> String {
        let code = match serde_json::to_value(value) {
            Ok(Value::String(code)) => code,
            Ok(Value::Object(fields)) => {
                fields.get("code").and_then(Value::as_str).unwrap_or_default().to_owned()
            }
            _ => String::new(),
        };
        match (self, TERMS.iter().find(|(known, _)| *known == code)) {
            (Self::Ko, Some((_, korean))) => (*korean).to_owned(),
            _ => code.replace('_', " "),
        }
    }
}

const TERMS: &[(&str, &str)] = &[
    // Agents at work.
    ("working", "일하는 중"),
    ("waiting", "답을 기다리는 중"),
    ("ended", "끝남"),
    // Plans and tasks.
    ("open", "열림"),
    ("active", "진행 중"),
    ("todo", "할 일"),
    ("doing", "하는 중"),
    ("done", "끝남"),
    ("archived", "보관됨"),
    // Roles.
    ("user", "나"),
    ("assistant", "모델"),
    ("system", "시스템"),
    ("tool", "도구"),
    // Layers of memory, and where a version comes from.
    ("global", "전역"),
    ("project", "프로젝트"),
    ("directory", "디렉터리"),
    ("session", "세션"),
    ("runtime", "런타임"),
    ("disk", "디스크에서"),
    ("saved", "저장함"),
    ("restored", "되돌림"),
    // What is kept as data, and how a resource stands to that.
    ("tool_result", "도구의 결과"),
    ("file", "파일"),
    ("mcp", "서버의 자료"),
    ("skill", "스킬"),
    ("as_kept", "남긴 그대로"),
    ("changed", "바뀜"),
    ("gone", "사라짐"),
    // What lint finds.
    ("hidden_unicode", "숨은 글자"),
    ("bidi", "방향을 바꾸는 글자"),
    ("html_comment", "HTML 주석"),
    ("far_right", "멀리 밀어 둔 글"),
    ("asks_to_run", "실행하라는 지시"),
    ("asks_to_send", "보내라는 지시"),
    ("asks_to_hide", "숨기라는 지시"),
    ("too_long", "너무 긺"),
    ("secret", "비밀"),
    // Checkpoints: why made, which rule lets one go, what becomes of a file.
    ("manual", "직접"),
    ("interval", "30분마다"),
    ("before_restore", "되돌리기 전"),
    ("before_tool", "도구 전"),
    ("after_turn", "답변 뒤"),
    ("before_memory", "메모리 고치기 전"),
    ("plan_change", "계획 바꿈"),
    ("imported", "가져옴"),
    ("copy", "복사본"),
    ("too_large", "너무 큼"),
    ("not_regular", "일반 파일이 아님"),
    ("unsteady", "계속 바뀜"),
    ("age", "오래됨"),
    ("count", "개수"),
    ("size", "크기"),
    ("create", "만들기"),
    ("overwrite", "덮어쓰기"),
    ("delete", "삭제"),
    ("conflict", "충돌"),
    ("skip", "그대로"),
    ("missing", "없음"),
    ("kept", "그대로 둠"),
    ("ours", "우리가 쓴 것"),
    ("undone", "되돌린 것"),
    ("taken_back", "되돌림"),
    ("copied", "복사본에서 바뀜"),
    ("both", "양쪽에서 다른 곳이 바뀜"),
    ("apart", "양쪽에서 같은 곳이 바뀜"),
    ("unknown", "복사본의 것을 알 수 없음"),
    ("changed_outside", "밖에서 바뀜"),
    ("not_ours", "우리가 쓴 것이 아님"),
    ("in_the_way", "다른 것이 있음"),
    ("added", "더함"),
    ("modified", "바뀜"),
    ("mode", "권한만 바뀜"),
    ("deleted", "삭제됨"),
    // Pieces of a request, and why one is left out.
    ("instructions", "지침"),
    ("tools", "도구"),
    ("memory", "메모리"),
    ("persistent_context", "규칙"),
    ("plan", "계획"),
    ("summary", "요약"),
    ("turn", "메시지"),
    ("passage", "구절"),
    ("volatile_context", "지금"),
    ("draft", "보낼 말"),
    ("no_room", "자리가 없음"),
    ("untrusted", "믿지 않는 폴더"),
    ("unreadable", "읽을 수 없음"),
    ("duplicate", "겹침"),
    ("never_sent", "보내지 않는 파일"),
    ("excluded", "제외한 파일"),
    ("changed_since_agreed", "동의한 뒤에 바뀜"),
    ("off", "꺼짐"),
    ("not_touched", "건드리지 않음"),
    ("not_mentioned", "언급되지 않음"),
    ("refused", "거절됨"),
    ("outside", "프로젝트 밖"),
    ("not_taken", "받지 않음"),
    ("summarised", "요약됨"),
    ("by_you", "직접 뺌"),
    ("still_reading", "아직 읽는 중"),
    ("small_talk", "인사말"),
    ("no_tools", "도구 없음"),
    ("agent_command", "에이전트의 명령"),
    // What must not get lost.
    ("constraint", "규칙"),
    ("decision", "결정"),
    ("question", "물음"),
    ("path", "경로"),
    ("command", "명령"),
    ("number", "수치"),
    ("error", "오류"),
    ("identifier", "식별자"),
    ("url", "주소"),
    ("version", "버전"),
    ("date", "날짜"),
    ("quote", "인용"),
    ("name", "이름"),
    // Stores of context.
    ("app", "앱"),
    ("run", "실행"),
    ("task", "작업"),
    ("layer", "레이어"),
    ("persistent", "간직함"),
    ("volatile", "지금"),
    ("place", "자리"),
    ("loaded", "불러옴"),
    ("told", "알려 줌"),
    ("request", "요청"),
    // Summaries: how, and why one failed.
    ("rolling", "이어 고치는 요약"),
    ("segments", "세 턴마다"),
    ("running", "늘 최신인 짧은 요약"),
    ("window", "최근 것만"),
    ("importance", "중요한 것만"),
    ("summarise", "넘치는 부분만"),
    ("none", "없음"),
    ("cancelled", "취소함"),
    ("abandoned", "도중에 끝남"),
    ("not_shorter", "더 짧아지지 않음"),
    ("provider_unreachable", "모델 서버가 응답하지 않음"),
    ("provider_timed_out", "모델이 너무 오래 말이 없음"),
    ("key_missing", "키가 없음"),
    ("key_refused", "키를 받아 주지 않음"),
    ("rate_limited", "요청이 너무 많음"),
    ("no_credit", "잔액이 부족함"),
    ("model_not_found", "그런 모델이 없음"),
    ("context_overflow", "요청이 너무 긺"),
    ("limit_reached", "이번 달 한도"),
];

#[cfg(test)]
mod tests {
    use siltstone_engine::checkpoint::{Action, Rule};
    use siltstone_engine::ledger::Category;
    use siltstone_engine::memory::MemoryLayer;
    use siltstone_engine::section::{LeftOutWhy, SectionKind};
    use siltstone_engine::workflow::{PlanStatus, TaskStatus};

    use super::*;

    #[test]
    fn a_word_stands_once() {
        let mut words: Vec<&str> = TERMS.iter().map(|(word, _)| *word).collect();
        words.sort_unstable();
        let twice: Vec<_> = words.windows(2).filter(|two| two[0] == two[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }

    #[test]
    fn a_term_is_a_word_of_the_language() {
        let both = |value: &dyn Fn(Lang) -> String| (value(Lang::En), value(Lang::Ko));
        let pair = |en: &str, ko: &str| (en.to_owned(), ko.to_owned());
        assert_eq!(both(&|it| it.term(&PlanStatus::Active)), pair("active", "진행 중"));
        assert_eq!(both(&|it| it.term(&TaskStatus::Todo)), pair("todo", "할 일"));
        assert_eq!(both(&|it| it.term(&MemoryLayer::Global)), pair("global", "전역"));
        assert_eq!(both(&|it| it.term(&LeftOutWhy::NoRoom)), pair("no room", "자리가 없음"));
        assert_eq!(both(&|it| it.term(&SectionKind::Passage)), pair("passage", "구절"));
        assert_eq!(both(&|it| it.term(&Action::Skip)), pair("skip", "그대로"));
        assert_eq!(both(&|it| it.term(&Rule::Age)), pair("age", "오래됨"));
        assert_eq!(both(&|it| it.term(&Category::Constraint)), pair("constraint", "규칙"));
        assert_eq!(Lang::Ko.term(&"something_new"), "something new");
    }
}
