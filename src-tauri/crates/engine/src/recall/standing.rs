//! Standing instructions: what the person wants of every answer from then on, or of every answer about something.
//!
//! "Always give versions when I ask about dependencies" shares no word with "What does the build pull in?", so no ranking
//! finds it. They are few and short, so they are told apart when they are said ([`is_standing`] is asked as a message
//! enters the index) and go with every question of their conversation, those first that [concern](concerning) it. Only
//! what the person typed counts, never what was pasted, quoted or called by a tool. A later one takes nothing back by
//! itself: they go by time, each with its day, and the model reads which is the newer. Memory is for what holds beyond
//! the conversation; constraints of a fold are the [ledger](crate::ledger)'s.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{Index, Said};
use crate::density::{bare, sentences};
use crate::message::{Part, Role, asked_of};
use crate::pattern::pattern;

/// Percent of the room that those may have that concern what is asked, and those that do not: what says when it holds
/// is left to the model, where that costs little.
const CONCERNING: u64 = 25;
const OTHERS: u64 = 5;
/// Tokens that the others may have of a small room: four or five of them.
const AT_LEAST: u64 = 128;
/// Of a longer text both ends are looked at: what is asked stands before a paste or behind it.
const LOOKED_AT: usize = 2_000;
/// Characters of a sentence that may be one. What is longer tells a story.
const LONGEST: usize = 400;

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| Patterns::new().ok());

struct Patterns {
    /// Says by itself that it holds from then on.
    lasting: Regex,
    /// Says when it holds, and is one where it also demands.
    whenever: Regex,
    /// What of the sentence says when it holds.
    topic: Regex,
    /// Demands something, in English.
    demands: Regex,
    /// A question that demands.
    asks: Regex,
    /// Looks like one and tells what was or is.
    tells: Regex,
    /// Holds from then on, in Korean, where the sentence demands.
    ko_lasting: Regex,
    /// The same where it also speaks of answers.
    ko_maybe: Regex,
    ko_answers: Regex,
    ko_demands: Regex,
    /// Says how answers should be.
    ko_style: Regex,
    /// Wants a thing to be so, not an answer.
    ko_made: Regex,
    ko_topic: Regex,
}

/// Verbs with which answers are asked for.
const VERBS: &str = "include|use|add|give|show|tell|list|mention|write|format|cite|quote|keep|put|provide|avoid|explain|start|begin|end|answer|reply|respond|ask|check|confirm|remind|call|name|state|say|spell|round|translate|highlight|assume|treat|skip|leave|omit|convert|express|report|warn|suggest|propose|verify|note|point|link|prefix|wrap|stick|refer|address|run|commit|test|document|comment|be|make|sort|number|label|split|limit|attach|compare|describe|specify|combine|prioriti[sz]e|prefer|stop|mark|flag|count|do|stay|send|sign|separate|repeat|think|consider|recommend|return to";

