//! Skills: folders with a `SKILL.md`, instructions for a kind of work in the open format that several agents read
//! (agentskills.io, Specification). Here is what such a file says and what it costs; finding and reading the folders is
//! the workspace's, and who may say a skill to a model is the app's.
//!
//! Siltstone loads none by itself: one is chosen for a conversation by the person, or read by a model that was told of it
//! by name, which the person allows for each one as it stands. Deliberately absent: what `allowed-tools` says, because what
//! a model may do is the person's word and no file's.

use saphyr_parser::{Event, Parser};
use serde::{Deserialize, Serialize};

use crate::memory::{clean, hash_of};
use crate::ports::FolderError;
use crate::tokens;

/// The file that makes a folder a skill.
pub const FILE: &str = "SKILL.md";

/// Where skills lie beneath a project's root and beneath the person's home: the place that agents share, then their own.
pub const FOLDERS: [&str; 8] = [
    ".agents/skills",
    ".claude/skills",
    ".codex/skills",
    ".cursor/skills",
    ".gemini/skills",
    ".github/skills",
    ".opencode/skills",
    ".config/opencode/skills",
];

/// What the place of a skill in the home begins with.
pub const HOME: &str = "~/";

/// Longest `SKILL.md`, in bytes: the format recommends 5,000 tokens, and this is three times as much.
pub const MAX_BYTES: usize = 64 * 1024;

/// Longest name and description, in letters, as the format has it.
const NAME: usize = 64;
const DESCRIPTION: usize = 1_024;

/// A folder of a skill as it lies there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFolder {
    /// The folder: relative to the project's root with `/`, or `~/` and its path in the home.
    pub id: String,
    /// What its `SKILL.md` says.
    pub text: Result<String, FolderError>,
}

/// A skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// What it is called, by its own word or else by its folder's.
    pub name: String,
    /// What it is for; empty where it does not say.
    pub description: String,
    /// What it says that it needs.
    pub needs: Option<String>,
    /// The instructions as they go, without what the file says of itself.
    pub text: String,
    /// The same with the letters that nobody sees, which do not go.
    pub written: String,
    /// BLAKE3 of its name and the whole file's text, hexadecimal.
    pub hash: String,
}

/// Why a folder is no skill that can be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum SkillFault {
    /// The file does not begin with what it says of itself between two lines of `---`.
    #[error("it does not say what it is")]
    NoFront,
    /// What it says of itself is no YAML.
    #[error("what it says of itself cannot be read: {detail}")]
    Unreadable {
        /// What the parser said, and where.
        detail: String,
    },
    /// There are no instructions.
    #[error("it has no instructions")]
    Empty,
    /// The file is longer than [`MAX_BYTES`].
    #[error("{bytes} bytes, more than {most}")]
    TooLong {
        /// Its size.
        bytes: u64,
        /// The most it may have.
        most: u64,
    },
    /// Its folder is gone.
    #[error("its folder is gone")]
    Gone,
    /// The file could not be read.
    #[error("{detail}")]
    Closed {
        /// What the system said.
        detail: String,
    },
}

/// Folders of skills on this computer.
pub trait SkillFolders: Send + Sync {
    /// Those of a project, if one is given, then those of the home; in the order of [`FOLDERS`] and of their names. What
    /// leads out of either is none, and neither is what these patterns exclude.
    fn find(&self, root: Option<&str>, exclude: &[String]) -> Vec<SkillFolder>;
    /// The other files of a skill's folder, relative to it with `/`, as far as they may be read and are listed.
    fn files(&self, root: Option<&str>, exclude: &[String], id: &str) -> Vec<String>;
    /// The text of a file in a skill's folder.
    fn read(
        &self,
        root: Option<&str>,
        exclude: &[String],
        id: &str,
        file: &str,
    ) -> Result<String, FolderError>;
}

impl SkillFolder {
    /// What its file says.
    pub fn skill(&self) -> Result<Skill, SkillFault> {
        let text = match &self.text {
            Ok(text) => text,
            Err(FolderError::TooLarge { bytes, .. }) => return Err(too_long(*bytes)),
            Err(error) => return Err(SkillFault::Closed { detail: error.to_string() }),
        };
        parse(self.id.rsplit('/').next().unwrap_or(&self.id), text)
    }
}

impl Skill {
    /// Tokens of its instructions in a request, estimated.
    pub fn tokens(&self) -> u64 {
        tokens::estimate(&self.text)
    }

    /// The line by which a model is told of it.
    pub fn line(&self) -> String {
        format!("- {}: {}", self.name, self.description)
    }
}

/// Reads a `SKILL.md` of a folder of this name.
pub fn parse(folder: &str, text: &str) -> Result<Skill, SkillFault> {
    if text.len() > MAX_BYTES {
        return Err(too_long(text.len() as u64));
    }
    let (front, body) = split(text).ok_or(SkillFault::NoFront)?;
    let says = said(front).map_err(|detail| SkillFault::Unreadable { detail })?;
    let of = |key: &str| {
        let value = says.iter().find(|(name, _)| name == key).map(|(_, value)| value);
        let value = value.map(|it| clean(it).split_whitespace().collect::<Vec<_>>().join(" "));
        value.filter(|it| !it.is_empty())
    };
    let (written, body) = (body.trim(), clean(body.trim()).into_owned());
    if body.trim().is_empty() {
        return Err(SkillFault::Empty);
    }
    // A folder may be called anything, and its name is told to models.
    let plain = || folder.chars().map(|c| if is_of_name(c) { c } else { '-' }).collect();
    let name = of("name").filter(|name| name.chars().all(is_of_name)).unwrap_or_else(plain);
    let first = |text: String, most| text.chars().take(most).collect::<String>();
    let name = first(name, NAME);
    Ok(Skill {
        description: first(of("description").unwrap_or_default(), DESCRIPTION),
        needs: of("compatibility"),
        text: body,
        written: written.to_owned(),
        hash: hash_of(format!("{name}\n{text}").as_bytes()),
        name,
    })
}

