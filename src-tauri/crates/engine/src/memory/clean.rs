//! What nobody sees: characters that stand in a text and not on a screen, and the text without them.
//!
//! Such characters carry instructions past the eyes of whoever reviews a file. Taken out are control characters, the
//! default-ignorable characters of Unicode, marks of direction and tags. What a script or a picture is written with
//! stays: joiners of Arabic, Indic and other scripts, breaks between the words of Thai and Khmer, fillers beside Korean
//! letters, selectors of variants, joined emoji and the three flags that are spelled in tags.

use std::borrow::Cow;

/// What a hidden character does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hides {
    /// It is not seen.
    Itself,
    /// It changes the direction of what follows, so that a line reads otherwise than it is.
    Direction,
}

/// The text as a model gets it.
pub fn clean(text: &str) -> Cow<'_, str> {
    let mut hidden = hidden(text).peekable();
    if hidden.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut cleaned = String::with_capacity(text.len());
    let mut from = 0;
    for (at, c, _) in hidden {
        cleaned.push_str(&text[from..at]);
        from = at + c.len_utf8();
    }
    cleaned.push_str(&text[from..]);
    Cow::Owned(cleaned)
}

/// How many characters [`clean`] takes out.
pub fn hidden_count(text: &str) -> usize {
    hidden(text).count()
}

/// The characters that [`clean`] takes out, each with its place in bytes.
pub(super) fn hidden(text: &str) -> impl Iterator<Item = (usize, char, Hides)> {
    let (mut last, mut flag_end) = (None, 0);
    text.char_indices().filter_map(move |(at, c)| {
        if c == BLACK_FLAG {
            flag_end = at + flag(&text[at..]);
        }
        let what = hides(c).filter(|_| at >= flag_end);
        let found = what.filter(|_| !stays(c, last, &text[at + c.len_utf8()..]));
        if found.is_none() {
            last = Some(c);
        }
        found.map(|what| (at, c, what))
    })
}

/// What a character hides where nothing needs it.
fn hides(c: char) -> Option<Hides> {
    match c {
        ' '..='~' | '\t' | '\n' | '\r' => None,
        '\u{061C}'
        | '\u{200E}'
        | '\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2066}'..='\u{2069}' => Some(Hides::Direction),
        '\u{00AD}'
        | '\u{034F}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{17B4}'
        | '\u{17B5}'
        | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200D}'
        | '\u{2060}'..='\u{206F}'
        | '\u{3164}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}'
        | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}'
        | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}' => Some(Hides::Itself),
        _ => c.is_control().then_some(Hides::Itself),
    }
}

/// Whether what is written needs this character here. `last` is what stays before it, `rest` what follows.
fn stays(c: char, last: Option<char>, rest: &str) -> bool {
    let mut following = rest.chars();
    let (next, then) = (following.next(), following.next());
    let before = |is: fn(char) -> bool| last.is_some_and(is);
    let after = |is: fn(char) -> bool| next.is_some_and(is);
    match c {
        '\u{200B}' => before(parts_words_unseen) && after(parts_words_unseen),
        '\u{200C}' => before(joins),
        '\u{200D}' => before(joins) || before(ends_emoji) && after(is_emoji),
        '\u{180B}'..='\u{180F}' => before(is_mongolian),
        '\u{FE00}'..='\u{FE0D}' => before(has_variants),
        '\u{FE0E}' | '\u{FE0F}' => before(|c| matches!(c, '0'..='9' | '#' | '*') || is_emoji(c)),
        '\u{E0100}'..='\u{E01EF}' => before(is_han),
        '\u{115F}' => after(is_vowel) || next == Some('\u{1160}') && then.is_some_and(is_final),
        '\u{1160}' => before(is_initial) || last == Some('\u{115F}') && after(is_final),
        '\u{3164}' | '\u{FFA0}' => before(is_hangul) || after(is_hangul),
        _ => false,
    }
}

const BLACK_FLAG: char = '\u{1F3F4}';

/// England, Scotland and Wales, the flags that are spelled in tags.
const SPELLED: [&str; 3] = ["gbeng", "gbsct", "gbwls"];

/// The length of the flag that a text begins with, if it is one of the spelled ones.
fn flag(text: &str) -> usize {
    let tags = text.chars().skip(1).take(6).map(|c| u32::from(c).checked_sub(0xE0000));
    let tags: Option<Vec<u8>> = tags.map(|tag| u8::try_from(tag?).ok()).collect();
    let is_spelled = |tags: Vec<u8>| {
        let letters = tags.strip_suffix(&[0x7F])?;
        SPELLED.iter().any(|flag| flag.as_bytes() == letters).then_some(())
    };
    match tags.and_then(is_spelled) {
        Some(()) => text.chars().take(7).map(char::len_utf8).sum(),
        None => 0,
    }
}

/// Letters whose shape a joiner changes.
fn joins(c: char) -> bool {
    let is_letter = matches!(c,
        '\u{0600}'..='\u{07FF}' | '\u{0840}'..='\u{0DFF}' | '\u{0F00}'..='\u{109F}'
        | '\u{1780}'..='\u{18AF}' | '\u{1900}'..='\u{1CFF}' | '\u{A800}'..='\u{AAFF}'
        | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' | '\u{10A00}'..='\u{11FFF}');
    is_letter && hides(c).is_none()
}

/// Scripts without blanks, in which a break between words may be written unseen: Thai, Lao, Tibetan, Myanmar, Khmer.
fn parts_words_unseen(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0FFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}')
        && hides(c).is_none()
}

fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1820}'..='\u{18AF}')
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{323AF}')
}