impl Patterns {
    fn new() -> Result<Self, regex::Error> {
        Ok(Self {
            lasting: pattern(&format!(
                concat!(
                    r"(?i)\bfrom (?:now|here) on(?:wards?)?\b|\bgoing forward\b|\bfrom this point (?:on|forward)|\bhenceforth\b",
                    r"|\bfor the rest of (?:this|our|the) (?:chat|conversation|session|thread)\b",
                    r"|(?:(?:^|[.,:;!?—–-] )(?:(?:and|but|so|also|oh|ok|okay|thanks),? )?|\bplease )(?:always|never) (?:{0})\b",
                    r"|\b(?:don['’]?t|do not) ever (?:{0})\b|\byou (?:should|must|need to|have to) (?:always|never) [a-z]+|\bremember to always\b",
                    r"|^(?:(?:please|also|and) )*(?:remember|keep in mind|bear in mind)(?: that| to|:) ",
                    r"|\brules (?:for|on) (?:our|my|you|your|us|this chat|this project|code|how|all|every)\b|\brule for (?:you|us)\b|\bhow i want you to (?:answer|reply|respond|write|work)\b",
                    r"|\bi(?:['’]d| would)? prefer (?:[\w-]+ ){{0,5}}(?:answers|replies|explanations)\b",
                    r"|\b(?:answer|reply|respond|speak|talk)(?: to me| back)?(?: only| always)? in (?:korean|english|japanese|chinese|german|french|spanish)\b",
                    r"|(?:^|[.,:;!] |\b(?:please|and|also|ok|okay),? )(?:stop|quit|no more) (?:using|adding|apologi[sz]ing|saying|writing|giving|asking|including|repeating|explaining|suggesting|putting|ending|starting|mentioning|emojis?|preambles?|disclaimers?)\b",
                ),
                VERBS
            ))?,
            whenever: pattern(concat!(
                r"(?i)\b(?:whenever|every time|each time|any ?time) (?:i|you|we|there)\b|\b(?:when|if) i(?:['’]m asking| ask)\b",
                r"|\bwhen you (?:answer|reply|respond|write|show|give|explain|suggest|propose|quote|mention|cite|list|change|edit|add|correct|rewrite|summari[sz]e|translate|fix|refactor|review|make|generate|draft|describe|report|calculate|code|commit|compare|recommend)\b",
                r"|\bin (?:all|every|each)(?: of)?(?: your| the)? ?(?:future|further)? ?(?:answers?|repl(?:y|ies)|responses?|messages?|examples?)\b|\bin your (?:answers|replies|responses)\b",
                r"|\bin (?:the )?future (?:answers|replies|responses|messages|code|commits)\b|\bfor (?:all|every|each|any) (?:future|further|later) ",
            ))?,
            topic: pattern(
                r"(?i)\b(?:whenever|when|if|every time|each time|any ?time) (?:i|you|we|there) (?:ask(?: you)?(?: about| for| how| what)? ?)?([^,;]+)",
            )?,
            demands: pattern(&format!(
                r"(?i)(?:^|[,:;—–-] |\b(?:please|then|and|also|ok|okay|oh|so|but|always|never)[,]? )(?:{VERBS})\b|\b(?:answers?|replies|responses?|messages?|examples?|commits?) (?:{VERBS})\b|\b(?:do not|don['’]?t|please) [a-z]+|\byou (?:should|must|need to|have to)\b|\bi (?:want|need|expect|would like) (?:you|your|all|every)\b|\bi['’]d like (?:you|your|all)\b"
            ))?,
            asks: pattern(
                r"(?i)\b(?:can|could|would|will) you (?:please )?(?:always|never|from now on|in (?:the )?future|going forward)\b|\b(?:can|could|would|will) you .*\b(?:from now on|going forward|every time i|whenever i|when i ask)\b|앞으로.*(?:줄래|주실래요|주시겠어요|줄 수 있|주실 수 있)",
            )?,
            tells: pattern(concat!(
                r"(?i)\bnever ?mind\b|\bnever (?:give up|say never)\b|^(?:always|never) (?:been|had|seen|used to|tried|heard|done|got|met|went|was|is|wanted|thought|loved|liked|knew|felt|worked|happened)\b",
                r"|^(?:always|never) (?:a|an|the|my|in|on|at|good|sure)\b",
            ))?,
            ko_lasting: pattern(concat!(
                r"앞으로(?:는|도|,)|앞으로.*(?:때|땐|면)|(?:이제|지금|여기서)부터는|다음부터|이후(?:로는|에는)|(?:남은|이번) 대화|매번",
                r"|때마다|(?:얘기|이야기|말|설명|답|답변|대답|보고|요약|추천|제안|번역|코드|예시|정리)(?:해|를|을)? ?(?:할|줄|해줄|쓸|들) ?(?:때|땐)",
                r"|(?:물어보|질문하|물으|여쭤보|부탁하|요청하|달라고 하|고쳐달라고 하|해달라고 하|나오)면|(?:물어볼|질문할|물을|여쭤볼|요청할|부탁할) ?(?:때|땐)",
                r"|기억해 ?(?:줘|둬|두|주)|명심해|잊지 ?마",
                r"|(?:한국어|영어|한글|존댓말|반말|해요체|합니다체|평어)로(?:만)? (?:답|대답|말|설명|써|쓰|해|부탁)",
                r"|모르면.*모른다|지어내지 ?(?:말|마)|추측하지 ?(?:말|마)|(?:답변|코드|작업|대화|우리) ?(?:규칙|원칙|약속)|규칙 (?:몇|하나|정)",
            ))?,
            ko_maybe: pattern(
                r"앞으로|(?:이제|지금|여기서)부터|항상|언제나|(?:^| )늘 |무조건|기본적으로",
            )?,
            ko_answers: pattern(
                r"답|응답|설명|말투|존댓말|반말|해요체|합니다체|한국어|영어|한글|커밋|코드|주석|예시|예제|형식|단위|표로|목록|번호|출처|링크|날짜|숫자|이름|용어|번역|요약|문장|메시지|보고|질문|물어|버전|줄 ?때|쓸 ?때|할 ?땐",
            )?,
            ko_demands: pattern(concat!(
                r"(?:줘|줘요|주라|주세요|주십시오|주시고|주시면|주시길|주길|줄래|주실래요|주시겠어요|달라|해라|하세요|하십시오|하자|하죠|합시다|할 것|부탁(?:해|해요|합니다|드립니다|드려요|드릴게요)?|바랍니다|바라|바래|바래요|싶어|싶어요|싶습니다|좋겠어|좋겠어요|좋겠다|좋겠습니다|해야 ?(?:해|돼|한다|합니다|함)|마|마요|마세요|마라|마십시오|말고|말 ?것|말아|말아줘|말아요|말자|써|써요|쓰자|쓰세요|적어|달아|붙여|넣어|빼|맞춰|통일|통일해|둬|두자|가자|갑시다)(?:[.,!~^)]|[ㅎㅋㅠㅜ]|\s|$)",
                r"|(?:하라|하기|쓰기|적기|말기|금지|필수|한다|합니다|쓴다|씁니다|해|해요|돼|돼요|됩니다)[.!~ ]*$",
            ))?,
            ko_style: pattern(r"(?:^|[ ,])(?:답변?|대답|응답|설명)(?:은|는) ")?,
            ko_made: pattern(
                r"(?:게|도록) (?:해|하|만들|설정|바꿔|수정|고쳐|처리)|(?:였|었|했|았|던|더라|네요?|거든|는데)[.!~ ]*$|되나",
            )?,
            ko_topic: pattern(
                r"^(?:.*?앞으로(?:는|도)? )?(.+?)(?:에 대해서?|에 관해서?|을|를|이|가|은|는|도)? ?(?:(?:물어보|질문하|물으|여쭤보|부탁하|요청하|달라고 하|나오)면|[가-힣]*(?:할|볼|줄|쓸|낼|들|을|칠) ?(?:때|땐))",
            )?,
        })
    }
}

