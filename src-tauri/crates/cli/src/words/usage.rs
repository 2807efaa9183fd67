//! A call that cannot be understood, in Korean: what [`clap`] says in English alone.

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// What is wrong with the call, what could be meant, and how it is written; `None` for what is left in English.
pub fn korean(error: &Error) -> Option<String> {
    let said = |kind| of(error, kind);
    let what = match error.kind() {
        ErrorKind::MissingRequiredArgument => {
            format!("빠진 것: {}", said(ContextKind::InvalidArg)?)
        }
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            "어떤 명령인지 빠졌습니다".to_owned()
        }
        ErrorKind::UnknownArgument => {
            format!("그런 옵션은 없습니다: {}", said(ContextKind::InvalidArg)?)
        }
        ErrorKind::InvalidSubcommand => {
            format!("그런 명령은 없습니다: {}", said(ContextKind::InvalidSubcommand)?)
        }
        ErrorKind::ArgumentConflict => {
            let (one, other) = (said(ContextKind::InvalidArg)?, said(ContextKind::PriorArg)?);
            format!("함께 쓸 수 없습니다: {one}, {other}")
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            let value = said(ContextKind::InvalidValue).unwrap_or_default();
            let arg = said(ContextKind::InvalidArg)?;
            match value.is_empty() {
                true => format!("{arg}에 값이 없습니다"),
                false => format!("{arg}에 쓸 수 없는 값: {value}"),
            }
        }
        _ => return None,
    };
    let why = std::error::Error::source(error).map(|why| format!(" ({why})"));
    let mut lines = vec![format!("{what}{}", why.unwrap_or_default())];
    let more = [
        (ContextKind::ValidValue, "쓸 수 있는 값"),
        (ContextKind::SuggestedArg, "혹시"),
        (ContextKind::SuggestedSubcommand, "혹시"),
        (ContextKind::SuggestedValue, "혹시"),
    ];
    lines.extend(more.iter().filter_map(|(kind, word)| Some(format!("{word}: {}", said(*kind)?))));
    if let Some(usage) = said(ContextKind::Usage) {
        lines.push(usage.replacen("Usage:", "쓰는 법:", 1));
    }
    Some(lines.join("\n      "))
}

fn of(error: &Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => Some(texts.join(", ")),
        ContextValue::StyledStr(text) => Some(text.to_string()),
        ContextValue::StyledStrs(texts) => {
            Some(texts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
        }
        _ => None,
    }
}
