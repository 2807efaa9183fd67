//! What only looks like a secret: references, placeholders, words. Asked about everything that a pattern matched.

/// Words that an invented value has in it.
const INVENTED: [&str; 17] = [
    "example",
    "placeholder",
    "changeme",
    "change_me",
    "change-me",
    "your_",
    "your-",
    "yourpass",
    "insert",
    "xxxx",
    "****",
    "....",
    "dummy",
    "redacted",
    "replace",
    "todo",
    "not_set",
];

/// What stands where a password would, in instructions.
const WORDS: [&str; 12] = [
    "password",
    "passwd",
    "passphrase",
    "pass",
    "pwd",
    "secret",
    "token",
    "apikey",
    "api_key",
    "null",
    "none",
    "undefined",
];

/// What is said of a password's field instead of one: its type, whether it has to be there.
const SCHEMA: [&str; 24] = [
    "string", "text", "number", "integer", "boolean", "bool", "bytes", "char", "varchar", "object",
    "required", "optional", "hidden", "true", "false", "option", "field", "input", "value",
    "enabled", "disabled", "prompt", "unknown", "empty",
];

/// Names before a keyword that make it no secret: `public_token`, `csrf-token`, `nextPageToken`.
const HARMLESS: [&str; 7] = ["public", "csrf", "xsrf", "page", "next", "cancel", "sync"];

/// Bytes of the longest password that has blanks in it.
const LONGEST_PHRASE: usize = 256;

/// Bytes of the longest name of a value: in longer ones a word stands by chance.
const LONGEST_NAME: usize = 64;

/// Bits that a byte of the text says, by how often each occurs.
pub(super) fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    text.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let all = text.len() as f64;
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / all);
    shares.map(|share| -share * share.log2()).sum()
}

/// A key of a known maker: its form is known already, so only a filler is no key.
pub(super) fn key(_: &str, value: &str) -> bool {
    !is_invented(value) && entropy(value) >= 3.0
}

/// A long key with capitals and digits, as opposed to a name that happens to begin like one.
pub(super) fn mixed(context: &str, value: &str) -> bool {
    let has = |is: fn(&char) -> bool| value.chars().any(|c| is(&c));
    key(context, value)
        && has(char::is_ascii_digit)
        && has(char::is_ascii_uppercase)
        && has(char::is_ascii_lowercase)
}

/// A key that has digits in it, as opposed to words with hyphens.
pub(super) fn numbered(context: &str, value: &str) -> bool {
    key(context, value) && value.bytes().filter(u8::is_ascii_digit).count() >= 4
}

/// Whatever the pattern matched.
pub(super) fn any(_: &str, _: &str) -> bool {
    true
}

/// What is assigned to a token or a key.
pub(super) fn assigned_key(context: &str, value: &str) -> bool {
    let digits = value.bytes().any(|byte| byte.is_ascii_digit());
    let letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let name = trailing_name(context).to_ascii_lowercase();
    digits
        && letters
        && value.len() >= 10
        && !value.contains([' ', '\t'])
        && !HARMLESS.iter().any(|word| name.contains(word))
        && !is_reference(value)
        && !is_invented(value)
        && !is_slug(value)
        && entropy(value) >= 3.0
}

/// What is assigned to a password: people choose short ones.
pub(super) fn assigned_password(_: &str, value: &str) -> bool {
    let letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let others = value.bytes().any(|b| b.is_ascii_digit() || b"!@#$%^&*+=?~".contains(&b));
    let is_prose = value.len() > LONGEST_PHRASE && value.contains([' ', '\t']);
    letters && others && !is_prose && !is_reference(value) && !is_invented(value)
}

/// The same behind a keyword so short that it also ends other words.
pub(super) fn assigned_shortly(context: &str, value: &str) -> bool {
    trailing_name(context).is_empty() && assigned_password(context, value)
}

/// A password of letters or digits alone: a word of a schema, a type, or an argument of a call is none.
pub(super) fn plain_password(context: &str, value: &str) -> bool {
    let line = context.rsplit('\n').next().unwrap_or_default();
    let digits = value.bytes().all(|byte| byte.is_ascii_digit());
    let lower = value.to_ascii_lowercase();
    digits
        || !line.contains('(')
            && !SCHEMA.contains(&lower.as_str())
            && !WORDS.iter().any(|word| lower.contains(word))
            && !is_invented(value)
}