/// Whether the person says in a message what holds from then on.
pub fn is_standing(role: Role, parts: &[Part]) -> bool {
    role == Role::User && !standing(&asked_of(parts)).is_empty()
}

/// The standing instructions of what somebody typed, as ranges of its bytes, in order.
pub fn standing(typed: &str) -> Vec<Range<usize>> {
    let Some(patterns) = PATTERNS.as_ref() else { return Vec::new() };
    let mut found = Vec::new();
    for end in ends(typed) {
        for sentence in sentences(&typed[end]).into_iter().filter(|sentence| !sentence.code) {
            let said = bare(sentence.text);
            // What is quoted is somebody else's.
            let quoted = sentence.text.starts_with('>');
            if !quoted && said.chars().count() <= LONGEST && patterns.is_standing(said) {
                let start = said.as_ptr() as usize - typed.as_ptr() as usize;
                found.push(start..start + said.len());
            }
        }
    }
    found
}

/// For each instruction whether it concerns what is asked: it says of nothing when it holds, or that meets what is asked.
pub fn concerning(asked: &str, instructions: &[&str]) -> Vec<bool> {
    if instructions.is_empty() {
        return Vec::new();
    }
    let topics: Vec<Option<&str>> = instructions.iter().map(|said| topic(said)).collect();
    let mut index = Index::default();
    for topic in &topics {
        let text = topic.unwrap_or_default();
        index.push(&Said { speaker: "user", role: Some(Role::User), text, on: None, session: 0 });
    }
    let met = index.met(asked).here;
    let mut meets = vec![false; instructions.len()];
    for (place, _) in met.into_iter().enumerate().filter(|(_, met)| *met > 0.0) {
        meets[index.stretch(place).0] = true;
    }
    topics.iter().zip(meets).map(|(topic, meets)| topic.is_none() || meets).collect()
}