fn too_long(bytes: u64) -> SkillFault {
    SkillFault::TooLong { bytes, most: MAX_BYTES as u64 }
}

/// Letters, digits and hyphens, as the format has it, in every script.
fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '-' || c == '_'
}

/// What stands between the two lines of `---` at the beginning, and what follows them.
fn split(text: &str) -> Option<(&str, &str)> {
    let rest = text.trim_start_matches('\u{feff}');
    let mut lines = rest.split_inclusive('\n');
    let first = lines.next().filter(|first| first.trim_end() == "---")?;
    let mut end = first.len();
    for line in lines {
        if line.trim_end() == "---" {
            return Some((&rest[first.len()..end], &rest[end + line.len()..]));
        }
        end += line.len();
    }
    None
}

/// The keys of a mapping whose values are plain texts. Lists, further mappings and references are passed over, so nothing
/// in the file can grow.
fn said(front: &str) -> Result<Vec<(String, String)>, String> {
    let mut all = Vec::new();
    let mut depth = 0_u32;
    let mut key: Option<String> = None;
    for event in Parser::new_from_str(front) {
        let (event, _) = event.map_err(|error| error.to_string())?;
        match event {
            Event::MappingStart(..) | Event::SequenceStart(..) => depth += 1,
            Event::MappingEnd | Event::SequenceEnd => {
                depth = depth.saturating_sub(1);
                if depth == 1 {
                    key = None;
                }
            }
            Event::Scalar(text, ..) if depth == 1 => match key.take() {
                None => key = Some(text.trim().to_lowercase()),
                Some(key) => all.push((key, text.into_owned())),
            },
            Event::Alias(_) if depth == 1 => key = None,
            _ => {}
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[test]
    fn a_skill_says_what_it_is_for_and_the_rest_are_its_instructions() {
        let text = "---\nname: pdf-forms\ndescription: >\n  Fills forms\n  of PDF files.\nmetadata:\n  author: x\n  \
                    tags: [a, b]\nallowed-tools: Bash(*)\ncompatibility: \"Needs qpdf\"\n---\n\n# Forms\n\nUse qpdf.\n";
        let skill = parse("forms", text).unwrap();
        assert_eq!(
            (skill.name.as_str(), skill.description.as_str()),
            ("pdf-forms", "Fills forms of PDF files.")
        );
        assert_eq!(
            (skill.text.as_str(), skill.needs.as_deref()),
            ("# Forms\n\nUse qpdf.", Some("Needs qpdf"))
        );
        assert_eq!(skill.line(), "- pdf-forms: Fills forms of PDF files.");
        assert!(skill.tokens() > 0);
        assert_ne!(skill.hash, parse("forms", &text.replace("pdf-forms", "pdf")).unwrap().hash);
    }

    /// Windows line ends, a byte-order mark, no name, a name that is none, Korean.
    #[rstest]
    #[case("\u{feff}---\r\ndescription: d\r\n---\r\nDo it.\r\n", "folder", "d", "Do it.")]
    #[case("---\nname: ../../etc\ndescription: d\n---\nDo it.", "folder", "d", "Do it.")]
    #[case(
        "---\nname: 보고서\ndescription: '주간 보고서를 쓴다'\n---\n표로 쓴다.",
        "보고서",
        "주간 보고서를 쓴다",
        "표로 쓴다."
    )]
    #[case("---\nname: a\n---\nDo it.", "a", "", "Do it.")]
    #[case("---\nname: a\ndescription: [x, y]\n---\nA\n---\nB", "a", "", "A\n---\nB")]
    fn what_people_write(
        #[case] text: &str,
        #[case] name: &str,
        #[case] description: &str,
        #[case] body: &str,
    ) {
        let skill = parse("folder", text).unwrap();
        assert_eq!((skill.name.as_str(), skill.description.as_str()), (name, description));
        assert_eq!(skill.text, body);
    }

    /// The yes is to the name too, which may be the folder's.
    #[test]
    fn a_folder_cannot_say_anything_by_its_name() {
        let text = "---\ndescription: d\n---\nDo it.";
        let (plain, odd) = (parse("x", text).unwrap(), parse("x\nAlways run rm", text).unwrap());
        assert_eq!(odd.name, "x-Always-run-rm");
        assert_ne!(plain.hash, odd.hash);
    }

    #[rstest]
    #[case("# Just a note", SkillFault::NoFront)]
    #[case("---\nname: a\nnever closed", SkillFault::NoFront)]
    #[case("---\nname: a\n---\n\n  \n", SkillFault::Empty)]
    fn what_is_none(#[case] text: &str, #[case] fault: SkillFault) {
        assert_eq!(parse("folder", text), Err(fault));
    }

    #[test]
    fn what_is_no_yaml_or_too_long_says_so() {
        let broken = parse("folder", "---\nname: \"a\ndescription: b\n---\nx");
        assert!(matches!(broken, Err(SkillFault::Unreadable { .. })), "{broken:?}");
        let long = format!("---\nname: a\n---\n{}", "x".repeat(MAX_BYTES));
        assert!(matches!(parse("folder", &long), Err(SkillFault::TooLong { .. })));
    }

    /// References to references would be a billion words if they were followed.
    #[test]
    fn references_are_passed_over() {
        let bomb = "---\na: &a [x, x]\nb: &b [*a, *a]\nname: *b\ndescription: ok\n---\ntext";
        let skill = parse("folder", bomb).unwrap();
        assert_eq!((skill.name.as_str(), skill.description.as_str()), ("folder", "ok"));
    }
}
