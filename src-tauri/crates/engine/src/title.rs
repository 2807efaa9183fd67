//! Titles: the first question, made short.

use unicode_segmentation::UnicodeSegmentation;

/// Longest title in graphemes.
const MAX_GRAPHEMES: usize = 48;

/// A title from the first question: its first line with words in it, without Markdown marks, cut at a word.
pub fn derive(question: &str) -> String {
    let line = question
        .lines()
        .map(|line| line.trim_matches(|c: char| c.is_whitespace() || "#>*`-".contains(c)))
        .find(|line| line.chars().any(char::is_alphanumeric))
        .unwrap_or_default();
    let clean: String = line.chars().filter(|c| !c.is_control()).collect();
    let words = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    let graphemes: Vec<&str> = words.graphemes(true).collect();
    if graphemes.len() <= MAX_GRAPHEMES {
        return words;
    }
    let head = &graphemes[..MAX_GRAPHEMES];
    let cut = head.iter().rposition(|g| *g == " ").filter(|at| *at > MAX_GRAPHEMES / 2);
    let kept: String = head[..cut.unwrap_or(MAX_GRAPHEMES)].concat();
    format!("{}…", kept.trim_end_matches([',', '.', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("## Where is the port?", "Where is the port?")]
    #[case("\n\n   \n포트는 어디에 있나요?\n둘째 줄", "포트는 어디에 있나요?")]
    #[case("```\nlet a = 1;\n```", "let a = 1;")]
    #[case("   ", "")]
    fn the_first_line_with_words_is_the_title(#[case] question: &str, #[case] title: &str) {
        assert_eq!(derive(question), title);
    }

    #[test]
    fn a_long_question_is_cut_at_a_word() {
        let title = derive(&"refresh tokens without breaking ".repeat(9));
        assert!(
            title.ends_with('…') && title.graphemes(true).count() <= MAX_GRAPHEMES + 1,
            "{title}"
        );
    }
}