/// The most tokens that instructions may have of a room: those that concern what is asked, and then the others.
pub fn room_of_standing(concern: bool, room: u64) -> u64 {
    let percent = |percent: u64| room.saturating_mul(percent) / 100;
    if concern { percent(CONCERNING) } else { percent(OTHERS).max(AT_LEAST) }
}

/// What an instruction is about; `None` where it holds for everything.
fn topic(said: &str) -> Option<&str> {
    let patterns = PATTERNS.as_ref()?;
    let found = patterns.topic.captures(said).or_else(|| patterns.ko_topic.captures(said))?;
    Some(found.get(1)?.as_str())
}

impl Patterns {
    fn is_standing(&self, said: &str) -> bool {
        if said.starts_with(['|', '$']) || self.tells.is_match(said) {
            return false;
        }
        if said.trim_end_matches(['"', '\'', ')', '*', ' ']).ends_with(['?', '？']) {
            return self.asks.is_match(said);
        }
        if self.lasting.is_match(said)
            || self.whenever.is_match(said) && self.demands.is_match(said)
        {
            return true;
        }
        let style = self.ko_style.is_match(said);
        let lasts = self.ko_lasting.is_match(said)
            || self.ko_maybe.is_match(said) && self.ko_answers.is_match(said);
        (style || lasts && !self.ko_made.is_match(said)) && self.ko_demands.is_match(said)
    }
}

