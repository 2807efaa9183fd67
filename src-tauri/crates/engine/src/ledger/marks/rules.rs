//! The rules for everything that a pattern tells: addresses, paths, errors, days, versions, names.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::shell::Code;
use super::words::{ACTS, FOLDERS, NO_FILES, NO_NAMES, NO_PEOPLE, OPENERS, PRODUCTS};
use super::{Pattern, Taken, compiled, figures, is_hangul};
use crate::density::is_id;
use crate::ledger::Category::{
    self, Command, Date, Error, Identifier, Name, Number, Path, Quote, Url, Version,
};
use crate::ledger::{Mark, Voice};

/// In the order in which they are tried; the first group of a pattern is the mark, the whole where there is none. Written for
/// little memory: a class of all scripts that is repeated up to a bound costs its bound, and a group what it takes to follow it.
pub(super) const PATTERNS: &[(Category, &str)] = &[
    (
        Url,
        r##"(?i)\b(?:https?|wss?|postgres(?:ql)?|rediss?|ssh|git|file|mysql|mongodb|amqp|s3|sftp|jdbc:[a-z]+)://[^\s<>"'`|)\]}\p{Hangul}]+"##,
    ),
    (
        Url,
        r"\b(?:localhost:[0-9]{2,5}|(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?::[0-9]{2,5})?)(?:/[A-Za-z0-9_./?=&%-]*)?",
    ),
    (
        Url,
        r"(?:[A-Za-z0-9_.+-]{1,64}@)?\b[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,4}\.(?:com|org|net|io|dev|kr|ai|app|internal|local)\b(?::\d{2,5})?(?:/[A-Za-z0-9_./?=&%#-]*)?",
    ),
    (Error, r"thread '[^'\n]{1,60}' panicked at [^\n`]{1,200}"),
    (
        Error,
        r"(?m)(?:^|[\s`(])((?:error|fatal|FATAL|ERROR|Error|panic|npm ERR!|ERR!)(?:\[[A-Z]?\d+\])?:? ?[:!] ?[^\n`]{3,200})",
    ),
    (Error, r"\b(?:[A-Za-z_]\w*\.)*[A-Z][A-Za-z]{1,40}(?:Error|Exception)(?:: [^\n`]{2,160})?"),
    (Error, r"(?m)(?:^|[\s`(])(error [A-Z]{1,6}\d+: [^\n`]{3,200})"),
    (Error, r"(?:오류|에러|예외): [^\n`]{2,200}"),
    (Error, r"(?m)^\s*((?:FAILED|FAIL|not ok)[ :][^\n]{2,160})"),
    (Error, r"(?m)^test [\w:]+ \.\.\. FAILED"),
    (
        Error,
        r"\b(?:ECONNREFUSED|ECONNRESET|EADDRINUSE|ENOSPC|ENOENT|EACCES|EPERM|ETIMEDOUT|EPIPE|EMFILE|ENOMEM|EEXIST|EISDIR|ENOTEMPTY|ENOTFOUND|ERESOLVE|EBUSY|SIGSEGV|SIGKILL|SIGABRT|OOMKilled|CrashLoopBackOff|ImagePullBackOff|SQLITE_BUSY|NXDOMAIN)\b",
    ),
    (
        Error,
        r"(?i)\b(?:permission denied|connection refused|connection reset(?: by peer)?|out of memory|no such file or directory|segmentation fault|broken pipe|deadlock detected|stack overflow|command not found|address already in use|too many open files|no space left on device|access denied|certificate has expired|database is locked|cannot find module '[^'\n]{1,80}'|duplicate key value|module not found)\b",
    ),
    (
        Error,
        r"\b(?:HTTP )?[45][0-9][0-9] (?:Not Found|Forbidden|Unauthorized|Bad Gateway|Internal Server Error|Service Unavailable|Too Many Requests|Bad Request|Gateway Timeout|Conflict|Payload Too Large)",
    ),
    (Path, r"(?:~|\.{1,2})?/?(?:[A-Za-z0-9_.@+-]{1,80}/){1,20}[A-Za-z0-9_.@+*-]{0,80}"),
    (
        Path,
        r"(?:^|\b|\.)[A-Za-z0-9_][A-Za-z0-9_.-]{0,80}\.(?:rs|tsx?|jsx?|mjs|cjs|py|ipynb|go|java|kts?|swift|cpp|hpp|cs|rb|php|sh|sql|md|mdx|txt|jsonl?|toml|ya?ml|ini|cfg|conf|env|lock|s?css|html?|vue|svelte|xml|csv|tsv|parquet|log|pdf|png|jpe?g|svg|webp|gz|zip|tar|db|sqlite|proto|tf|xlsx?|docx?|pptx?|hwpx?|mp4|wav|pem|key|bin|safetensors|gguf|onnx)\b",
    ),
    (
        Path,
        r"(?:^|[\s`(\x22'])((?:\.env(?:\.[a-z]+)?|\.gitignore|\.dockerignore|\.eslintrc|\.npmrc|\.bashrc|\.editorconfig|Dockerfile|Makefile|Justfile|Procfile|Jenkinsfile))\b",
    ),
    (
        Date,
        r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?\b",
    ),
    (Date, r"\b(?:19|20)[0-9]{2}[./][0-9]{1,2}[./][0-9]{1,2}\b"),
    (Date, r"(?:\d{4}년 ?)?\d{1,2}월(?: ?\d{1,2}일)?|(?:19|20)\d{2}년"),
    (
        Date,
        r"\b(?:(?:\d{1,2}(?:st|nd|rd|th)?(?: (?:or|and|to) | ?[–-] ?))?\d{1,2}(?:st|nd|rd|th)? (?:of )?)?(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.? (?:\d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?|\d{4})\b",
    ),
    (
        Date,
        r"\b(?:\d{1,2}(?:st|nd|rd|th)?(?: (?:or|and|to) | ?[–-] ?))?\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b",
    ),
    (Date, r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b|[월화수목금토일]요일"),
    // What else begins so: 시간, 시점, 시작, 시스템, 시리즈.
    (
        Date,
        r"((?:(?:오전|오후|새벽|밤|낮|아침|저녁) ?)?\b\d{1,2}시(?: ?\d{1,2}분| ?반)?)(?:[^간점작스리]|$)",
    ),
    (
        Date,
        r"\b(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?(?: ?(?:[ap]m|[AP]M|UTC|KST))?\b|\b\d{1,2} ?(?:am|pm|AM|PM)\b",
    ),
    (Version, r"\bv[0-9]+(?:\.[0-9]+){0,3}(?:-[0-9A-Za-z.]*[0-9A-Za-z])?\b"),
    (Version, r"\b\d+\.\d+\.\d+(?:\.\d+)?(?:-[0-9A-Za-z.]*[0-9A-Za-z])?\b"),
    (
        Version,
        r"\b(?:[Vv]ersion|Python|Rust|Node(?:\.js)?|PostgreSQL|Postgres|React|Vue|Go|Java|Kotlin|Swift|Ruby|PHP|Ubuntu|macOS|iOS|Android|Django|Flask|Spring Boot|Spring|TypeScript|Redis|Kafka|Kubernetes|Docker|Tauri|Electron|MySQL|MariaDB|Nginx|nginx|CUDA|PyTorch|TensorFlow|TLS|OpenSSL|Xcode|Gradle|Debian|Elasticsearch|Next\.js|Vite|Rails|Laravel|SQLite|Chrome|Firefox|Windows|Terraform|Airflow|Spark)[ -](\d+(?:\.\d+){0,2}(?:-[a-z]+\.?\d*)?)\b",
    ),
    (Version, r"버전(?:은|을|이)? ?([0-9]+(?:\.[0-9]+){0,2})"),
    (Identifier, r"\b[A-Za-z_]\w*(?:(?:::|\.)[A-Za-z_]\w*)*\(\)"),
    (Identifier, r"\b[A-Za-z_]\w*(?:::[A-Za-z_]\w*)+"),
    (Identifier, r"\b_*[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+_*\b"),
    (Identifier, r"\b[a-z]+[0-9]*(?:[A-Z][a-z0-9]+)+[A-Z]*\b"),
    (Identifier, r"\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\b"),
    (Identifier, r"\b[A-Z]{2,10}-[0-9]{1,6}\b"),
    (Identifier, r"(?:^|[\s`(])(--[a-z][a-z0-9-]{1,40})"),
    (Identifier, r"\b[0-9a-f]{7,40}\b"),
];

static PATTERNS_COMPILED: LazyLock<Vec<(Category, Regex)>> = LazyLock::new(|| compiled(PATTERNS));

static LINE_NUMBER: Pattern = LazyLock::new(|| Regex::new(r"^:\d+(?::\d+)?").ok());

static QUOTES: LazyLock<Vec<(Category, Regex)>> = LazyLock::new(|| {
    compiled(&[
        (Quote, r#""[^"\n]{2,300}""#),
        (Quote, r"“[^”\n]{2,300}”|「[^」\n]{2,300}」|『[^』\n]{2,300}』|‘[^’\n]{2,300}’"),
        (Quote, r"'[^'\n]{2,200}'"),
    ])
});

static NAMES: LazyLock<Vec<(Category, Regex)>> = LazyLock::new(|| {
    compiled(&[
        (Name, r"\b[A-Z][a-z]+(?:[A-Z]+[a-z]*)*(?:[ -][A-Z][a-z]+){0,3}\b"),
        (
            Name,
            r"(?:^|[^가-힣])([가-힣]{1,4} (?:대리|과장|차장|부장|팀장|대표|이사|선임|책임|수석|매니저|교수))",
        ),
        (Name, r"([가-힣]{2,4}) ?(?:님|씨)(?:[은는이가을를과와의께도]|에게|[\s,.!?)]|$)"),
    ])
});

/// Takes everything that a pattern tells.
pub(super) fn apply(
    text: &str,
    code: &Code,
    voice: Voice,
    taken: &mut Taken,
    found: &mut Vec<Mark>,
) {
    own_addresses(text).for_each(|address| taken.take(address, Url));
    let mut rules = Rules { text, code, taken, found };
    for (category, pattern) in PATTERNS_COMPILED.iter() {
        for span in spans(pattern, text) {
            rules.offer(*category, span);
        }
    }
    for span in &code.spans {
        rules.code_span(span.clone());
    }
    for span in figures::figures(text) {
        // What programs print is full of figures that stand for nothing beyond their row.
        let of_row = || figures::is_bare(&text[span.clone()]) || is_in_row_of_fields(text, &span);
        if voice != Voice::Program || !of_row() {
            rules.offer(Number, span);
        }
    }
    if voice == Voice::Program {
        return;
    }
    for (category, pattern) in QUOTES.iter().chain(NAMES.iter()) {
        for span in spans(pattern, text) {
            rules.offer(*category, span);
        }
    }
}

/// Whether a stretch stands in a line of several `name=value`, which is one of very many lines in what programs print. What
/// is far from it is not looked at: a line may be as long as a file.
fn is_in_row_of_fields(text: &str, span: &Range<usize>) -> bool {
    const NEAR: usize = 300;
    let before = &text[text.floor_char_boundary(span.start.saturating_sub(NEAR))..span.start];
    let after = &text[span.end..text.floor_char_boundary(span.end + NEAR)];
    let start = span.start - before.len() + before.rfind('\n').map_or(0, |at| at + 1);
    let end = span.end + after.find('\n').unwrap_or(after.len());
    let is_field = |word: &str| {
        word.split_once('=').is_some_and(|(name, value)| !name.is_empty() && !value.is_empty())
    };
    text[start..end].split_whitespace().filter(|word| is_field(word)).nth(1).is_some()
}

/// Where links lead to something of Siltstone's own: pieces of ids and of paths in a way of writing that nobody reads.
fn own_addresses(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    text.match_indices("silt:").filter_map(move |(at, _)| {
        let closes = |c: char| c.is_whitespace() || matches!(c, ')' | '>' | ']' | '`' | '"');
        (at >= end).then(|| {
            end = at + text[at..].find(closes).unwrap_or(text.len() - at);
            at..end
        })
    })
}

fn spans(pattern: &Regex, text: &str) -> impl Iterator<Item = Range<usize>> {
    pattern.captures_iter(text).filter_map(|it| Some(it.get(1).or(it.get(0))?.range()))
}

/// What each kind leaves to others that took it before.
fn yields_to(category: Category) -> &'static [Category] {
    match category {
        Path => &[Url],
        Error => &[Error, Url],
        Date => &[Url, Path, Command, Date],
        Version => &[Url, Path, Command, Date, Version],
        Identifier => &[Url, Path, Command, Error, Date, Version, Identifier],
        Number => &[Url, Path, Command, Date, Version, Identifier, Number],
        Quote => &[Command, Quote],
        Name => &[Url, Path, Command, Error, Date, Identifier, Name],
        _ => &[Url],
    }
}

struct Rules<'a> {
    text: &'a str,
    code: &'a Code,
    taken: &'a mut Taken,
    found: &'a mut Vec<Mark>,
}

