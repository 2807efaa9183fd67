//! The log on its way to its place, without secrets. Both hosts write through it.

use std::io::{Result, Write};

use siltstone_engine::privacy::Redactor;

/// Writes lines without the secrets in them, whatever the settings say: nobody needs a key in a log.
#[derive(Clone, Debug)]
pub struct CleanLog<W>(pub W);

impl<W: Write> Write for CleanLog<W> {
    /// An event comes in one piece.
    fn write(&mut self, event: &[u8]) -> Result<usize> {
        let text = String::from_utf8_lossy(event);
        self.0.write_all(Redactor::always().redact(&text).text.as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_key_is_not_in_the_log() {
        let mut log = CleanLog(Vec::new());
        let secret = format!("ghp{}0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", '_');
        log.write_all(format!("WARN refused: {secret}\n").as_bytes()).unwrap();
        assert_eq!(log.0, b"WARN refused: [redacted: github-token]\n");
    }
}
