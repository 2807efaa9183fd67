//! The public byte-pair encodings, and which models use them.

/// A byte-pair encoding whose vocabulary is public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// 200,000 tokens: GPT-4o and later, the o models, gpt-oss.
    O200k,
    /// 100,000 tokens: GPT-4 and GPT-3.5.
    Cl100k,
}

/// Beginnings of model names, longer ones before those they begin with.
const MODELS: [(&str, Encoding); 11] = [
    ("gpt-5", Encoding::O200k),
    ("gpt-4o", Encoding::O200k),
    ("gpt-4.1", Encoding::O200k),
    ("gpt-4.5", Encoding::O200k),
    ("chatgpt-4o", Encoding::O200k),
    ("gpt-oss", Encoding::O200k),
    ("o1", Encoding::O200k),
    ("o3", Encoding::O200k),
    ("o4", Encoding::O200k),
    ("gpt-4", Encoding::Cl100k),
    ("gpt-3.5", Encoding::Cl100k),
];

impl Encoding {
    /// The encoding of a model, also under its name at a broker (`openai/…`) and as a fine-tuned one (`ft:…`).
    pub fn of_model(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let name = name.strip_prefix("openai/").unwrap_or(&name);
        let name = name.strip_prefix("ft:").unwrap_or(name);
        MODELS.iter().find_map(|(known, encoding)| {
            let rest = name.strip_prefix(known)?;
            // `o1` is a model, `o100` is not this one.
            (!rest.starts_with(|c: char| c.is_ascii_alphanumeric())).then_some(*encoding)
        })
    }

    /// Tokens of a text, in which a marker of the wire format is text like any other; `None` if the vocabulary is not
    /// built in.
    pub(super) fn count(self, text: &str) -> Option<u64> {
        let name = match self {
            Self::O200k => "o200k_base",
            Self::Cl100k => "cl100k_base",
        };
        tiktoken::get_encoding(name).map(|encoding| encoding.count(text) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::Encoding::{Cl100k, O200k};
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("gpt-4o-mini-2024-07-18", Some(O200k))]
    #[case("openai/gpt-5.1", Some(O200k))]
    #[case("ft:gpt-4o:team::abc", Some(O200k))]
    #[case("GPT-OSS:20b", Some(O200k))]
    #[case("o3", Some(O200k))]
    #[case("gpt-4.1-nano", Some(O200k))]
    #[case("gpt-4-turbo", Some(Cl100k))]
    #[case("gpt-3.5-turbo-0125", Some(Cl100k))]
    #[case("o100", None)]
    #[case("gpt-4all-falcon", None)]
    #[case("someone/gpt-4o-distilled", None)]
    #[case("qwen3-30b", None)]
    #[case("", None)]
    fn the_name_decides(#[case] name: &str, #[case] encoding: Option<Encoding>) {
        assert_eq!(Encoding::of_model(name), encoding);
    }

    /// The expected counts are those of another implementation. A marker of the wire format is plain text here: a
    /// message that spells one must not look cheaper than it is.
    #[rstest]
    #[case("", 0, 0)]
    #[case("tiktoken is great!", 6, 6)]
    #[case("안녕하세요, 세션 토큰은 30분마다 갱신돼요.", 18, 27)]
    #[case("fn main() {\n    println!(\"{}\", 1_000);\n}\n", 13, 13)]
    #[case("it's 3.14 — naïve café 👩\u{200d}👩\u{200d}👧 漢字かな", 21, 28)]
    #[case("<|endoftext|>", 7, 7)]
    #[case("  \n\n\t x\r\n", 4, 4)]
    fn counts_are_the_references(#[case] text: &str, #[case] o200k: u64, #[case] cl100k: u64) {
        assert_eq!((O200k.count(text), Cl100k.count(text)), (Some(o200k), Some(cl100k)));
    }

    /// A merge that looks through the whole piece for every token would take minutes here.
    #[rstest]
    #[case("a", 6_250)]
    #[case("가", 50_000)]
    fn a_long_run_without_a_blank_is_counted_whole(#[case] letter: &str, #[case] tokens: u64) {
        assert_eq!(O200k.count(&letter.repeat(50_000)), Some(tokens));
    }
}
