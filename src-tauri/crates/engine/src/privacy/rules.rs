//! What secrets look like. A rule is tried where one of its keywords stands; its pattern says what follows the keyword.

use super::doubt;

/// How the keyword of a rule stands in the text.
#[derive(Clone, Copy)]
pub(super) enum Begins {
    /// In any case, anywhere: a word that says that a secret follows. The pattern's group is the secret.
    Word,
    /// As written and not inside a word: how a secret begins.
    Token,
    /// As written, after so many characters that belong to the secret.
    After { least: usize, most: usize, of: fn(u8) -> bool },
}

/// One kind of secret.
pub(super) struct Rule {
    /// What stands in the mark.
    pub(super) name: &'static str,
    pub(super) begins: Begins,
    pub(super) keywords: &'static [&'static str],
    /// What follows the keyword; a group in it is the secret, else all of it with the keyword.
    pub(super) pattern: &'static str,
    /// Whether a match is a secret, given what stands before the keyword.
    pub(super) holds: fn(&str, &str) -> bool,
    /// Whether the secret spans lines.
    pub(super) lines: bool,
}

const fn token(
    name: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
) -> Rule {
    Rule { name, begins: Begins::Token, keywords, pattern, holds: doubt::key, lines: false }
}

const fn word(
    name: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
    holds: fn(&str, &str) -> bool,
) -> Rule {
    Rule { name, begins: Begins::Word, keywords, pattern, holds, lines: false }
}

const fn after(
    name: &'static str,
    (least, most, of): (usize, usize, fn(u8) -> bool),
    keywords: &'static [&'static str],
    pattern: &'static str,
) -> Rule {
    let begins = Begins::After { least, most, of };
    Rule { name, begins, keywords, pattern, holds: doubt::key, lines: false }
}

fn digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

fn hexadecimal(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

fn of_a_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._-".contains(&byte)
}

/// What stands between a name and its value: `"token": "`, `TOKEN=`, `token: String = "`, `<token>`, `토큰은 `.
macro_rules! assigned {
    () => {
        concat!(
            r#"(?:s|[_-]?(?:[0-9]{1,2}|value|string|VALUE|STRING|[Kk]ey|KEY))?\\?["'`\])]{0,2}"#,
            r#"(?:[ \t]{0,16}:[ \t]?&?(?:'static )?[A-Za-z]{2,12})??"#,
            r#"[ \t]{0,16}(?:=>|:=|=|:|>|는|은|가|이)[ \t]{0,16}"#
        )
    };
}

/// A value in quotes, or without up to where it has to end. No length is counted here: a pattern that counts to some
/// hundred is an automaton of that size, and every byte costs as much.
macro_rules! value {
    () => {
        concat!(
            r#"(?:"([^"\r\n]{4,})"|'([^'\r\n]{4,})'|`([^`\r\n]{4,})`"#,
            r#"|\\"([^"\\\r\n]{4,})\\"|\\?["'`]?([!#-&*+./0-:=?-Z^_a-z~-]{6,}))"#
        )
    };
}

/// A value of nothing but letters, or nothing but digits, where little else than a password can stand: right behind the
/// sign as in a file of the environment, at the end of a line, or a number.
macro_rules! plain {
    () => {
        concat!(
            r#"["'`]?(?:=([A-Za-z]{4,})(?:[\s;&]|$)|[ \t]?:[ \t]{0,2}([A-Za-z]{4,})[ \t]*(?:[\r\n]|$)"#,
            r#"|[ \t]?[:=][ \t]{0,2}["']?([0-9]{4,})(?-u:\b))"#
        )
    };
}

