//! Statements: sentences that demand, settle or leave open.
//!
//! Only the person demands; the person and the model settle and ask. What stands in code is no statement. The order of
//! the tests is that of weight: a sentence that leaves something open is a question, whatever it says of deciding.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::marks::{self, is_hangul};
use super::{Category, Mark, Voice};
use crate::density::{bare, sentences};
use crate::memory::must::is_marked;
use crate::pattern::pattern;
use crate::search::telling_words;

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| Patterns::new().ok());

struct Patterns {
    constraint: Regex,
    no_constraint: Regex,
    decision: Regex,
    no_decision: Regex,
    open: Regex,
    request: Regex,
    back: Regex,
    /// What stands before, and what behind, a word of taking back that is forbidden: a rule against it takes nothing back.
    never: Regex,
    nor: Regex,
}

impl Patterns {
    fn new() -> Result<Self, regex::Error> {
        Ok(Self {
            constraint: pattern(concat!(
                r"(?i)\bmust(?: not|n't)?\b|\bnever\b|\balways\b|\b(?:is|are) (?:required|mandatory|forbidden|prohibited|off[- ]limits)\b",
                r"|\bnot (?:allowed|permitted)\b|\bunder no circumstances\b|\bno matter what\b|\bat all times\b",
                r"|(?:^|[,;:.(—-] ?|\b(?:please|and|but|so|also) )(?:do not|don['’]t) [a-z]|\bmay not\b|\bno more than\b",
                r"|\bmake sure\b|\bonly ever\b|\b(?:has|have) to (?:stay|remain|be|keep|work|fit|pass)\b|\bneeds? to (?:stay|remain)\b",
                r"|항상|금지|필수|언제나|[가-힣]?지\s?(?:마세요|마라|마십시오|말고|말 것|말아|말자|마[.!]?$)",
                r"|면 안\s?(?:돼|되|됩|된)|[가-힣]야(?:만)?\s?(?:해요|합니다|한다|하며|하고|돼요|됩니다|된다|함)",
                r"|꼭 [가-힣]|않도록|이내(?:로|여야)|넘으면 안|넘지 않",
            ))?,
            no_constraint: pattern(concat!(
                r"(?i)\b(?:i|it|he|she|they|that|this)(?:['’]ve| has| have| had)? never\b|\bnever ?mind\b|\b(?:has|have|had|was|were|is|are|it|i|he|she|they|seems?) always\b|\bi['’]ve always\b",
                r"|\bmust(?:['’]ve| have) |\bmust be (?:a|an|the|because|due|something|that|why|how|coming|getting)\b|\bi must (?:say|admit|confess)\b",
                r"|어떻게 .*야|뭘 .*야 |항상 (?:그랬|이랬|느렸|같았|났|있었)|꼭 (?:그런|그렇)",
            ))?,
            decision: pattern(concat!(
                r"(?i)\bdecided\b|\bdecision\b|\bagreed\b|\bsettled on\b|\bgo(?:ing)? with\b|\b(?:we|i)(?: will|['’]ll) (?:use|keep|drop|switch|move|ship|stick|take|skip|postpone|store|split|start with|leave|cache|deploy|support|stay)\b",
                r"|\blet['’]s [a-z]+|\binstead of\b|\binstead[.!]?$|\bchose\b|\bwe['’]re (?:using|keeping|dropping|switching|moving|going|staying|postponing)\b|\bsticking with\b|\bno longer\b|\b(?:scrap|scrapped|cancelled|canceled) (?:that|the|it)\b|\bfinal answer\b|\bapproved\b",
                r"|기로\s?(?:했|하|결정|정|합의|해|한)|결정(?:했|됐|되었|됨|함|은|:|합니다|입니다)|정했|정해졌|확정|합의(?:했|됐|됨)",
                r"|로\s?(?:가죠|가자|갑시다|가요|하죠|하자|합시다|갈게요|할게요|해요|통일|바꾸죠|바꿉시다|바꾸자|바꿀게요|변경합|교체)|취소(?:하|합|했|할)|없던 일|철회|대신 .*(?:쓰|사용|하)(?:죠|자|ㅂ시다|겠|기|ㄹ게|ㅂ니다|게요|시다)",
                r"|쓰죠|씁시다|쓸게요|채택|보류(?:하|합)|미루(?:죠|자|기로)|미룹시다",
            ))?,
            no_decision: pattern(
                r"(?i)\b(?:before|once|until|when|if|after) (?:we|you|i) (?:decide|go with)|\bif we (?:go with|keep|use)\b|\bcould go with\b|\bmight\b|\blet['’]s (?:look|see|check|talk|think|wait|hope|find|discuss|say|face|measure|start by|begin)\b|\bagreed[,.]? (?:but|that would)|결정해 주|정해 주",
            )?,
            open: pattern(concat!(
                r"(?i)\bopen question\b|\bTBD\b|(?:\bnot|n['’]t)(?: yet)?(?: been)? (?:decided|settled|clear|sure (?:whether|if|which|how|yet))\b|\bundecided\b|\bstill (?:open|unclear|need to (?:decide|figure out|find out))\b|\bremains (?:open|to be)\b|\bto be (?:decided|determined|confirmed)\b|\bunresolved\b",
                r"|미정|아직 (?:안 정|못 정|정하지|결정|확인하지|모르|몰라|미확인)|정해지지 않|확인이? 필요|확인해 봐야|더 논의|논의가 필요|결정(?:해야|이 필요)|정해야",
            ))?,
            request: pattern(concat!(
                r"(?i)^(?:(?:ok|okay|great|thanks|sure|good|and|so|now|also|hi|hello|please)[,.!]? )*(?:can|could|would|will) (?:you|we please)\b|\bplease\?$|\b(?:shall|should) i (?:go ahead|proceed|start|continue)\b|\bright\?$|\bok(?:ay)?\?$|^(?:what|how) about you\?$|\banything else\?$|\bmakes sense\?$",
                r"|(?:줄래|줄 수 있|주실|주시겠|줄 수 있을까|주세)[가-힣]*\?$|(?:할까요|볼까요|드릴까요|괜찮죠|맞죠|그렇죠|됐죠)\?$",
            ))?,
            back: pattern(concat!(
                r"(?i)\binstead\b|\bno longer\b|\brather than\b|\bscrap|\bcancel|\brevert|\bnot [^.]{1,40} (?:but|any ?more)\b|\bchanged? (?:my|our) mind|\bswitch(?:ing)?\b|\bactually\b|\breplac(?:e|es|ing)\b|\bdrop(?:ping)?\b|\bon second thought|\bany ?more\b|\bfrom now on\b",
                r"|아니라|말고|대신|취소|철회|없던 일|바꾸|바꿔|바꿉|바꿀|변경|번복|다시 정|교체|이제는|이제 .*(?:필요 없|안 해도|해도 (?:돼|됩|되))",
            ))?,
            never: pattern(r"(?i)(?:\bnever|\bnot|n['’]t|\bnobody may|\bno one may) (?:ever )?$")?,
            nor: pattern(r"^[가-힣]{0,2}(?:지(?:는|도)?\s?(?:마|말|않|못)|(?:면|서는|서도)\s?안)")?,
        })
    }
}