/// The beginning and the end of a text, each up to a line's end; all of a short one.
fn ends(typed: &str) -> Vec<Range<usize>> {
    if typed.len() <= 2 * LOOKED_AT {
        return std::iter::once(0..typed.len()).collect();
    }
    let first = typed[..typed.floor_char_boundary(LOOKED_AT)].rfind('\n').unwrap_or(0);
    let from = typed.ceil_char_boundary(typed.len() - LOOKED_AT);
    let last = typed[from..].find('\n').map_or(typed.len(), |at| from + at + 1);
    vec![0..first, last..typed.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What people ask for, and what holds from then on. Written for this test, after the patterns.
    const STANDING: [&str; 64] = [
        "From now on, answer in Korean.",
        "Always include the version when I ask about a library.",
        "Please never use semicolons in JavaScript.",
        "One more thing: always cite the file and line.",
        "Whenever I ask for SQL, add the query plan too.",
        "Every time you give me a date, also give me the weekday.",
        "When you show code, leave out the imports.",
        "If I ask for a comparison, use a table.",
        "You should always warn me before anything destructive.",
        "Keep in mind that our users are on slow phones.",
        "Remember: no emojis.",
        "Can you always give me two options from now on?",
        "Going forward we write dates as YYYY-MM-DD.",
        "Stop apologizing, please.",
        "i prefer short answers",
        "For the rest of this conversation, assume Postgres 16.",
        "Reply in English please",
        "don't ever suggest MongoDB",
        "ok, and always say which option you'd pick",
        "some rules for our chat: amounts in euros, no small talk",
        "In your answers use metric units.",
        "Never show me placeholder code.",
        "Please always mention the licence of a package.",
        "when i ask how long something takes, give a range, not one number",
        "Each time I paste a stack trace, start with the root cause.",
        "From here on use pnpm instead of npm",
        "when you review my code don't comment on formatting",
        "So always quote prices with tax.",
        "In future replies skip the summary at the end.",
        "how i want you to answer: command first, then why",
        "Always answer with a table if there are more than three options.",
        "For every future migration, write the rollback as well.",
        "앞으로는 한국어로 답해줘.",
        "앞으로 답변은 세 문장 이내로 해줘",
        "항상 코드에 주석을 한국어로 달아 주세요.",
        "이제부터는 존댓말로 해줘",
        "내가 라이브러리 물어보면 버전도 같이 알려줘",
        "에러 설명할 때는 원인부터 말해 주세요.",
        "날짜 말할 땐 요일도 붙여줘",
        "매번 출처를 적어 주세요",
        "절대 지어내지 말고 모르면 모른다고 해줘",
        "커밋 메시지는 항상 영어로 써줘",
        "앞으로 SQL 줄 때는 롤백도 같이 줘.",
        "답변은 짧게 부탁해요",
        "영어로 답해줘",
        "기억해 줘, 우리 팀은 두 칸 들여쓰기야.",
        "다음부터 표로 정리해 주세요",
        "금액 얘기할 땐 항상 부가세 포함으로 해줘",
        "앞으로 배포 얘기가 나오면 체크리스트도 줘",
        "코드 예시 줄 때 import는 빼줘",
        "숫자는 항상 천 단위로 끊어서 적어 주세요.",
        "앞으로 모든 답변 끝에 다음 할 일을 적어줘",
        "반말로 말해줘",
        "앞으로는 몽고디비 추천하지 마세요",
        "질문할 때마다 예시를 하나씩 들어줘",
        "설명은 초등학생도 알아듣게 쉽게 해줘",
        "앞으로 번역할 때 고유명사는 그대로 둬",
        "항상 단위를 붙여서 답해 주세요",
        "그리고 앞으로 이런 질문에는 근거도 같이 부탁드려요",
        "잊지 마, 우리 서버는 우분투 22.04야",
        "무조건 표로 보여줘",
        "우리 규칙 하나: 한 번에 파일 하나만 고쳐줘",
        "앞으로 요약할 때는 숫자를 빼지 말아줘",
        "보고할 때는 결론부터 써 주세요",
    ];

    /// What sounds like it and is a question, a story, a task or a fact.
    const NOT: [&str; 50] = [
        "I've never used Flask before.",
        "Never mind.",
        "The server always returns 500 here.",
        "Why does it always fail on Mondays?",
        "Make sure the query always returns a list.",
        "Every time I run the tests it crashes.",
        "Whenever I click the button, nothing happens.",
        "It never worked on my machine.",
        "Add a retry every time the upload fails.",
        "Can you always rely on the cache being warm",
        "When I ask the API for users I get a timeout.",
        "Never done embedded Rust before.",
        "What happens in every response of the server?",
        "She always forgets the key.",
        "I prefer Postgres over MySQL.",
        "Write a function that adds two numbers.",
        "Please fix the failing test.",
        "Let me know when you can look at it.",
        "How should we log errors going forward?",
        "Use the second option.",
        "If I ask nicely, it works.",
        "There is always a trade-off between speed and memory.",
        "We should talk about the rules of the game engine.",
        "That's what I always thought.",
        "The rule in .eslintrc is wrong.",
        "앞으로 어떻게 하면 좋을까?",
        "앞으로 할 일을 정리해 줘",
        "앞으로 3개월 일정을 짜줘",
        "서버가 항상 켜져 있게 해줘",
        "항상 오류가 나네요",
        "저장할 때마다 화면이 깜빡여요",
        "지금부터 로그인 화면을 만들어 줘",
        "늘 그랬듯이 월요일에 배포했어",
        "매번 손으로 하기 귀찮은데 자동화되나?",
        "이 함수 좀 고쳐줘",
        "다음 질문",
        "회의는 항상 월요일 열 시에 했었어",
        "앞으로도 계속 느려질까?",
        "물어보니 두 분이 땅콩을 못 드신대요.",
        "명심할게",
        "앞으로 남은 작업이 뭐야?",
        "이 설명은 틀렸네요",
        "답변이 마음에 들어",
        "테스트를 항상 통과하도록 고쳐 줘",
        "코드가 언제나 같은 결과를 내게 만들어줘",
        "버튼을 누를 때마다 숫자가 올라가게 해줘",
        "기억이 안 나네",
        "이제부터 시작이네",
        "영어로 번역된 문서를 찾아줘",
        "규칙은 꺼 두자",
    ];

    fn is_one(said: &str) -> bool {
        !standing(said).is_empty()
    }

    #[test]
    fn what_holds_from_then_on_is_told_from_what_is_asked_once() {
        let missed: Vec<_> = STANDING.iter().filter(|said| !is_one(said)).collect();
        let wrong: Vec<_> = NOT.iter().filter(|said| is_one(said)).collect();
        assert!(missed.is_empty() && wrong.is_empty(), "{missed:#?} {wrong:#?}");
    }
}