/// Signs of mathematics, Han, Myanmar and Phags-pa have variants.
fn has_variants(c: char) -> bool {
    is_han(c)
        || matches!(c, '\u{1000}'..='\u{109F}' | '\u{2200}'..='\u{22FF}' | '\u{2A00}'..='\u{2AFF}'
            | '\u{A840}'..='\u{A87F}' | '\u{AA60}'..='\u{AA7F}' | '\u{FF01}'..='\u{FF1F}')
}

fn is_emoji(c: char) -> bool {
    matches!(c, '©' | '®' | '\u{203C}' | '\u{2049}' | '\u{2100}'..='\u{27BF}'
        | '\u{2900}'..='\u{297F}' | '\u{2B00}'..='\u{2BFF}' | '\u{3030}' | '\u{303D}' | '\u{3297}'
        | '\u{3299}' | '\u{1F000}'..='\u{1FAFF}')
}

/// An emoji, its tone of skin, or the selector that makes it one.
fn ends_emoji(c: char) -> bool {
    is_emoji(c) || c == '\u{FE0F}'
}

fn is_initial(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115E}' | '\u{A960}'..='\u{A97C}')
}

fn is_vowel(c: char) -> bool {
    matches!(c, '\u{1161}'..='\u{11A7}' | '\u{D7B0}'..='\u{D7C6}')
}

fn is_final(c: char) -> bool {
    matches!(c, '\u{11A8}'..='\u{11FF}' | '\u{D7CB}'..='\u{D7FB}')
}

fn is_hangul(c: char) -> bool {
    is_initial(c)
        || is_vowel(c)
        || is_final(c)
        || matches!(c, '\u{3131}'..='\u{3163}' | '\u{3165}'..='\u{318E}' | '가'..='힣'
            | '\u{FFA1}'..='\u{FFDC}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::zero_width("Use\u{200B} pnpm\u{2060}.\u{FEFF}", "Use pnpm.")]
    #[case::bidi("a \u{202E}txt.exe\u{202C} \u{2066}b\u{2069}\u{200F}", "a txt.exe b")]
    #[case::tags("ok\u{E0049}\u{E0067}\u{E006E}\u{E007F}", "ok")]
    #[case::smuggled_bytes("😀\u{E0148}\u{E0149}\u{FE05}a\u{FE0F}", "😀a")]
    #[case::tags_after_a_flag("🏴\u{E0072}\u{E006D}\u{E007F}", "🏴")]
    #[case::controls("a\u{1B}[31mb\u{7}\u{85}\u{AD}", "a[31mb")]
    #[case::joiners_of_nothing("p\u{200C}a\u{200D}ss", "pass")]
    #[case::fillers_of_nothing("a\u{3164}\u{FFA0}\u{115F}b \u{1160}", "ab ")]
    fn what_is_hidden_goes(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(clean(text), expected);
    }

    #[rstest]
    #[case::plain("# 규칙\r\n\t- strict\n")]
    #[case::joined_emoji("👩‍🔬 👨‍👩‍👧‍👦 👩🏽‍💻 ❤️‍🔥 🏳️‍🌈 1️⃣ ☑︎")]
    #[case::flags("🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🇰🇷")]
    #[case::persian("می\u{200C}خواهم ه\u{200D}")]
    #[case::sinhala("ශ්\u{200D}රී")]
    #[case::hindi("क्\u{200C}ष क्\u{200D}ष")]
    #[case::khmer("ភាសា\u{200B}ខ្មែរ")]
    #[case::mongolian("ᠠ\u{180B}ᠨ\u{180E}ᠠ")]
    #[case::han_variant("葛\u{E0100} 﨑\u{FE00}")]
    #[case::korean_filler(
        "\u{115F}\u{1161} \u{1100}\u{1160}\u{11A8} \u{115F}\u{1160}\u{11A8} ㄱ\u{3164} \u{3164}가"
    )]
    fn what_is_written_with_them_stays(#[case] text: &str) {
        assert_eq!(clean(text), text);
        assert!(matches!(clean(text), Cow::Borrowed(_)));
    }

    /// Letters of all kinds among everything that hides.
    fn mixed() -> impl Strategy<Value = String> {
        let hiding: Vec<char> = ('\0'..='\u{E1000}').filter(|c| hides(*c).is_some()).collect();
        let hiding = prop::sample::select(hiding);
        let often = prop::sample::select(
            "\u{200B}\u{200C}\u{200D}\u{FE0F}\u{115F}\u{1160}\u{3164}\u{FFA0}\u{180E}\u{202E}\u{E0100}\
             \u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E007F}a가ㄱ\u{1100}\u{1161}\u{11A8}😀क์ភ葛ᠠ1 "
                .chars()
                .collect::<Vec<_>>(),
        );
        let one = prop_oneof![1 => hiding, 6 => often, 1 => any::<char>()];
        prop::collection::vec(one, 0..40).prop_map(|chars| chars.into_iter().collect())
    }

    proptest! {
        #[test]
        fn what_is_clean_hides_nothing_and_stays_as_it_is(text in mixed()) {
            let cleaned = clean(&text).into_owned();
            prop_assert_eq!(hidden(&cleaned).next(), None);
            prop_assert_eq!(clean(&cleaned), cleaned.as_str());
            // Nothing but what hides is taken out.
            let shown = |text: &str| text.chars().filter(|c| hides(*c).is_none()).collect::<String>();
            prop_assert_eq!(shown(&cleaned), shown(&text));
            // Direction and tags outside of flags never stay.
            prop_assert!(!cleaned.chars().any(|c| hides(c) == Some(Hides::Direction)));
        }
    }
}