/// The statements of a text.
pub(super) fn statements(text: &str, voice: Voice) -> Vec<Mark> {
    let Some(patterns) = PATTERNS.as_ref() else { return Vec::new() };
    let mut found = Vec::new();
    for sentence in sentences(text).into_iter().filter(|sentence| !sentence.code) {
        let said = bare(sentence.text);
        if said.chars().count() < 4 || said.starts_with(['$', '|']) {
            continue;
        }
        if let Some(category) = patterns.category(said, voice) {
            let start = said.as_ptr() as usize - text.as_ptr() as usize;
            found.push(Mark { category, span: start..start + said.len() });
        }
    }
    found
}

impl Patterns {
    fn category(&self, said: &str, voice: Voice) -> Option<Category> {
        let asks = said.trim_end_matches(['"', '\'', ')', '*', ' ']).ends_with(['?', '？']);
        if asks {
            return (!self.request.is_match(said)).then_some(Category::Question);
        }
        if self.open.is_match(said) {
            return Some(Category::Question);
        }
        let demands = is_marked(said) || self.constraint.is_match(said);
        if voice == Voice::Person && demands && !self.no_constraint.is_match(said) {
            return Some(Category::Constraint);
        }
        let settles = self.decision.is_match(said) && !self.no_decision.is_match(said);
        settles.then_some(Category::Decision)
    }
}

/// Whether a statement takes back what was said before.
pub(super) fn takes_back(said: &str) -> bool {
    PATTERNS.as_ref().is_some_and(|patterns| {
        let forbidden = |(start, end): (usize, usize)| {
            patterns.never.is_match(&said[..start]) || patterns.nor.is_match(&said[end..])
        };
        patterns.back.find_iter(said).any(|it| !forbidden((it.start(), it.end())))
    })
}

/// Words of deciding, which say nothing of what was decided.
const OF_DECIDING: [&str; 24] = [
    "decided", "decision", "agreed", "use", "using", "going", "let", "will", "settled", "keep",
    "instead", "switch", "actually", "하기", "기로", "결정", "확정", "대신", "취소", "변경",
    "사용", "합의", "정했", "이제",
];

/// What a statement is about: its plain words, and the figures and names in it.
pub(super) fn words(said: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let marked: BTreeSet<String> = marks::tokens(said).collect();
    let words = telling_words(said)
        .filter(|word| !marked.contains(word) && !OF_DECIDING.contains(&word.as_str()))
        .filter(|word| word.chars().count() > 2 || word.starts_with(is_hangul))
        .collect();
    (words, marked)
}

#[cfg(test)]
pub(super) fn compile() -> bool {
    PATTERNS.is_some()
}
