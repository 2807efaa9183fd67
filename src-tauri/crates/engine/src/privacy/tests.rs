//! The samples are put together here, so that no scanner takes this file for one that leaks.

use proptest::prelude::*;
use rstest::rstest;

use super::*;

const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// `count` characters out of these, the same for the same seed, spread like a key's.
fn drawn(of: &str, count: usize, seed: u64) -> String {
    let all: Vec<char> = of.chars().collect();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        all[(state >> 33) as usize % all.len()]
    };
    (0..count).map(|_| next()).collect()
}

fn letters(count: usize, seed: u64) -> String {
    drawn(LETTERS, count, seed)
}

fn hex(count: usize, seed: u64) -> String {
    drawn("0123456789abcdef", count, seed)
}

fn digits(count: usize, seed: u64) -> String {
    drawn("123456789", count, seed)
}

/// A made-up secret of each kind, in the words around it; the secret stands between `«` and `»`.
fn samples(seed: u64) -> Vec<(&'static str, String)> {
    let key = |begin: &str, count| format!("use «{begin}{}» here", letters(count, seed));
    let hexed = |begin: &str, count| format!("use «{begin}{}» here", hex(count, seed));
    let password = format!("{}1!{}", letters(5, seed), letters(4, seed + 1));
    let pem = format!("-----{} RSA PRIVATE KEY-----", "BEGIN");
    let lines = [64, 64, 20].map(|count| letters(count, seed + count as u64)).join("\n");
    vec![
        ("private-key", format!("a\n«{pem}\n{lines}\n-----END RSA PRIVATE KEY-----»\nb")),
        ("anthropic-key", key(&format!("sk-{}-api03-", "ant"), 95)),
        ("openai-key", key(&format!("sk-{}-", "proj"), 48)),
        ("openai-key", key("sk-", 48)),
        ("google-key", key("AIza", 35)),
        ("huggingface-token", key("hf_", 34)),
        ("github-token", key("ghp_", 36)),
        ("github-token", key(&format!("github_{}_", "pat"), 82)),
        ("gitlab-token", key("glpat-", 20)),
        ("npm-token", key("npm_", 36)),
        ("pypi-token", key("pypi-AgE", 150)),
        ("aws-key-id", format!("«AKIA{}»", drawn("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16, seed))),
        ("azure-secret", format!("(«{}8Q~{}»)", letters(3, seed), letters(33, seed))),
        ("azure-key", format!("AccountKey=«{}==»;x", letters(86, seed))),
        ("slack-token", format!("«xoxb-{}-{}»", digits(12, seed), letters(24, seed))),
        (
            "discord-token",
            format!("«MT{}.{}.{}»", letters(23, seed), letters(6, seed), letters(30, seed)),
        ),
        ("telegram-token", format!("bot «{}:AA{}»", digits(9, seed), letters(33, seed))),
        ("sendgrid-key", format!("«SG.{}.{}»", letters(22, seed), letters(43, seed))),
        ("stripe-key", key(&format!("sk_{}_", "live"), 24)),
        ("databricks-token", hexed("dapi", 32)),
        (
            "jwt",
            format!("«eyJ{}.eyJ{}.{}»", letters(20, seed), letters(40, seed), letters(43, seed)),
        ),
        ("bearer", format!("curl -H 'Bearer «a1{}»'", letters(30, seed))),
        ("authorization", format!("Authorization: Basic «{}1=»", letters(20, seed))),
        ("url-password", format!("postgres://app:«{password}»@db.internal:5432/app")),
        ("password", format!("DB_PASSWORD=\"«{password}»\"")),
        ("password", format!("비밀번호는 «{password}» 이고")),
        ("password", format!("Server=db;User Id=sa;Password=«{password}»;Encrypt=true")),
        ("password", format!("password=«{}2secret»", letters(6, seed).to_lowercase())),
        ("password", format!("pw: «{password}»\n- next")),
        ("password", format!("암호는 «{password}»")),
        ("password", format!("curl -sS -u ada:«{password}» https://api")),
        ("api-key", format!("api_key: '«{}7»'", letters(32, seed))),
        ("token", format!("{{\"access_token\": \"«9{}»\"}}", letters(32, seed))),
        ("secret", format!("CLIENT_SECRET=«{}3x»", letters(24, seed))),
        ("resident-number", format!("주민등록번호 «{}» 입니다", resident(seed))),
    ]
}

/// A number of somebody who does not exist, with its check digit.
fn resident(seed: u64) -> String {
    let digits: Vec<u32> =
        format!("8{}0{}1{}1{}", seed % 10, 1 + seed % 9, seed % 10, 10_000 + seed % 80_000)
            .chars()
            .filter_map(|c| c.to_digit(10))
            .collect();
    let sum: u32 =
        digits.iter().zip([2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]).map(|(a, b)| a * b).sum();
    let text: String = digits.iter().chain(&[(11 - sum % 11) % 10]).map(u32::to_string).collect();
    format!("{}-{}", &text[..6], &text[6..])
}

#[test]
fn every_rule_has_a_pattern_that_can_be_read() {
    assert_eq!(scan::unreadable_rules(), Vec::<&str>::new());
}

/// Looking for a group walks through all of an automaton for each byte.
#[test]
fn no_pattern_with_a_group_is_an_automaton_that_makes_bytes_dear() {
    assert_eq!(scan::rules_larger_than(96 * 1024), Vec::<&str>::new());
}

/// Keywords over and over, each led on by the next one.
#[rstest]
#[case("accountkey=")]
#[case("accountkey=secret_key=")]
#[case("token=")]
#[case("token1=")]
#[case("password=\"")]
#[case("pwd='a1")]
#[case("-sk-proj-aaaaaaaaaaaa")]
#[case("-eyJaaaaaaaaaaa.")]
#[case("://a:")]
#[case("authorization: ")]
#[case("0123456789abcdef0123456789abcdef-us")]
fn what_a_text_takes_grows_with_its_length_alone(#[case] unit: &str) {
    let work = |bytes: usize| scan::work(&unit.repeat(bytes / unit.len()));
    let (some, more) = (work(32 * 1024), work(128 * 1024));
    assert!(more <= 5 * some, "{some} for 32 KiB, {more} for 128 KiB");
    assert!(more <= 32 * 128 * 1024, "{more} for 128 KiB");
}

#[test]
fn long_values_are_redacted_to_their_end() {
    for length in [200, 300, 3_000] {
        let value = letters(length, 5);
        for text in [format!("token=7{value}"), format!("{{\"token\": \"7{value}\"}}")] {
            let clean = Redactor::always().redact(&text).text.into_owned();
            assert!(!clean.contains(&value[length - 20..]), "{clean}");
        }
    }
}

#[test]
fn made_up_secrets_are_redacted_whole_and_nothing_beside_them() {
    let mut missed = Vec::new();
    let seeds = 1..=20;
    let all: Vec<_> = seeds.flat_map(samples).collect();
    for (rule, sample) in &all {
        let (before, rest) = sample.split_once('«').unwrap();
        let (secret, after) = rest.split_once('»').unwrap();
        let text = format!("{before}{secret}{after}");
        let lines = "\n".repeat(secret.matches('\n').count());
        let expected = format!("{before}[redacted: {rule}]{lines}{after}");
        if Redactor::always().redact(&text).text != expected {
            missed.push(format!("{text} → {}", Redactor::always().redact(&text).text));
        }
    }
    // A drawn key may look too regular to be one, now and then.
    assert!(missed.len() * 50 <= all.len(), "{} of {}: {missed:#?}", missed.len(), all.len());
}

/// behaviour.md, Privacy: no secrets. People choose passwords of letters or digits alone, too.
#[rstest]
#[case("password=correcthorse", "password=[redacted: password]")]
#[case("PASSWORD=letmein\nPORT=5433", "PASSWORD=[redacted: password]\nPORT=5433")]
#[case("password=12345678", "password=[redacted: password]")]
#[case("pw: qwerty", "pw: [redacted: password]")]
#[case("pw: hunter2", "pw: [redacted: password]")]
#[case("비밀번호: qwerty", "비밀번호: [redacted: password]")]
#[case("비밀번호: 1234", "비밀번호: [redacted: password]")]
#[case("암호는 hunter2입니다", "암호는 [redacted: password]입니다")]
#[case("password: string\npasswd: required", "password: string\npasswd: required")]
#[case("login(user=name, password=typed )", "login(user=name, password=typed )")]
#[case("Password: users must choose one", "Password: users must choose one")]
#[case("비밀번호: 열두 자 이상", "비밀번호: 열두 자 이상")]
#[case("hpw: bcdef", "hpw: bcdef")]
fn plain_passwords_are_redacted_and_words_about_them_stay(
    #[case] text: &str,
    #[case] expected: &str,
) {
    assert_eq!(Redactor::always().redact(text).text, expected);
}

#[rstest]
#[case("let password_hash = hash(&config.token);")]
#[case("password: string; token: String, secret: Vec<u8>")]
#[case("api_key = os.environ['OPENAI_API_KEY']")]
#[case("token=${TOKEN} secret=$(pass show x) password={{ db_password }}")]
#[case("curl -u user:password https://example.org/")]
#[case("postgres://user:password@localhost/app")]
#[case("key = AKIAXXXXXXXXXXXXXXXX")]
#[case("npm i jsonwebtoken:jackson-0.11.2 max_tokens: 4096")]
#[case("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")]
#[case("비밀번호는 열두 자 이상이어야 해요. 토큰: 3,000개")]
#[case("다음 번호는 900101-1234567 이 아니에요")]
#[case("2026-11-22 id 0190f2a4-7c1e-7d3a-9b8e-1f2a3b4c5d6e")]
#[case("password: user_password2, pw = dbPassword1; let hpw = b2c3d4e5; oauth2_token=form.token2")]
#[case("nextPageToken: \"CAUQAA1x9Zk3Lw2v\"")]
fn ordinary_words_stay(#[case] text: &str) {
    assert_eq!(Redactor::always().redact(text).found, []);
}

/// behaviour.md, Privacy: `sanitizeSecrets` is on unless the person says otherwise.
#[test]
fn privacy_switched_off_it_changes_nothing() {
    assert!(PrivacySettings::default().sanitize_secrets);
    let off = PrivacySettings { sanitize_secrets: false, ..PrivacySettings::default() };
    for (_, sample) in samples(3) {
        let text = sample.replace(['«', '»'], "");
        assert_eq!(Redactor::new(&off).redact(&text).text, text);
    }
}

#[test]
fn marks_name_their_rules_once() {
    let text = "[redacted: jwt] [redacted: jwt] [redacted: url-password] [redacted: my own]";
    assert_eq!(marks(text), ["jwt", "url-password"]);
}

proptest! {
    #[test]
    fn a_redacted_text_has_nothing_more_to_redact_and_the_rest_is_as_it_was(
        pieces in prop::collection::vec((0_usize..60, 0_u64..500, "[ \n=:\"'@/a-z가-힣-]{0,6}"), 0..12),
    ) {
        let mut text = String::new();
        for (which, seed, between) in pieces {
            let all = samples(seed);
            let words = ["password=", "token: \"", "Bearer ", "[redacted: jwt]", "://a:", "-----BEGIN"];
            match all.get(which) {
                Some((_, sample)) => text.push_str(&sample.replace(['«', '»'], "")),
                None => text.push_str(words[which % words.len()]),
            }
            text.push_str(&between);
        }
        let once = Redactor::always().redact(&text);
        prop_assert_eq!(&Redactor::always().redact(&once.text).text, &once.text);
        let mut rest = once.text.as_ref();
        let mut at = 0;
        for Found { rule, range } in &once.found {
            let plain = &text[at..range.start];
            prop_assert!(rest.starts_with(plain));
            let lines = "\n".repeat(text[range.clone()].matches('\n').count());
            let mark = format!("[redacted: {rule}]{lines}");
            prop_assert!(rest[plain.len()..].starts_with(&mark));
            rest = &rest[plain.len() + mark.len()..];
            at = range.end;
        }
        prop_assert_eq!(rest, &text[at..]);
    }
}
