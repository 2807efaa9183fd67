//! What secrets look like, and what only looks like one. All of it is drawn by chance, so that no scanner takes these
//! files for ones that leak, and nobody's real key is among it.
//!
//! A form has stretches in braces: `{a36}` is 36 letters and digits, `{h}` hexadecimal, `{H}` the same in capitals, `{d}`
//! digits, `{u}` capitals and the digits 2 to 7, `{U}` capitals and all digits, `{l}` small letters and digits, `{b}` of
//! base64, `{w}` of base64 for addresses.

use crate::chance::Chance;

/// Who gives out keys, and what they look like: `«` and `»` stand where a secret begins and ends.
pub const MAKERS: [(&str, &str); 64] = [
    ("Anthropic", "«sk-ant-api03-{w95}»"),
    ("Anthropic, administrators", "«sk-ant-admin01-{w95}»"),
    ("OpenAI, projects", "«sk-proj-{w48}»"),
    ("OpenAI, older", "«sk-{a48}»"),
    ("OpenAI, services", "«sk-svcacct-{w60}»"),
    ("OpenRouter", "«sk-or-v1-{h64}»"),
    ("Google", "«AIza{w35}»"),
    ("Google, clients", "«GOCSPX-{w28}»"),
    ("Google, access", "«ya29.{w80}»"),
    ("Hugging Face", "«hf_{a34}»"),
    ("Groq", "«gsk_{a52}»"),
    ("xAI", "«xai-{a80}»"),
    ("Perplexity", "«pplx-{a48}»"),
    ("Replicate", "«r8_{a37}»"),
    ("LangSmith", "«lsv2_pt_{h32}_{h10}»"),
    ("GitHub, personal", "«ghp_{a36}»"),
    ("GitHub, OAuth", "«gho_{a36}»"),
    ("GitHub, apps", "«ghs_{a36}»"),
    ("GitHub, fine-grained", "«github_pat_{a22}_{a59}»"),
    ("GitLab, personal", "«glpat-{w20}»"),
    ("GitLab, deploying", "«gldt-{w20}»"),
    ("Bitbucket", "«ATBB{a32}»"),
    ("Atlassian", "«ATATT3{w180}»"),
    ("npm", "«npm_{a36}»"),
    ("PyPI", "«pypi-AgEIcHlwaS5vcmc{w120}»"),
    ("RubyGems", "«rubygems_{h48}»"),
    ("Docker", "«dckr_pat_{w27}»"),
    ("Artifactory", "«AKCp{a69}»"),
    ("Pulumi", "«pul-{h40}»"),
    ("Sentry", "«sntrys_{b80}»"),
    ("AWS, ids", "«AKIA{u16}»"),
    ("AWS, secrets", "aws_secret_access_key = «{b40}»"),
    ("Azure, storage", "AccountKey=«{b86}==»;EndpointSuffix=core"),
    ("Azure, clients", "client_secret: \"«{a3}8Q~{w34}»\""),
    ("DigitalOcean", "«dop_v1_{h64}»"),
    ("Databricks", "«dapi{h32}»"),
    ("Fly", "«fo1_{w43}»"),
    ("Doppler", "«dp.pt.{a43}»"),
    ("Vault", "«hvs.{w90}»"),
    ("Terraform", "«{a14}.atlasv1.{w64}»"),
    ("Supabase", "«sbp_{h40}»"),
    ("PlanetScale", "«pscale_tkn_{w43}»"),
    ("Grafana", "«glsa_{a32}_{h8}»"),
    ("New Relic", "«NRAK-{U27}»"),
    ("Slack, bots", "«xoxb-{d12}-{d12}-{a24}»"),
    ("Slack, people", "«xoxp-{d12}-{d12}-{d12}-{h32}»"),
    ("Slack, hooks", "https://hooks.slack.com/«services/T{U8}/B{U10}/{a24}»"),
    ("Discord", "«MT{a23}.{w6}.{w30}»"),
    ("Telegram", "«{d9}:AA{w33}»"),
    ("SendGrid", "«SG.{w22}.{w43}»"),
    ("Mailgun", "«key-{h32}»"),
    ("Twilio", "«SK{h32}»"),
    ("Stripe", "«sk_live_{a24}»"),
    ("Stripe, restricted", "«rk_live_{a24}»"),
    ("Square", "«sq0atp-{w22}»"),
    ("Shopify", "«shpat_{h32}»"),
    ("Toss", "«live_sk_{a30}»"),
    ("Notion", "«ntn_{d11}{a35}»"),
    ("Linear", "«lin_api_{a40}»"),
    ("Figma", "«figd_{w40}»"),
    ("Postman", "«PMAK-{h24}-{h34}»"),
    ("1Password", "«ops_eyJ{w250}»"),
    ("age", "«AGE-SECRET-KEY-1{U58}»"),
    ("JWT", "«eyJ{w33}.eyJ{w90}.{w43}»"),
];

