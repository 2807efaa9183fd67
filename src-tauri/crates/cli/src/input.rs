//! What a call reads: stdin, and the files that it names. Nothing is read without an end: a device or a pipe may have
//! none.

use std::fs::File;
use std::io::{Cursor, Read, Seek};
use std::path::Path;

use siltstone_contract::{Code, Failure};
use siltstone_engine::export::MAX_TEXT;
use siltstone_engine::secret::Secret;

use crate::out::Stop;

/// Most bytes of a pipe or a device; a file says itself how long it is, and may be as long as an export.
const ENDLESS: usize = 64 * 1024 * 1024;

/// Most bytes of a file with a passphrase or a key.
const SECRET: usize = 64 * 1024;

/// All of stdin as text.
pub fn stdin() -> Result<String, Stop> {
    text_of(at_most(std::io::stdin().lock(), ENDLESS)?)
}

/// All of a file as text; `-` stands for stdin.
pub fn text(file: &Path) -> Result<String, Stop> {
    if file.as_os_str() == "-" {
        return stdin();
    }
    let opened = opened(file)?;
    let is_file = opened.metadata().is_ok_and(|it| it.is_file());
    text_of(at_most(opened, if is_file { MAX_TEXT } else { ENDLESS })?)
}

/// A file, opened; `-` stands for stdin. What has no end is read here as far as is allowed.
pub fn file(file: &Path) -> Result<Box<dyn Source>, Stop> {
    if file.as_os_str() == "-" {
        return Ok(Box::new(Cursor::new(at_most(std::io::stdin().lock(), ENDLESS)?)));
    }
    let opened = opened(file)?;
    match opened.metadata().is_ok_and(|it| it.is_file()) {
        true => Ok(Box::new(opened)),
        false => Ok(Box::new(Cursor::new(at_most(opened, ENDLESS)?))),
    }
}

/// What can be read again.
pub trait Source: Read + Seek + Send {}

impl<F: Read + Seek + Send> Source for F {}

/// What a file says that nobody else is to know; a line end after it does not belong to it.
pub fn secret(file: &Path) -> Result<Secret, Stop> {
    let text = text_of(at_most(opened(file)?, SECRET)?)?.trim_end_matches(['\r', '\n']).to_owned();
    if text.is_empty() {
        let message = format!("{} is empty", file.display());
        return Err(Failure::new(Code::BadRequest, message).into());
    }
    Ok(Secret::new(text))
}

fn opened(file: &Path) -> Result<File, Stop> {
    File::open(file).map_err(|error| Stop::file(file, &error))
}

/// All there is, or so much that it shows that it is too much.
fn at_most(from: impl Read, most: usize) -> Result<Vec<u8>, Stop> {
    let mut bytes = Vec::new();
    from.take(most as u64 + 1).read_to_end(&mut bytes).map_err(|error| Stop::io(&error))?;
    if bytes.len() > most {
        let message = format!("at most {most} bytes are read");
        return Err(Failure::new(Code::InputTooLong, message).into());
    }
    Ok(bytes)
}

fn text_of(bytes: Vec<u8>) -> Result<String, Stop> {
    String::from_utf8(bytes)
        .map_err(|_| Failure::new(Code::NotText, "the input is not UTF-8 text").into())
}