impl Rules<'_> {
    fn offer(&mut self, category: Category, span: Range<usize>) {
        let Some(span) = self.narrowed(category, span) else { return };
        if span.is_empty() || self.taken.is_taken(&span, yields_to(category)) {
            return;
        }
        self.taken.take(span.clone(), category);
        if category == Error && self.text[span.start..].starts_with(|c: char| c.is_ascii_digit()) {
            // The status of a reply is said with it.
            self.taken.take(span.clone(), Number);
        }
        if category == Path
            && let Some(line) = LINE_NUMBER.as_ref().and_then(|it| it.find(&self.text[span.end..]))
        {
            self.taken.take(span.end..span.end + line.end(), Path);
        }
        if category == Path && self.taken.is_taken(&span, &[Path]) && self.is_known(&span) {
            return;
        }
        self.found.push(Mark { category, span });
    }

    /// Whether the same kind of mark stands there already, or around it.
    fn is_known(&self, span: &Range<usize>) -> bool {
        let near = self.found.iter().rev().take_while(|mark| mark.category == Path);
        near.into_iter().any(|mark| mark.span.start <= span.start && span.end <= mark.span.end)
    }

    /// The part of a match that counts, if any does.
    fn narrowed(&self, category: Category, span: Range<usize>) -> Option<Range<usize>> {
        let said = &self.text[span.clone()];
        let (before, after) = (&self.text[..span.start], &self.text[span.end..]);
        let cut = |chars: &[char]| span.start..span.start + said.trim_end_matches(chars).len();
        match category {
            Url => Some(cut(&['.', ',', ';', ':', '!', '?', '*', '_'])),
            Error => Some(sentence(said, span.start)),
            Path => {
                if let Some(whole) = self.path_in_korean(&span) {
                    return Some(whole);
                }
                let span = cut(&['.', '-', '+', '@', '*']);
                let said = &self.text[span.clone()];
                let joined =
                    before.ends_with(|c: char| c.is_ascii_alphanumeric() || "/_.@:".contains(c));
                (!joined && !after.starts_with('(') && is_path(said)).then_some(span)
            }
            Version => {
                let unit = after.trim_start_matches(' ');
                let measured = ["ms", "%", "GB", "MB", "초"].iter().any(|it| unit.starts_with(it));
                let mut rest = after.chars();
                let goes_on =
                    rest.next() == Some('.') && rest.next().is_some_and(|c| c.is_ascii_digit());
                (!measured && !goes_on).then_some(span)
            }
            Identifier => {
                let id = is_piece_of_an_id(self.text, &span);
                let product = PRODUCTS.contains(&said);
                let hex = said.bytes().all(|byte| byte.is_ascii_hexdigit());
                let hash = said.contains(|c: char| c.is_ascii_digit())
                    && said.contains(|c: char| c.is_ascii_lowercase());
                let in_block = self.code.is_in_block(span.start);
                (!id && !product && !in_block && (!hex || hash)).then_some(span)
            }
            Number => (!self.code.is_in_block(span.start)).then_some(span),
            Quote => {
                let letter = |c: char| c.is_ascii_alphanumeric();
                let apostrophe = before.ends_with(letter) || after.starts_with(letter);
                let in_block = self.code.is_in_block(span.start);
                (!(in_block || said.starts_with('\'') && apostrophe)).then_some(span)
            }
            Name => self.name(span),
            _ => Some(span),
        }
    }

    /// A path with Hangul in it, of which a pattern found a piece. Only in backticks is it told where it ends.
    fn path_in_korean(&self, piece: &Range<usize>) -> Option<Range<usize>> {
        let at = self.code.spans.partition_point(|it| it.end < piece.end);
        let whole = self.code.spans.get(at).filter(|it| it.start <= piece.start)?;
        let said = &self.text[whole.clone()];
        let one = !said.contains(|c: char| c.is_whitespace() || "()<>|*\"'".contains(c));
        (one && said.contains(is_hangul) && is_path(said)).then(|| whole.clone())
    }

    /// What stands in backticks and is nothing else.
    fn code_span(&mut self, span: Range<usize>) {
        let whole = &self.text[span.clone()];
        let others = [Url, Path, Command, Error, Date, Version];
        let taken = self.taken.is_taken(&span, &others);
        if taken || whole.trim().is_empty() || whole.bytes().all(|b| !b.is_ascii_alphabetic()) {
            return;
        }
        self.found.retain(|mark| {
            mark.category != Identifier
                || mark.span.end <= span.start
                || span.end <= mark.span.start
        });
        self.taken.take(span.clone(), Identifier);
        self.found.push(Mark { category: Identifier, span });
    }

    fn name(&self, span: Range<usize>) -> Option<Range<usize>> {
        let said = &self.text[span.clone()];
        let before = &self.text[..span.start];
        let after = &self.text[span.end..];
        if self.code.is_in_block(span.start)
            || self.code.spans.iter().any(|it| it.contains(&span.start))
        {
            return None;
        }
        if said.starts_with(is_hangul) {
            let person = !NO_PEOPLE.iter().any(|word| said.starts_with(word));
            return person.then_some(span);
        }
        let line = before.rsplit('\n').next().unwrap_or_default();
        let lead = line.trim_end_matches([' ', '"', '(', '*', '_', '“', '\'', '‘', '[']);
        let begins = lead.is_empty()
            || lead.ends_with(['.', '!', '?', ':', '-', '>', '#', '•', '|', '—', '…', ')'])
                && !lead.ends_with("e.g.");
        let korean = after.trim_start_matches(' ').starts_with(is_hangul);
        if !begins || korean {
            return (!NO_NAMES.contains(&said)).then_some(span);
        }
        // What begins a sentence has a capital anyway. Two words with capitals are a name, and who does something is.
        let acts = after.strip_prefix(' ').and_then(|rest| rest.split([' ', ',']).next());
        let (first, more) = said.split_once(' ').unwrap_or((said, ""));
        if acts.is_some_and(|word| ACTS.contains(&word)) && !NO_NAMES.contains(&first) {
            return Some(span);
        }
        if more.is_empty() && !PRODUCTS.contains(&said) || NO_NAMES.contains(&more) {
            return after.starts_with("'s ").then_some(span).filter(|_| !NO_NAMES.contains(&first));
        }
        match OPENERS.contains(&first) || NO_NAMES.contains(&first) {
            true => Some(span.end - more.len()..span.end),
            false => Some(span),
        }
    }
}

