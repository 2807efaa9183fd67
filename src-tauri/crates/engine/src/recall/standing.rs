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

use super::{Index, Reads, Said};
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
    /// Says when it holds, or of which answers, and is one where it also demands.
    whenever: Regex,
    /// What of the sentence says when it holds.
    topic: Regex,
    /// Demands something, in English.
    demands: Regex,
    /// A question that demands.
    asks: Regex,
    /// Looks like one and tells what was or is, or is about one thing at hand.
    tells: Regex,
    /// Holds from then on, in Korean, where the sentence demands.
    ko_lasting: Regex,
    /// The same where it also speaks of answers.
    ko_maybe: Regex,
    ko_answers: Regex,
    ko_demands: Regex,
    /// May only say how it is.
    ko_says: Regex,
    /// Says how answers should be.
    ko_style: Regex,
    /// Wants a thing to be so, not an answer.
    ko_made: Regex,
    ko_topic: Regex,
}

/// Verbs with which answers are asked for.
const VERBS: &str = "include|use|add|give|show|tell|list|mention|write|format|cite|quote|keep|put|provide|avoid|explain|start|begin|end|answer|reply|respond|ask|check|confirm|remind|call|name|state|say|spell|round|translate|highlight|assume|treat|skip|leave|omit|convert|express|report|warn|suggest|propose|verify|note|point|link|prefix|wrap|stick|refer|rely|address|run|commit|test|document|comment|be|make|sort|number|label|split|limit|attach|compare|describe|specify|combine|prioriti[sz]e|prefer|stop|mark|flag|count|do|stay|send|sign|separate|repeat|think|consider|recommend|return to|update";

/// What answers are, and what stands in them.
const ANSWERS: &str = "answers|replies|responses|explanations|suggestions|examples|estimates|code samples|code examples|snippets|options|comments|summaries";

/// What follows "앞으로" where it speaks of what is to come and not of how to answer.
const TO_COME: [&str; 9] = ["할 ", "해야", "남은", "의 ", "어떻게", "어떤", "뭘", "무엇", "나올"];