/// The same behind a keyword so short that it also ends other words.
pub(super) fn plain_shortly(context: &str, value: &str) -> bool {
    trailing_name(context).is_empty() && plain_password(context, value)
}

/// What stands where nothing but a password can: in an address, after `curl -u`.
pub(super) fn placed(_: &str, value: &str) -> bool {
    !value.starts_with(['$', '%', '{', '<', '[', '(', '*'])
        && !WORDS.contains(&value.to_ascii_lowercase().as_str())
        && !is_invented(value)
        && value.bytes().any(|byte| byte.is_ascii_alphanumeric())
}

/// What stands behind a name after `-u`: of `curl` it is a password, of other programs it may be a group.
pub(super) fn user(context: &str, value: &str) -> bool {
    match context.contains("curl") {
        true => placed(context, value),
        false => assigned_password(context, value),
    }
}

/// What goes in an `Authorization` header.
pub(super) fn header(context: &str, value: &str) -> bool {
    placed(context, value) && !is_reference(value) && entropy(value) >= 2.5
}

/// A Korean resident registration number. Those given since October 2020 have no check digit.
pub(super) fn resident(_: &str, value: &str) -> bool {
    let digits: Vec<u32> = value.chars().filter_map(|c| c.to_digit(10)).collect();
    let number = |at: usize| digits[at] * 10 + digits[at + 1];
    if digits.len() != 13 {
        return false;
    }
    let (year, month, day) = (number(0), number(2), number(4));
    let of_this_century = matches!(digits[6], 3 | 4 | 7 | 8);
    let sum: u32 =
        digits.iter().zip([2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]).map(|(a, b)| a * b).sum();
    // Foreigners' numbers add two.
    let check = |plus: u32| (11 - sum % 11 + plus) % 10 == digits[12];
    let unchecked = of_this_century && (year, month) >= (20, 10);
    (1..=12).contains(&month) && (1..=31).contains(&day) && (unchecked || check(0) || check(2))
}

/// Code that names a value, a path or an address, and no value itself.
fn is_reference(value: &str) -> bool {
    let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts = ["$", "%", "{", "<", "@", "/", "./", "../", "~/", "&", "#{", "process.env", "os."];
    let within = ["${", "{{", "$(", "://", "::", "()", ".env", "->"];
    // `form.password1`, `settings.token2`, `self.secret_1`
    let chain = value.contains('.')
        && value.split('.').all(|part| {
            part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && part.chars().all(name)
        })
        && value
            .split('.')
            .any(|part| WORDS.iter().any(|word| part.to_ascii_lowercase().contains(word)));
    let lower = value.to_ascii_lowercase();
    // `user_password2`, and not `hunter2secret`: the names of variables have their digits at the end of a word.
    let mut words =
        lower.split('_').map(|part| part.trim_end_matches(|c: char| c.is_ascii_digit()));
    let variable = value.len() <= LONGEST_NAME
        && value.chars().all(name)
        && words.any(|part| {
            part.bytes().all(|byte| byte.is_ascii_alphabetic())
                && WORDS.iter().any(|word| part.contains(word))
        });
    starts.iter().any(|start| value.starts_with(start))
        || within.iter().any(|part| value.contains(part))
        || chain
        || variable
}

/// Words and numbers with something between: `jackson-0.11.2`.
fn is_slug(value: &str) -> bool {
    let mut parts = value.split(['-', '_', '.', '/', ':']).peekable();
    let pure = |part: &str| {
        part.bytes().all(|byte| byte.is_ascii_digit())
            || part.bytes().all(|byte| byte.is_ascii_lowercase())
            || part.bytes().all(|byte| byte.is_ascii_uppercase())
    };
    parts.next().is_some_and(|first| parts.peek().is_some() && pure(first)) && parts.all(pure)
}

fn is_invented(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    INVENTED.iter().any(|word| lower.contains(word))
}

/// The name that ends right where the keyword begins.
fn trailing_name(context: &str) -> &str {
    let name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let start = context.rfind(|c| !name(c)).map_or(0, |at| context.ceil_char_boundary(at + 1));
    &context[start..]
}
