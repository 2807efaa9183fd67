//! What the model is told in the request that follows a restore, so that it does not go by what it read before.

use super::{Checkpoint, Parts};

/// Paths that are named; beyond them they are counted.
const NAMED: usize = 20;

/// A restore that was done.
#[derive(Clone, Copy, Debug)]
pub struct RolledBack<'a> {
    /// What was restored.
    pub to: &'a Checkpoint,
    /// How much of it.
    pub parts: Parts,
    /// Paths that say something else now.
    pub paths: &'a [String],
    /// What was done.
    pub did: Did<'a>,
}

/// What was done to files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Did<'a> {
    /// A checkpoint was restored.
    Restored,
    /// What had been changed in files was taken back.
    TookBack,
    /// What was changed in a copy of the project was taken over.
    TookOver {
        /// What the copy is called.
        copy: &'a str,
    },
}

impl RolledBack<'_> {
    /// In the conversation's language, `ko` or `en`.
    pub fn tell(&self, language: &str) -> String {
        let korean = language == "ko";
        let at = self.to.created_at.strftime("%Y-%m-%d %H:%M UTC");
        let name = self.to.tag.as_ref().map(|tag| format!(" \"{tag}\"")).unwrap_or_default();
        let mut text = match (self.did, korean) {
            (Did::TookBack, true) => {
                String::from("사용자가 앞선 답변이 파일에서 바꾼 것을 되돌렸다.")
            }
            (Did::TookBack, false) => {
                String::from("The user took back what an earlier reply had changed in files.")
            }
            (Did::TookOver { copy }, true) => {
                format!("사용자가 이 프로젝트의 복사본 \"{copy}\"에서 바뀐 것을 여기로 가져왔다.")
            }
            (Did::TookOver { copy }, false) => format!(
                "The user took over here what was changed in \"{copy}\", a copy of this project."
            ),
            (Did::Restored, true) => format!("사용자가 {at}의 체크포인트{name}(으)로 되돌렸다."),
            (Did::Restored, false) => {
                format!("The user went back to the checkpoint{name} of {at}.")
            }
        };
        let mut say = |korean_text: &str, english: &str| {
            text.push(' ');
            text.push_str(if korean { korean_text } else { english });
        };
        if self.parts.chat {
            say(
                "그 뒤의 메시지는 이 대화에 없다.",
                "Messages after it are not in this conversation.",
            );
        }
        if self.parts.memory || self.parts.context {
            say("기억과 맥락도 그때와 같다.", "Memory and context are as they were then, too.");
        }
        if self.paths.is_empty() {
            return text;
        }
        say(
            "다음 파일의 내용이 바뀌었으니 앞서 읽은 내용을 믿지 말고 다시 읽을 것:",
            "These files changed, so do not rely on what was read of them before:",
        );
        for path in self.paths.iter().take(NAMED) {
            text.push_str("\n- ");
            text.push_str(path);
        }
        let more = self.paths.len().saturating_sub(NAMED);
        if more > 0 {
            text.push_str(&if korean {
                format!("\n- 그 밖에 {more}개")
            } else {
                format!("\n- {more} more")
            });
        }
        text
    }
}