impl Patterns {
    fn new() -> Result<Self, regex::Error> {
        Ok(Self {
            lasting: pattern(&format!(
                concat!(
                    r"(?i)\bfrom (?:now|here) on(?:wards?)?\b|\bgoing forward\b|\bfrom this point (?:on|forward)|\bhenceforth\b",
                    r"|\bfor the rest of (?:this|our|the) (?:chat|conversation|session|thread)\b",
                    r"|(?:(?:^|[.,:;!?—–-] )(?:(?:and|but|so|also|oh|ok|okay|thanks),? )?|\bplease )(?:always|never) (?:{0})\b",
                    r"|\b(?:don['’]?t|do not) ever (?:{0})\b|\byou (?:should|must|need to|have to) (?:always|never) [a-z]+|\bremember to always\b",
                    r"|\bwe (?:always|never) (?:{0})\b|\bour (?:convention|rule|policy|style|standard)s? (?:is|are)\b",
                    r"|^(?:(?:please|also|and) )*(?:remember|keep in mind|bear in mind)(?: that| to|:) ",
                    r"|\brules (?:for|on) (?:our|my|you|your|us|this chat|this project|code|how|all|every)\b|\brule for (?:you|us)\b|\bhow i want you to (?:answer|reply|respond|write|work)\b|\bthat['’]?s how i (?:like|want) (?:it|them)\b",
                    r"|\bi(?:['’]d| would)? prefer (?:[\w-]+ ){{0,5}}(?:{1}|prose)\b|\bkeep (?:your |the |all )?(?:{1})\b",
                    r"|\b(?:answer|reply|respond|speak|talk)(?: to me| back)?(?: only| always)? in (?:korean|english|japanese|chinese|german|french|spanish)\b",
                    r"|(?:^|[.,:;!] |\b(?:please|and|also|ok|okay),? )(?:stop|quit|no more) (?:using|adding|apologi[sz]ing|saying|writing|giving|asking|including|repeating|explaining|suggesting|putting|ending|starting|mentioning|emojis?|preambles?|disclaimers?)\b",
                    r"|(?:^|[.,:;!] )no (?:emojis?|bullet points?|bullets|small talk|preambles?|disclaimers?|apologies|filler|jargon)\b|\b(?:don['’]?t|do not|never) (?:use (?:the words?|emojis?|bullets|bullet points|jargon)|apologi[sz]e)\b",
                    r"|^(?:please )?(?:treat me|talk to me|speak to me|address me|call me|assume (?:that )?i)\b|^(?:please )?only (?:give|suggest|show|recommend) (?:me )?",
                    r"|\bunless i say otherwise\b|^when i (?:say|write) [\x22“‘'].* i mean\b|^use [\x22“‘'][^\x22”’']+[\x22”’'] for\b|\b(?:consider|treat) me (?:as )?an? |^treat (?:every|all|any) ",
                    r"|^(?:please )?use (?:metric|imperial|british|american|si units|iso dates)\b|^all (?:code|examples?|samples?|snippets?|answers|prices|amounts|dates|commands)\b.* (?:should|must|in)\b",
                    r"|^(?:prices|amounts|dates|times|units|sizes|numbers)\b[^.]* (?:in|as) [^.]*\b(?:please|only|everywhere|throughout)\b|\b(?:prices|amounts|dates|times|units|sizes|numbers)\b[^.]* throughout[.!]?$",
                ),
                VERBS, ANSWERS
            ))?,
            whenever: pattern(&format!(
                concat!(
                    r"(?i)\b(?:whenever|every time|each time|any ?time) (?:i|you|we|there)\b|\b(?:when|if) i(?:['’]m asking| ask| paste| share| send| post| mention)\b|\bwhenever we\b|\bin this (?:chat|conversation)\b|\bunless i (?:ask|say)\b|\banything you (?:give|propose|write|suggest|show)\b|\bwhen you (?:don['’]?t|can['’]?t|cannot)\b",
                    r"|\bwhen (?:you )?(?:answer|reply|respond|write|show|give|explain|suggest|propose|quote|mention|cite|list|change|edit|add|correct|rewrite|summari[sz]e|translate|fix|refactor|review|make|generate|draft|describe|report|calculate|code|commit|compare|recommend)(?:ing)?\b|\bwhen (?:summari[sz]|compar|review|explain|answer|writ|translat|quot|list|suggest|describ|report|refactor)ing\b|^whenever\b",
                    r"|\bin (?:all|every|each)(?: of)?(?: your| the)? ?(?:future|further)? ?(?:answers?|repl(?:y|ies)|responses?|messages?|examples?)\b|\bin your (?:answers|replies|responses)\b",
                    r"|\bin (?:the )?future (?:answers|replies|responses|messages|code|commits)\b|\bfor (?:all|every|each|any) (?:future|further|later) |\bfor (?:anything|everything) (?:about|involving|related|that|with|in)\b",
                    r"|\byour (?:{0})\b|^(?:{0}) (?:longer|shorter|about|with|that|should|must|need)\b|\b(?:every|each|any) (?:answer|reply|response|example|estimate|price|amount|date|command)\b|\b(?:any|every|all|each) (?:[\w-]+ ){{1,2}}you (?:give|write|show|suggest|propose|send|make)\b",
                    r"|\bif you(?:['’]?re| are) (?:not sure|unsure|uncertain)\b|\bif you don['’]?t know\b",
                ),
                ANSWERS
            ))?,
            topic: pattern(
                r"(?i)\b(?:whenever|when|if|every time|each time|any ?time) (?:i|we|there) (?:ask(?: you)?(?: about| for| how| what)? ?)?([^,;]+)",
            )?,
            demands: pattern(&format!(
                r"(?i)(?:^|[,:;—–-] |\b(?:please|then|and|also|ok|okay|oh|so|but|always|never)[,]? )(?:{VERBS})\b|\b(?:{ANSWERS}|answer|response|message|example|commits?) (?:{VERBS})\b|\b(?:do not|don['’]?t|please) [a-z]+|\byou (?:should|must|need to|have to)\b|\b(?:should|must|needs? to) [a-z]+\b|\bneeds? an? |\bi (?:want|mean|need|expect|would like) (?:you|your|all|every|the|to|an?)\b|\bi mean\b|\bi['’]d like (?:you|your|all)\b"
            ))?,
            asks: pattern(
                r"(?i)\b(?:can|could|would|will) you (?:please )?(?:always|never|from now on|in (?:the )?future|going forward)\b|\b(?:can|could|would|will) you .*\b(?:from now on|going forward|every time i|whenever i|when i ask)\b|앞으로.*(?:줄래|주실래요|주시겠어요|줄 수 있|주실 수 있)",
            )?,
            tells: pattern(concat!(
                r"(?i)\bnever ?mind\b|\bnever (?:give up|say never)\b|^(?:always|never) (?:been|had|seen|used to|tried|heard|done|got|met|went|was|is|wanted|thought|loved|liked|knew|felt|worked|happened)\b",
                r"|^(?:always|never) (?:a|an|the|my|in|on|at|good|sure)\b|\bin this (?:paragraph|sentence|text|file|function|section|one)\b|\bfor this (?:one|file|function|commit)\b|^call me (?:when|if|once|back)\b",
            ))?,
            ko_lasting: pattern(concat!(
                r"앞으로(?:는|도|,)|앞으로.*(?:때|땐|면)|(?:이제|지금|여기서)부터는|다음부터|이후(?:로는|에는)|(?:이|남은|이번) 대화에서|매번|앞으로[.!~ ]*$",
                r"|때마다|(?:얘기|이야기|말|설명|답|답변|대답|보고|요약|추천|제안|번역|코드|예시|정리|리뷰|비교|계산|표|커밋)(?:해|를|을)? ?(?:할|줄|해줄|쓸|들|만들) ?(?:때|땐)",
                r"|(?:물어보|질문하|물으|여쭤보|부탁하|요청하|달라고 하|고쳐달라고 하|해달라고 하|나오|붙여넣으|붙이|보여주)면|(?:물어볼|질문할|물을|여쭤볼|요청할|부탁할) ?(?:때|땐)",
                r"|기억해 ?(?:줘|둬|두|주)|명심해|잊지 ?마|절대(?:로)?.*(?:출력|말|추천|제안|설명|언급|보여|답|쓰|넣|라고).*지 ?(?:마|말)",
                r"|(?:한국어|영어|한글|존댓말|반말|해요체|합니다체|평어)로(?:만)? (?:답|대답|말|설명|써 ?(?:줘|주)|쓰[자세]|해|부탁)|(?:존댓말|반말|높임말) 말고|편하게 말",
                r"|(?:할|줄|쓸|짤|볼|만들|고칠|낼) ?(?:때|땐) .*(?:항상|꼭|무조건)|모르는 (?:건|것은|게) .*모른다|(?:모르|애매하|불분명하|확실하지 않으|자신 없으|자신이 없으)면|지어내지 ?(?:말|마)|추측하지 ?(?:말|마)|(?:답변|코드|작업|대화|우리) ?(?:규칙|원칙|약속)|규칙 (?:몇|하나|정)",
                r"|모든 (?:예제|예시|코드|답변|설명|쿼리|명령|문장)(?:은|는|에)|답변? (?:마지막|끝|처음|앞)에|이모지.*(?:쓰지|넣지|빼)|(?:초보자|입문자|전문가|시니어)(?:라고|처럼|로) |한 ?번에 .*씩만|에 (?:답|하나) 하나만",
                r"|(?:날짜|숫자|금액|가격|단위|시간|파일 ?이름|변수 ?이름|변수명|용어|주석|커밋 메시지|예제|표|출처)(?:은|는|에는|엔) .{0,30}(?:로 (?:적|써|표기|통일|맞춰|표시|답)|넣어|붙여|병기|달아)",
                r"|그런 (?:명령|답|답변|코드|제안|말)은|[\x22”’'](?:이?라고) (?:하면|쓰면|말하면)|추측이면|결론부터|모든 (?:금액|날짜|가격|숫자|단위|시간|답변|답|설명|예제|예시|링크|출처)(?:은|는|을|를) ",
                r"|(?:번역|생략|요약|반복)하지 ?(?:말|마)|(?:인사말|서론|사족|잡담|군말)(?:은|는|을|를)? ?(?:빼|생략|줄)",
            ))?,
            ko_maybe: pattern(
                r"앞으로|(?:이제|지금|여기서)부터|항상|언제나|(?:^| )늘 |무조건|기본적으로",
            )?,
            ko_answers: pattern(
                r"답|응답|설명|말투|존댓말|반말|해요체|합니다체|한국어|영어|한글|커밋|코드|주석|예시|예제|형식|단위|표로|목록|번호|출처|링크|날짜|숫자|이름|용어|번역|요약|문장|메시지|보고|질문|물어|버전|기준으로|제안|말해|알려|줄 ?때|쓸 ?때|할 ?땐",
            )?,
            ko_demands: pattern(concat!(
                r"(?:줘|줘요|주라|주세요|주십시오|주시고|주시면|주시길|주길|줄래|주실래요|주시겠어요|달라|해라|하세요|하십시오|하자|하죠|합시다|할 것|부탁(?:해|해요|합니다|드립니다|드려요|드릴게요)?|바랍니다|바라|바래|바래요|싶어|싶어요|싶습니다|좋겠어|좋겠어요|좋겠다|좋겠습니다|해야 ?(?:해|돼|한다|합니다|함)|마|마요|마세요|마라|마십시오|말고|말 ?것|말아|말아줘|말아주세요|말아요|말자|써|써요|쓰자|쓰세요|적어|달아|붙여|넣어|빼|맞춰|통일|통일해|둬|두자|가자|갑시다)(?:[.,!~^)]|[ㅎㅋㅠㅜ]|\s|$)",
                r"|(?:하라|하기|쓰기|적기|말기|금지|필수|한다|합니다|쓴다|씁니다|해|해요|돼|돼요|됩니다)[.!~ ]*$",
            ))?,
            ko_says: pattern(r"(?:해|해요|돼|돼요|한다|합니다|됩니다)[.!~ ]*$")?,
            ko_style: pattern(r"(?:^|[ ,])(?:답변?|대답|응답|설명)(?:은|는) ")?,
            ko_made: pattern(
                r"(?:게|도록) (?:해 ?(?:줘|주)|만들|설정|바꿔|수정|고쳐|처리)|(?:였|었|했|았|던|더라|네요?|거든|는데)[.!~ ]*$|되나|때 (?:쓴|쓰인|사용한) ",
            )?,
            ko_topic: pattern(
                r"^(?:.*?앞으로(?:는|도)? )?(.+?)(?:에 대해서?|에 관해서?|을|를|이|가|은|는|도)? ?(?:(?:물어보|질문하|물으|여쭤보|부탁하|요청하|달라고 하|나오|붙여넣으|붙이)면|[가-힣]*(?:할|볼|줄|쓸|낼|들|을|칠) ?(?:때|땐))",
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
    let (mut index, reads) = (Index::default(), Reads::default());
    for topic in &topics {
        let text = topic.unwrap_or_default();
        index.push(
            &Said { speaker: "user", role: Some(Role::User), text, on: None, session: 0 },
            &reads,
        );
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
            || said.split("앞으로 ").nth(1).is_some_and(|to| !speaks_of_to_come(to))
                && !self.ko_says.is_match(said)
            || self.ko_maybe.is_match(said) && self.ko_answers.is_match(said);
        (style || lasts && !self.ko_made.is_match(said)) && self.ko_demands.is_match(said)
    }
}

/// Whether "앞으로" speaks of what is to come: "what is to be done", "three months".
fn speaks_of_to_come(rest: &str) -> bool {
    rest.starts_with(|c: char| c.is_ascii_digit()) || TO_COME.iter().any(|it| rest.starts_with(it))
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
mod tests;