/// The rules; where two hold at the same place the earlier one is named.
pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "private-key",
        begins: Begins::Token,
        keywords: &["-----BEGIN"],
        pattern: concat!(
            r"[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----",
            // A header such as `Proc-Type: 4,ENCRYPTED`, lines of the key, and its short last line.
            r#"(?:(?:\\+[rn]|[ \t\r\n"'+,;|>#*])+[A-Za-z-]{4,20}: ?[^\r\n\\]{0,120})*"#,
            r#"(?:(?:\\+[rn]|[ \t\r\n"'+,;|>#*])*[A-Za-z0-9+/=]{16,})+"#,
            r#"(?:(?:(?:\\+[rn]|[ \t\r\n"'+,;|>#*])*[A-Za-z0-9+/=]{1,63})?"#,
            r#"(?:\\+[rn]|[ \t\r\n"'+,;|>#*])*-----END[ A-Z0-9]{0,60}-----)?"#
        ),
        holds: doubt::any,
        lines: true,
    },
    // Makers of models.
    token("anthropic-key", &["sk-ant-"], r"[a-z]{2,12}[0-9]{0,2}-[A-Za-z0-9_-]{32,}"),
    token("openai-key", &["sk-proj-", "sk-svcacct-", "sk-admin-"], r"[A-Za-z0-9_-]{20,}"),
    token("openrouter-key", &["sk-or-"], r"(?:v1-)?[A-Za-z0-9]{32,}"),
    token("openai-key", &["sk-"], r"[A-Za-z0-9]{32,}"),
    token("google-key", &["AIza"], r"[A-Za-z0-9_-]{35}"),
    token("google-token", &["ya29."], r"[A-Za-z0-9_-]{20,}"),
    token("google-secret", &["GOCSPX-"], r"[A-Za-z0-9_-]{24,}"),
    token("google-token", &["1//0"], r"[A-Za-z0-9_-]{40,}"),
    token("huggingface-token", &["hf_", "api_org_"], r"[A-Za-z0-9]{30,}"),
    token("groq-key", &["gsk_"], r"[A-Za-z0-9]{40,}"),
    token("xai-key", &["xai-"], r"[A-Za-z0-9]{60,}"),
    token("perplexity-key", &["pplx-"], r"[A-Za-z0-9]{40,}"),
    token("replicate-token", &["r8_"], r"[A-Za-z0-9]{36,}"),
    token("langsmith-key", &["lsv2_pt_", "lsv2_sk_"], r"[0-9a-f]{32}_[0-9a-f]{8,}"),
    token("pinecone-key", &["pcsk_"], r"[A-Za-z0-9_]{40,}"),
    // Places for code.
    token("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"[A-Za-z0-9]{36,}"),
    token("github-token", &["github_pat_"], r"[A-Za-z0-9_]{22,}"),
    token(
        "gitlab-token",
        &[
            "glpat-",
            "gldt-",
            "glrt-",
            "glcbt-",
            "glptt-",
            "glft-",
            "glimt-",
            "glagent-",
            "glsoat-",
            "gloas-",
            "glffct-",
            "GR1348941",
        ],
        r"[A-Za-z0-9_.-]{20,}",
    ),
    token("bitbucket-token", &["ATBB"], r"[A-Za-z0-9]{32,}"),
    token("atlassian-token", &["ATATT3", "ATCTT3"], r"[A-Za-z0-9_=-]{60,}"),
    token("npm-token", &["npm_"], r"[A-Za-z0-9]{36,}"),
    token("pypi-token", &["pypi-AgE"], r"[A-Za-z0-9_-]{80,}"),
    token("rubygems-key", &["rubygems_"], r"[0-9a-f]{48}"),
    token("docker-token", &["dckr_pat_", "dckr_oat_"], r"[A-Za-z0-9_-]{24,}"),
    token("artifactory-key", &["AKCp"], r"[A-Za-z0-9]{60,}"),
    token("sourcegraph-token", &["sgp_"], r"(?:[0-9a-fA-F]{16}_|local_)?[0-9a-fA-F]{40}"),
    token("pulumi-token", &["pul-"], r"[0-9a-f]{40}"),
    token("sentry-token", &["sntrys_", "sntryu_"], r"[A-Za-z0-9+/=_-]{40,}"),
    // Clouds.
    token("aws-key-id", &["AKIA", "ASIA", "ABIA", "ACCA"], r"[A-Z2-7]{16}(?-u:\b)"),
    token("aws-bedrock-key", &["ABSKQmVkcm9ja0FQSUtleS"], r"[A-Za-z0-9+/=]{80,}"),
    token("aws-bedrock-key", &["bedrock-api-key-"], r"[A-Za-z0-9+/=]{40,}"),
    word(
        "azure-key",
        &["AccountKey=", "SharedAccessKey="],
        r"([A-Za-z0-9+/]{40,}={0,2})",
        doubt::key,
    ),
    word("azure-signature", &["?sig=", "&sig="], r"([A-Za-z0-9%+/=]{40,})", doubt::key),
    after("azure-secret", (4, 4, of_a_token), &["Q~"], r"[A-Za-z0-9_.~-]{31,34}"),
    token("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], r"[0-9a-f]{64}"),
    token("databricks-token", &["dapi"], r"[0-9a-f]{32}(?:-[0-9])?"),
    token("fly-token", &["fo1_"], r"[A-Za-z0-9_-]{43}"),
    token("fly-token", &["fm1r_", "fm1a_", "fm2_"], r"[A-Za-z0-9+/=,_-]{80,}"),
    token("doppler-token", &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa."], r"[A-Za-z0-9._]{40,}"),
    token("vault-token", &["hvs.", "hvb.", "hvr."], r"[A-Za-z0-9_-]{24,}"),
    after("terraform-token", (14, 14, of_a_token), &[".atlasv1."], r"[A-Za-z0-9_=-]{60,}"),
    token("supabase-key", &["sbp_", "sb_secret_"], r"[A-Za-z0-9_-]{20,}"),
    token(
        "planetscale-secret",
        &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"],
        r"[A-Za-z0-9_.-]{32,}",
    ),
    token("grafana-token", &["glc_"], r"[A-Za-z0-9+/=]{40,}"),
    token("grafana-token", &["glsa_"], r"[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}"),
    token("newrelic-key", &["NRAK-"], r"[A-Z0-9]{27}"),
    // Messages and mail.
    Rule {
        holds: doubt::numbered,
        ..token(
            "slack-token",
            &[
                "xoxb-",
                "xoxp-",
                "xoxa-",
                "xoxr-",
                "xoxs-",
                "xoxc-",
                "xoxd-",
                "xoxe-",
                "xapp-",
                "xoxe.xoxp-",
                "xoxe.xoxb-",
            ],
            r"[A-Za-z0-9-]{20,}",
        )
    },
    word(
        "slack-webhook",
        &["hooks.slack.com/"],
        r"((?:services|workflows|triggers)/[A-Za-z0-9/]{20,})",
        doubt::key,
    ),
    word("discord-webhook", &["/api/webhooks/"], r"[0-9]{17,20}/([A-Za-z0-9_-]{60,})", doubt::key),
    Rule {
        holds: doubt::mixed,
        ..token(
            "discord-token",
            &["M", "N", "O"],
            r"[A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}",
        )
    },
    after("telegram-token", (8, 10, digit), &[":AA"], r"[A-Za-z0-9_-]{32,33}"),
    after("facebook-token", (15, 16, digit), &["|"], r"[A-Za-z0-9_-]{27,40}"),
    Rule { holds: doubt::mixed, ..token("facebook-token", &["EAA"], r"[A-Za-z0-9]{100,}") },
    token("sendgrid-key", &["SG."], r"[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{32,}"),
    token("mailgun-key", &["key-"], r"[0-9a-f]{32}"),
    after("mailchimp-key", (32, 32, hexadecimal), &["-us"], r"[0-9]{1,2}"),
    token("brevo-key", &["xkeysib-"], r"[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    token("twilio-key", &["SK"], r"[0-9a-f]{32}"),
    // Money and shops.
    token(
        "stripe-key",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"],
        r"[A-Za-z0-9]{16,}",
    ),
    token("square-token", &["sq0atp-", "sq0csp-"], r"[A-Za-z0-9_-]{22,}"),
    token("shopify-token", &["shpat_", "shpca_", "shppa_", "shpss_"], r"[0-9a-fA-F]{32}"),
    token("toss-key", &["live_sk_", "test_sk_", "live_gsk_", "test_gsk_"], r"[A-Za-z0-9]{20,}"),
    // Tools.
    token("notion-token", &["ntn_"], r"[0-9]{11}[A-Za-z0-9]{32,35}(?-u:\b)"),
    token("linear-key", &["lin_api_"], r"[A-Za-z0-9]{40,}"),
    token("figma-token", &["figd_"], r"[A-Za-z0-9_-]{40,}"),
    token("airtable-token", &["pat"], r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    token("postman-key", &["PMAK-"], r"[0-9a-f]{24}-[0-9a-f]{34}"),
    token("1password-token", &["ops_eyJ"], r"[A-Za-z0-9+/=_-]{80,}"),
    token("intra42-secret", &["s-s4t2ud-", "s-s4t2af-"], r"[0-9a-f]{64}"),
    token("age-key", &["AGE-SECRET-KEY-1"], r"[0-9A-Z]{58}"),
    token("jwt", &["eyJ"], r"[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?"),
    // Whatever says that it is one.
    word(
        "authorization",
        &["authorization"],
        r#"\\?["']?[ \t]{0,8}[:=,][ \t]{0,8}\\?["']?(?:[A-Za-z]{3,10}[ \t]{1,4})?([A-Za-z0-9._~+/=:-]{8,})"#,
        doubt::header,
    ),
    word("bearer", &["bearer"], r"[ \t]{1,4}([A-Za-z0-9._~+/=-]{16,})", doubt::assigned_key),
    word(
        "url-password",
        &["://"],
        r#"[^ \t\r\n:/@"'<>\[\]]{0,64}:([^ \t\r\n/@"'<>\[\]]{3,})@"#,
        doubt::placed,
    ),
    word(
        "password",
        &["-u ", "--user "],
        r#"[ \t]{0,4}["']?[^ \t\r\n:"'$<\[{]{0,64}:["']?([^ \t\r\n"']{4,})"#,
        doubt::user,
    ),
    word(
        "password",
        &["--password", "--passwd", "--passphrase"],
        concat!(r"[ =]{1,2}", value!()),
        doubt::assigned_password,
    ),
    word(
        "password",
        &["password", "passwd", "passphrase", "pwd", "비밀번호", "비번", "암호", "패스워드"],
        concat!(assigned!(), value!()),
        doubt::assigned_password,
    ),
    word("password", &["pw"], concat!(assigned!(), value!()), doubt::assigned_shortly),
    word(
        "password",
        &["password", "passwd", "passphrase", "pwd", "비밀번호", "비번", "암호", "패스워드"],
        plain!(),
        doubt::plain_password,
    ),
    word("password", &["pw"], plain!(), doubt::plain_shortly),
    word("secret", &["secret", "시크릿"], concat!(assigned!(), value!()), doubt::assigned_key),
    word("token", &["--token", "--api-key"], concat!(r"[ =]{1,2}", value!()), doubt::assigned_key),
    word("token", &["token", "토큰"], concat!(assigned!(), value!()), doubt::assigned_key),
    word(
        "api-key",
        &[
            "apikey",
            "api_key",
            "api-key",
            "api key",
            "api 키",
            "auth_key",
            "access_key",
            "access-key",
            "accesskey",
            "secret_key",
            "secretkey",
            "secret-key",
            "private_key",
            "signing_key",
            "encryption_key",
            "master_key",
            "account_key",
            "accountkey",
        ],
        concat!(assigned!(), value!()),
        doubt::assigned_key,
    ),
    Rule {
        holds: doubt::resident,
        ..after(
            "resident-number",
            (6, 6, digit),
            &["-1", "-2", "-3", "-4", "-5", "-6", "-7", "-8"],
            r"[0-9]{6}(?-u:\b)",
        )
    },
];
