//! What a command says: its bytes as they come, and the text they make.

use std::collections::VecDeque;
use std::io;
use std::io::PipeReader;

use vte::{Parser, Perform};

/// Bytes that are read at once.
const CHUNK: usize = 64 * 1024;

/// Text that is kept from the beginning on, and bytes that are kept of the end of what is longer.
const HEAD_BYTES: usize = 15 * 1024 * 1024;
const TAIL_BYTES: usize = 1024 * 1024;

/// Ends a control sequence; stands before the end of every line, so that none of them swallows the next.
const CANCEL: u8 = 0x18;

/// Both outputs of a command, which go into one pipe and so keep their order.
#[cfg(unix)]
pub(super) struct Pipe {
    pipe: tokio::net::unix::pipe::Receiver,
    chunk: Vec<u8>,
}

#[cfg(unix)]
impl Pipe {
    pub(super) fn of(reader: PipeReader) -> io::Result<Self> {
        let pipe = tokio::net::unix::pipe::Receiver::from_owned_fd(reader.into())?;
        Ok(Self { pipe, chunk: vec![0; CHUNK] })
    }

    /// The bytes that come next; `None` when nobody can write any more.
    pub(super) async fn next(&mut self) -> Option<&[u8]> {
        use tokio::io::AsyncReadExt;
        let length = self.pipe.read(&mut self.chunk).await.unwrap_or(0);
        self.chunk.get(..length).filter(|bytes| !bytes.is_empty())
    }
}

/// Where a pipe cannot be waited for, a thread reads it until its end.
#[cfg(not(unix))]
pub(super) struct Pipe {
    chunks: tokio::sync::mpsc::Receiver<Vec<u8>>,
    chunk: Vec<u8>,
}

#[cfg(not(unix))]
impl Pipe {
    pub(super) fn of(mut reader: PipeReader) -> io::Result<Self> {
        use std::io::Read;
        let (send, chunks) = tokio::sync::mpsc::channel(4);
        std::thread::Builder::new().name("output".to_owned()).spawn(move || {
            let mut chunk = vec![0; CHUNK];
            while let Ok(length) = reader.read(&mut chunk) {
                let bytes = chunk.get(..length).unwrap_or_default().to_vec();
                if bytes.is_empty() || send.blocking_send(bytes).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { chunks, chunk: Vec::new() })
    }

    pub(super) async fn next(&mut self) -> Option<&[u8]> {
        self.chunk = self.chunks.recv().await?;
        Some(&self.chunk)
    }
}

/// The text that a command's bytes make: without what is meant for a terminal, and with a mark where bytes are no text.
#[derive(Default)]
pub(super) struct Screen {
    parser: Parser,
    sheet: Sheet,
    /// The last bytes of what came after the text was full.
    tail: VecDeque<u8>,
    /// Bytes that came before them.
    dropped: u64,
}

impl Screen {
    /// Takes bytes, and gives the text they bring.
    pub(super) fn take(&mut self, bytes: &[u8]) -> &str {
        let from = self.sheet.text.len();
        if from >= HEAD_BYTES {
            self.tail.extend(bytes);
            let excess = self.tail.len().saturating_sub(TAIL_BYTES);
            self.tail.drain(..excess);
            self.dropped += excess as u64;
            return "";
        }
        self.write(bytes);
        self.sheet.text.get(from..).unwrap_or_default()
    }

    fn write(&mut self, bytes: &[u8]) {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            match line.strip_suffix(b"\n") {
                Some(line) => {
                    self.parser.advance(&mut self.sheet, line);
                    self.parser.advance(&mut self.sheet, &[CANCEL, b'\n']);
                }
                None => self.parser.advance(&mut self.sheet, line),
            }
        }
    }

    /// All of the text, and how many bytes are not in it.
    pub(super) fn finish(mut self) -> (String, u64) {
        self.parser.advance(&mut self.sheet, &[CANCEL]);
        if self.dropped > 0 {
            let note = format!("\n[… {} bytes were not kept …]\n", self.dropped);
            self.sheet.text.push_str(&note);
        }
        let tail: Vec<u8> = std::mem::take(&mut self.tail).into();
        self.write(&tail);
        self.parser.advance(&mut self.sheet, &[CANCEL]);
        (self.sheet.text, self.dropped)
    }
}

#[derive(Default)]
struct Sheet {
    text: String,
    /// A return came: the line ends, or is written over.
    returned: bool,
}

impl Sheet {
    fn put(&mut self, c: char) {
        if std::mem::take(&mut self.returned) {
            self.text.push('\n');
        }
        self.text.push(c);
    }
}

impl Perform for Sheet {
    fn print(&mut self, c: char) {
        if c != '\u{7F}' {
            self.put(c);
        }
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' => {
                self.returned = false;
                self.text.push('\n');
            }
            b'\r' => self.returned = true,
            b'\t' => self.put('\t'),
            // Bell, backspace, page, shifts, and the rest of what only a terminal understands.
            0x07..=0x0F | CANCEL | 0x1A | 0x1B | 0x80..=0x9F => {}
            _ => self.put(char::REPLACEMENT_CHARACTER),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn text(chunks: &[&[u8]]) -> String {
        let mut screen = Screen::default();
        let told: String = chunks.iter().map(|chunk| screen.take(chunk).to_owned()).collect();
        let (text, dropped) = screen.finish();
        assert_eq!(dropped, 0);
        assert!(text.starts_with(&told), "{told:?} {text:?}");
        text
    }

    #[rstest]
    #[case::colours(b"\x1b[1;31mred\x1b[0m\n", "red\n")]
    #[case::title(b"\x1b]0;title\x07text\n", "text\n")]
    #[case::open_title(b"\x1b]0;never ended\nnext\n", "\nnext\n")]
    #[case::open_string(b"\x1bPnever ended\nnext\n", "\nnext\n")]
    #[case::line_ends(b"one\r\ntwo\r\n", "one\ntwo\n")]
    #[case::progress(b"10%\r20%\r\n", "10%\n20%\n")]
    #[case::binary(b"a\x00\x01b\xFF\xFEc\x7F\n", "a\u{FFFD}\u{FFFD}b\u{FFFD}\u{FFFD}c\n")]
    #[case::cut_letter(b"\xEA\xB0", "\u{FFFD}")]
    #[case::tab("가\t🙂\u{8}\n".as_bytes(), "가\t🙂\n")]
    fn bytes_become_text(#[case] bytes: &[u8], #[case] expected: &str) {
        assert_eq!(text(&[bytes]), expected);
        // However it is cut.
        for at in 0..bytes.len() {
            assert_eq!(text(&[&bytes[..at], &bytes[at..]]), expected, "cut at {at}");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(text(&single), expected);
    }

    #[test]
    fn of_too_much_the_beginning_and_the_end_are_kept() {
        let line = "0123456789abcde\n".repeat(4_096);
        let mut screen = Screen::default();
        let mut told = 0;
        for _ in 0..400 {
            told += screen.take(line.as_bytes()).len();
        }
        screen.take(b"the end\n");
        let (text, dropped) = screen.finish();
        assert_eq!(told, HEAD_BYTES);
        assert_eq!(dropped, 400 * 65_536 + 8 - (HEAD_BYTES + TAIL_BYTES) as u64);
        assert!(text.ends_with("\n0123456789abcde\nthe end\n"));
        assert!(text.contains(&format!("[… {dropped} bytes were not kept …]\n")));
        assert!(text.len() < HEAD_BYTES + TAIL_BYTES + 100);
    }
}