/// What says by itself that a secret follows.
pub const SAID: [&str; 16] = [
    "DB_PASSWORD=\"«{l5}!{a5}7»\"",
    "password: «{l4}${a6}9»",
    "비밀번호는 «{l6}!{d3}» 이에요",
    "postgres://app:«{a12}!7»@db.internal:5432/app",
    "redis://:«{a16}x7»@cache:6379/0",
    "Server=db;User Id=sa;Password=«{l4}#{a5}8»;Encrypt=true",
    "curl -sS -u ada:«{l4}!{a6}3» https://api",
    "Authorization: Bearer «{w40}7a»",
    "curl -H 'Authorization: Basic «{b30}1=»'",
    "api_key: '«{a31}7»'",
    "apiKey=\"«{a31}7»\"",
    "{\"access_token\": \"«9{a31}»\"}",
    "CLIENT_SECRET=«{a24}3x»",
    "export TOKEN=«{a32}4b»",
    "토큰: «{a32}4b»",
    "mysql --password=«{l5}!{a4}2» app",
];

/// What surrounds a key.
pub const AROUND: [(&str, &str); 8] = [
    ("", ""),
    ("export KEY=", "\n"),
    ("  \"key\": \"", "\",\n"),
    ("It is `", "`, they said."),
    ("curl -H 'X-Key: ", "' https://api"),
    ("키는 ", " 이에요."),
    ("key: ", "\nother: 1\n"),
    ("<key>", "</key>"),
];

/// What looks like a secret and is none.
pub const NONE: [&str; 48] = [
    "let password_hash = hash(&config.{l6});",
    "password: string; token: String, secret: Vec<u8>",
    "api_key = os.environ['{U8}_API_KEY']",
    "token=${TOKEN_{U4}} secret=$(pass show {l5}) password={{ db_password }}",
    "curl -u user:password https://example.org/{l6}",
    "postgres://user:password@localhost/{l5}",
    "key = AKIAXXXXXXXXXXXXXXXX",
    "max_tokens: {d4}, token_count = {d3}",
    "sha256:{h64}",
    "\"integrity\": \"sha512-{b86}==\"",
    "commit {h40}",
    "index {h7}..{h7} 100644",
    "id 0190{h4}-{h4}-7{h3}-9{h3}-{h12}",
    "비밀번호는 열두 자 이상이어야 해요. 토큰: {d1},{d3}개",
    "data:image/png;base64,{b200}",
    "<path d=\"M{d2}.{d2} {d1}.{d2}L{d2} {d2}Z\"/>",
    "checksum = \"{h64}\"",
    "nextPageToken: \"{w24}\"",
    "<input type=\"password\" name=\"password\" id=\"{l6}\">",
    "csrf_token: \"{{ csrf_token() }}\"",
    "if (user.password !== form.password{d1}) return;",
    "fn token(&self) -> Option<&str> {{ self.token.as_deref() }}",
    "const SECRET_NAME = 'projects/{l8}/secrets/{l6}'",
    "See https://docs.example.com/auth/token?lang={l2}#{l8}",
    "API_KEY=your_api_key_here",
    "password: ********",
    "token: <your token>",
    "secret: changeme",
    "passwordPolicy.minLength={d2}",
    "rgba({d2}, {d2}, {d2}, 0.{d1}) #{h6}",
    "{h2}:{h2}:{h2}:{h2}:{h2}:{h2}",
    "192.168.{d2}.{d2}:{d4}",
    "uses: actions/checkout@{h40}",
    "MIT License (c) {d4}",
    "npm i jsonwebtoken@{d1}.{d1}.{d1} jackson-{d1}.{d2}.{d1}",
    "tokenize(text: &str) -> Vec<Token>",
    "the secret of {l7} is patience, and a token of thanks",
    "다음 번호는 900101-1234567 이 아니에요",
    "2026-11-{d2}T10:{d2}:00Z ERROR {h8} request {h16}",
    "password = getpass.getpass('Password for {l5}: ')",
    "- [ ] rotate the api key of {l6}",
    "AuthToken: typeof window.__{l6}",
    "secretName: {l5}-tls",
    "-----BEGIN CERTIFICATE-----\n{b64}\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\n{b64}\n-----END PUBLIC KEY-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43} me@home",
    "\"resolved\": \"https://registry.npmjs.org/{l6}/-/{l6}-{d1}.{d1}.tgz\"",
    "keyring: {l6}, keyboard: {l4}, monkey={l8}",
];

/// A form with its stretches drawn.
pub fn drawn(form: &str, chance: &mut Chance) -> String {
    let mut text = String::new();
    let mut rest = form;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let stretch = after.split_once('}').and_then(|(inside, after)| {
            let letters = letters(inside.chars().next()?)?;
            Some((letters, inside.get(1..)?.parse::<usize>().ok()?, after))
        });
        match stretch {
            Some((letters, many, after)) => {
                text.extend((0..many).filter_map(|_| chance.pick(letters).map(|b| char::from(*b))));
                rest = after;
            }
            None => {
                text.push('{');
                rest = after;
            }
        }
    }
    text + rest
}

fn letters(of: char) -> Option<&'static [u8]> {
    const BASE: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const WEB: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    Some(match of {
        'a' => &BASE[..62],
        'b' => BASE,
        'w' => WEB,
        'h' => b"0123456789abcdef",
        'H' => b"0123456789ABCDEF",
        'd' => b"123456789",
        'u' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        'U' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        'l' => b"abcdefghijklmnopqrstuvwxyz0123456789",
        _ => return None,
    })
}