/// Whether a stretch is a piece of a UUID, which says nothing without the rest.
fn is_piece_of_an_id(text: &str, span: &Range<usize>) -> bool {
    const LENGTH: usize = 36;
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let before = &text[text.floor_char_boundary(span.start.saturating_sub(LENGTH))..span.start];
    let after = &text[span.end..text.floor_char_boundary(span.end + LENGTH)];
    let start = span.start - (before.len() - before.trim_end_matches(inside).len());
    let end = span.end + (after.len() - after.trim_start_matches(inside).len());
    end - start > span.len() && is_id(&text[start..end])
}

/// What an error says up to the end of its sentence.
fn sentence(said: &str, start: usize) -> Range<usize> {
    let ends = said.match_indices(['.', ',', ';']).find(|(at, _)| {
        let after = &said[at + 1..];
        after.starts_with(' ')
            && after.trim_start().starts_with(|c: char| c.is_uppercase() || is_hangul(c))
    });
    let end = ends.map_or(said.len(), |(at, _)| at);
    start..start + said[..end].trim_end_matches(['.', ' ', '"', ')', ',', '\r']).len()
}

fn is_path(said: &str) -> bool {
    if NO_FILES.contains(&said) || said.bytes().all(|b| !b.is_ascii_alphabetic()) {
        return false;
    }
    let Some((first, rest)) = said.split_once('/') else { return true };
    let last = said.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let ending = last.rsplit_once('.').is_some_and(|(stem, ending)| {
        !ending.is_empty()
            && ending.len() <= 8
            && (!stem.is_empty() || ending.len() > 2)
            && ending.bytes().all(|b| b.is_ascii_alphanumeric())
            && !ending.bytes().all(|b| b.is_ascii_digit())
    });
    let rooted = first.is_empty() || matches!(first, "~" | "." | "..");
    let known = FOLDERS.contains(&first);
    ending
        || known
        || rooted && rest.len() > 1
        || said.ends_with('/')
        || said.matches('/').count() > 2
}

/// The figures and the marked words of a statement, in one way of writing.
pub(in crate::ledger) fn tokens(said: &str) -> impl Iterator<Item = String> {
    crate::density::marked(said).map(str::to_lowercase)
}
