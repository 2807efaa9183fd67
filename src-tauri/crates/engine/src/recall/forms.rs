//! The forms of Korean verbs and adjectives, from their stem: `바꾸` makes `바꾼`, `바꿔`, `바꿨` and others. A form has two
//! syllables or more, and what follows it does not matter.

/// What follows a stem of one syllable, which alone would begin too many words.
const AFTER_VOWEL: [char; 14] =
    ['다', '고', '는', '기', '지', '던', '네', '면', '려', '니', '게', '자', '며', '도'];
const AFTER_CONSONANT: [char; 18] = [
    '다', '고', '는', '은', '을', '아', '어', '았', '었', '기', '지', '음', '으', '던', '네', '습',
    '게', '자',
];
const AFTER_PAST: [char; 11] = ['어', '다', '는', '던', '고', '지', '더', '을', '네', '으', '습'];
const AFTER_JOINED: [char; 7] = ['서', '야', '도', '요', '라', '줘', '봐'];
const AFTER_N: [char; 5] = ['다', '데', '지', '걸', '거'];
const AFTER_L: [char; 6] = ['까', '지', '거', '게', '래', '수'];
const AFTER_B: [char; 2] = ['니', '시'];
/// Forms that are a common word of their own.
const OTHERWISE: [&str; 26] = [
    "사고", "사지", "사다", "사도", "보고", "보다", "보면", "보도", "차고", "차도", "가지", "지도",
    "자기", "자도", "내지", "내기", "세기", "오기", "타도", "들다", "달다", "걸음", "이다", "쓰다",
    "재다", "서다",
];

/// Final consonants by number.
const NONE: u32 = 0;
const N: u32 = 4;
const D: u32 = 7;
const L: u32 = 8;
const M: u32 = 16;
const B: u32 = 17;
const S: u32 = 19;
const SS: u32 = 20;

/// A syllable as the numbers of its letters.
#[derive(Clone, Copy)]
struct Syllable {
    first: u32,
    vowel: u32,
    last: u32,
}

impl Syllable {
    fn of(syllable: char) -> Option<Self> {
        let offset = u32::from(syllable).checked_sub(0xAC00).filter(|offset| *offset < 11_172)?;
        Some(Self { first: offset / 588, vowel: offset % 588 / 28, last: offset % 28 })
    }

    fn with(self, last: u32) -> Self {
        Self { last, ..self }
    }

    fn vowel(self, vowel: u32) -> Self {
        Self { vowel, ..self }
    }

    fn written(self) -> Option<char> {
        char::from_u32(0xAC00 + self.first * 588 + self.vowel * 28 + self.last)
    }
}

/// The forms of a stem; the stem alone where it is no Hangul.
pub(super) fn forms(stem: &str) -> Vec<String> {
    let mut made = Made { before: String::new(), forms: Vec::new() };
    let mut syllables = stem.chars();
    let Some(end) = syllables.next_back().and_then(Syllable::of) else {
        return vec![stem.to_owned()];
    };
    made.before = syllables.collect();
    if end.last == NONE {
        made.open(end);
    } else {
        made.closed(end);
    }
    made.forms.retain(|form| !OTHERWISE.contains(&form.as_str()));
    made.forms.sort_unstable();
    made.forms.dedup();
    made.forms
}

/// Forms as they are made.
struct Made {
    /// The stem before its last syllable.
    before: String,
    forms: Vec<String>,
}

impl Made {
    /// Adds the last syllable of a form; with what may follow, where it is the only one.
    fn add(&mut self, end: Syllable, following: &[char]) {
        let Some(end) = end.written() else { return };
        if self.before.is_empty() {
            self.forms.extend(following.iter().map(|next| String::from_iter([end, *next])));
        } else {
            self.forms.push(format!("{}{end}", self.before));
        }
    }

    /// After a vowel: letters join the last syllable.
    fn open(&mut self, end: Syllable) {
        self.add(end, &AFTER_VOWEL);
        self.add(end.with(N), &AFTER_N);
        self.add(end.with(L), &AFTER_L);
        self.add(end.with(M), &[]);
        self.add(end.with(B), &AFTER_B);
        if end.written() == Some('르') {
            self.doubled();
        }
        for joined in joined(end) {
            self.add(joined, &AFTER_JOINED);
            self.add(joined.with(SS), &AFTER_PAST);
        }
    }

    /// `빠르` makes `빨라`.
    fn doubled(&mut self) {
        let mut syllables = self.before.chars();
        let Some(last) = syllables.next_back().and_then(Syllable::of) else { return };
        let Some(last) = last.with(L).written() else { return };
        let before: String = syllables.collect();
        for end in ['라', '러', '랐', '렀'] {
            self.forms.push(format!("{before}{last}{end}"));
        }
    }

    /// After a consonant, which some endings change.
    fn closed(&mut self, end: Syllable) {
        self.add(end, &AFTER_CONSONANT);
        let stays = end.written();
        if end.last == L {
            self.add(end.with(NONE), &['는', '니', '네', '세']);
            self.add(end.with(N), &AFTER_N);
            self.add(end.with(B), &AFTER_B);
        } else if end.last == D && matches!(stays, Some('듣' | '묻' | '걷' | '싣' | '닫')) {
            self.add(end.with(L), &['어', '었', '은', '을', '으', '아', '았']);
        } else if end.last == S && matches!(stays, Some('짓' | '낫' | '잇' | '붓')) {
            self.add(end.with(NONE), &['어', '었', '은', '을', '아', '았']);
        }
    }
}

/// The last syllable of a stem joined with the ending `어`.
fn joined(end: Syllable) -> Vec<Syllable> {
    match end.vowel {
        // 하 makes 해.
        0 if end.first == 18 => vec![end.vowel(1)],
        // ㅏ, ㅐ, ㅓ, ㅔ, ㅕ stay.
        0 | 1 | 4 | 5 | 6 => vec![end],
        // ㅗ makes ㅘ, ㅚ makes ㅙ, ㅜ makes ㅝ, ㅣ makes ㅕ.
        8 => vec![end.vowel(9)],
        11 => vec![end.vowel(10)],
        13 => vec![end.vowel(14)],
        20 => vec![end.vowel(6)],
        // ㅡ makes ㅓ or ㅏ.
        18 => vec![end.vowel(4), end.vowel(0)],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::joined("바꾸", "바꿨")]
    #[case::joined("지우", "지워")]
    #[case::joined("보내", "보냈")]
    #[case::joined("정하", "정했")]
    #[case::participle("느리", "느린")]
    #[case::doubled("빠르", "빨라")]
    #[case::dropped("만들", "만든")]
    #[case::changed("듣", "들어")]
    #[case::one_syllable("쓰", "썼어")]
    #[case::one_syllable("막", "막았")]
    fn a_stem_makes_its_forms(#[case] stem: &str, #[case] form: &str) {
        assert!(forms(stem).contains(&form.to_owned()), "{:?}", forms(stem));
    }

    #[test]
    fn no_form_is_one_syllable_or_another_word() {
        assert!(forms("사").iter().all(|form| form.chars().count() > 1 && form != "사고"));
        assert_eq!(forms("deploy"), ["deploy"]);
    }
}
