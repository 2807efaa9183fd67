//! What can be wrong with an answer, each with what has to be seen of it and how it has to end.

use std::time::Duration;

use siltstone_engine::provider::ProviderKind;

use super::said::{Reason, Said, framed, has_events, text, written};
use super::server::{Act, Answer, Ends};

/// How long the client under test waits for what stalls. What was sent before arrives within it on any machine.
pub const IDLE: Duration = Duration::from_secs(10);

/// The ends that a reply may come to: the code of an error, or this.
pub const FINISHED: &str = "finished";

const CUT: &[&str] = &["reply_cut"];
const MALFORMED: &[&str] = &["provider_malformed"];
const WHOLE: &[&str] = &[FINISHED];
const EITHER: &[&str] = &[FINISHED, "reply_cut", "provider_malformed"];
const NO_ANSWER: &[&str] = &["reply_cut", "provider_unreachable", "provider_malformed"];

/// A broken answer.
pub struct Fault {
    /// What is wrong with it.
    pub name: String,
    /// What the server does.
    pub answer: Answer,
    /// What is seen of it.
    pub shown: String,
    /// Whether more than that may be seen.
    pub or_more: bool,
    /// The ends that it may come to.
    pub ends: &'static [&'static str],
    /// How often it is asked for.
    pub asked: usize,
}

impl Fault {
    /// Whether this is what has to be seen.
    pub fn shows(&self, text: &str) -> bool {
        if self.or_more { text.starts_with(&self.shown) } else { text == self.shown }
    }

    /// Whether it goes on until the client looks at its clock.
    pub fn stalls(&self) -> bool {
        self.answer.acts.iter().any(|act| matches!(act, Act::Stall))
    }
}

/// The faults of one wire format.
pub struct Faults {
    kind: ProviderKind,
    /// The first half of a reply, its second half, and its end.
    first: Vec<Said>,
    second: Vec<Said>,
    end: Vec<Said>,
    all: Vec<Fault>,
}

impl Faults {
    /// Every fault of a format.
    pub fn of(kind: ProviderKind) -> Vec<Fault> {
        let said = |words: &str| Said::Text(words.to_owned());
        let mut faults = Self {
            kind,
            first: vec![Said::Start, Said::Thought("흠…".to_owned()), said("어제 "), said("🪨 ")],
            second: vec![said("it was\n"), said("5433.")],
            end: vec![Said::Finish(Reason::Stop), Said::Done],
            all: Vec::new(),
        };
        faults.cuts();
        faults.events();
        faults.json();
        faults.calls();
        faults.sizes();
        faults.http();
        faults.statuses();
        faults.all
    }

    fn add(&mut self, name: &str, answer: Answer, shown: &str, ends: &'static [&'static str]) {
        let (name, shown) = (name.to_owned(), shown.to_owned());
        self.all.push(Fault { name, answer, shown, or_more: false, ends, asked: 1 });
    }

    fn or_more(&mut self) {
        if let Some(last) = self.all.last_mut() {
            last.or_more = true;
        }
    }

    fn refused(&mut self, name: &str, answer: Answer, ends: &'static [&'static str], asked: usize) {
        self.add(name, answer, "", ends);
        if let Some(last) = self.all.last_mut() {
            last.asked = asked;
        }
    }

    fn bytes(&self, said: &[Said]) -> String {
        said.iter().map(|said| written(self.kind, said)).collect()
    }

    fn first(&self) -> String {
        self.bytes(&self.first)
    }

    fn second(&self) -> String {
        self.bytes(&self.second)
    }

    fn end(&self) -> String {
        self.bytes(&self.end)
    }

    fn whole(&self) -> String {
        self.first() + &self.second() + &self.end()
    }

    fn half_text(&self) -> String {
        text(&self.first)
    }

    fn whole_text(&self) -> String {
        text(&self.first) + &text(&self.second)
    }

    fn media(&self) -> &'static str {
        if has_events(self.kind) { "text/event-stream" } else { "application/x-ndjson" }
    }

    fn ok(&self, body: &[u8], ends: Ends) -> Answer {
        Answer::of("200 OK", self.media(), &[body], ends)
    }

    /// A good reply with this between its halves.
    fn between(&self, middle: &str) -> Answer {
        let body = self.first() + middle + &self.second() + &self.end();
        self.ok(body.as_bytes(), Ends::Chunked)
    }

    /// One more event of this JSON between the halves of a good reply.
    fn with_event(&self, json: &str) -> Answer {
        self.between(&framed(self.kind, json))
    }

    fn cuts(&mut self) {
        let (first, half) = (self.first(), self.half_text());
        let (second, whole) = (self.second(), self.whole_text());
        let torn = first.clone() + second.get(..12).unwrap_or_default();
        for (how, ends) in [("closes", Ends::Close), ("ends", Ends::Chunked), ("tears", Ends::Torn)]
        {
            let body = |body: &str| self.ok(body.as_bytes(), ends);
            let answers = [
                ("in a line", body(&torn), half.as_str()),
                ("between two events", body(&first), &half),
                ("before the reason to finish", body(&(first.clone() + &second)), &whole),
                ("before the first byte", body(""), ""),
                ("after blank lines", body("\n\n\r\n\n"), ""),
            ];
            for (place, answer, shown) in answers {
                self.add(&format!("{how} {place}"), answer, shown, CUT);
            }
            let finish = written(self.kind, &Said::Finish(Reason::Stop));
            let answer = self.ok((first.clone() + &second + &finish).as_bytes(), ends);
            self.add(&format!("{how} after the reason to finish"), answer, &whole, WHOLE);
        }
        let stalled = Answer { stays: false, ..self.ok(first.as_bytes(), Ends::Torn) };
        let stalled = stalled.then(Act::Stall);
        self.add("stalls in its middle", stalled, &half, &["provider_timed_out"]);
        let slowly = |pause: Duration| {
            let mut answer = self.ok(first.as_bytes(), Ends::Close);
            for piece in [second.as_bytes(), self.end().as_bytes()] {
                answer = answer.then(Act::Wait(pause)).then(Act::Send(piece.to_vec()));
            }
            answer
        };
        self.add("is slow, but not too slow", slowly(Duration::from_millis(700)), &whole, WHOLE);
        let finished = self.whole();
        let hangs = Answer { stays: false, ..self.ok(finished.as_bytes(), Ends::Torn) };
        self.add("stalls after its end", hangs.then(Act::Stall), &whole, WHOLE);
    }

    fn events(&mut self) {
        if !has_events(self.kind) {
            return;
        }
        let (whole, body) = (self.whole_text(), self.whole());
        let sent = |body: String| self.ok(body.as_bytes(), Ends::Chunked);
        let pings = ": ping\n\n".repeat(200);
        let lines = body.replace("data: {", "data: {\ndata: ");
        let good = [
            ("ends its lines with CR", sent(body.replace('\n', "\r"))),
            ("ends its lines with CR LF", sent(body.replace('\n', "\r\n"))),
            ("mixes its line ends", sent(body.replacen('\n', "\r\n", 3))),
            ("begins with a byte order mark", sent(format!("\u{feff}{body}"))),
            ("comments before", sent(pings.clone() + &body)),
            ("comments between", self.between(&pings)),
            ("names events that nobody knows", self.between("event: zap\ndata: {}\n\n")),
            ("has fields without a colon", self.between("data\n\nevent\n\n")),
            ("has a NUL in an id", self.between("id: a\0b\n\n")),
            ("wants to be asked again", self.between("retry: 1\nid: 7\n\n")),
            ("leaves the space out", sent(body.replace("data: ", "data:"))),
            ("breaks its JSON over lines", sent(lines)),
            ("sends blank data", self.between("data: \n\ndata:\n\n")),
        ];
        for (name, answer) in good {
            self.add(name, answer, &whole, WHOLE);
        }
    }

    fn json(&mut self) {
        let (whole, half) = (self.whole_text(), self.half_text());
        let deep = "[".repeat(100_000);
        let closed = deep.clone() + &"]".repeat(100_000);
        for (name, json) in [
            ("says what is no JSON", "{oops"),
            ("leaves an event unfinished", "{\"choices\":[{\"delta\":{\"content\":\"x"),
            ("nests without an end", deep.as_str()),
            ("nests too deeply", closed.as_str()),
            ("has a number that is none", "{\"usage\":NaN}"),
        ] {
            self.add(name, self.with_event(json), &whole, MALFORMED);
        }
        for (name, json) in [
            ("says null", "null"),
            ("says a number", "17"),
            ("says a word", "\"word\""),
            ("says an empty list", "[]"),
            ("says an empty object", "{}"),
            ("says empty lists", "{\"choices\":[],\"candidates\":[],\"content\":[]}"),
            (
                "counts below nothing",
                "{\"usage\":{\"prompt_tokens\":-1,\"input_tokens\":-9},\"usageMetadata\":{\"promptTokenCount\":-1}}",
            ),
            (
                "counts without end",
                "{\"usage\":{\"prompt_tokens\":18446744073709551615,\"completion_tokens\":1e308}}",
            ),
            (
                "speaks for the application",
                "{\"metadata\":{\"conversationId\":\"OTHER\"},\"execute\":\"alert(1)\"}",
            ),
            (
                "says numbers for words",
                "{\"choices\":[{\"delta\":{\"content\":7}}],\"message\":{\"content\":7},\"candidates\":[{\"content\":{\"parts\":[{\"text\":7}]}}],\"type\":\"content_block_delta\",\"delta\":{\"text\":7}}",
            ),
            (
                "says nothing for words",
                "{\"choices\":[{\"delta\":{\"content\":null}}],\"message\":{\"content\":null},\"candidates\":[{\"content\":null}]}",
            ),
            ("has an error that is none", "{\"error\":null}"),
            (
                "puts lists for objects",
                "{\"choices\":{\"0\":1},\"candidates\":7,\"message\":[],\"delta\":[]}",
            ),
        ] {
            self.add(name, self.with_event(json), &whole, WHOLE);
        }
        for (name, error, ends) in [
            (
                "says that it is overloaded",
                "{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}",
                &["provider_trouble"][..],
            ),
            (
                "says that it is asked too often",
                "{\"type\":\"rate_limit_error\",\"message\":\"slow\"}",
                &["rate_limited"],
            ),
            (
                "says that the key is wrong",
                "{\"code\":\"invalid_api_key\",\"message\":\"no\"}",
                &["key_refused"],
            ),
            ("fails in a word", "\"it went wrong\"", &["provider_trouble"]),
            ("fails without a word", "{}", &["provider_trouble"]),
        ] {
            let json = format!("{{\"type\":\"error\",\"error\":{error}}}");
            self.add(&format!("{name} in its middle"), self.with_event(&json), &half, ends);
        }
        let twice = self.bytes(&self.second[..1]).repeat(2);
        let shown = half + &text(&self.second[..1]).repeat(2) + &text(&self.second);
        self.add("says something three times", self.between(&twice), &shown, WHOLE);
        let lone = self.bytes(&[Said::Text("#".to_owned())]).replace('#', "\\ud83d");
        let answer = self.between(&lone);
        let before = self.half_text();
        self.add("has half a character escaped", answer, &before, EITHER);
        self.or_more();
        let mut broken = self.whole().into_bytes();
        if let Some(place) = broken.iter().position(|byte| *byte == 0xF0) {
            broken[place] = 0xFF;
        }
        let answer = self.ok(&broken, Ends::Chunked);
        self.add("has a byte that is no UTF-8", answer, "어제 ", EITHER);
        self.or_more();
    }

    fn calls(&mut self) {
        let half = self.half_text();
        let called = self.first() + &self.bytes(&[Said::HalfCall, Said::RestOfCall]);
        let half_call = self.first() + &self.bytes(&[Said::HalfCall]);
        for (how, ends) in [("ends", Ends::Chunked), ("tears", Ends::Torn)] {
            let cut = self.ok(half_call.as_bytes(), ends);
            let unfinished = self.ok(called.as_bytes(), ends);
            self.add(&format!("{how} in a call"), cut, &half, CUT);
            self.add(&format!("{how} after a call, before its end"), unfinished, &half, CUT);
        }
        let error = framed(self.kind, "{\"error\":{\"message\":\"gone\"}}");
        let answer = self.ok((called.clone() + &error).as_bytes(), Ends::Chunked);
        self.add("fails after a call", answer, &half, &["provider_trouble"]);
        let bad = framed(self.kind, "{oops");
        let ended = called + &self.bytes(&[Said::Finish(Reason::Tools), Said::Done]);
        let answer = self.ok((bad + &ended).as_bytes(), Ends::Chunked);
        self.add("calls in a reply with a hole", answer, &half, MALFORMED);
        let limited = [Said::Finish(Reason::Length), Said::Done];
        let answer = self.ok((half_call + &self.bytes(&limited)).as_bytes(), Ends::Chunked);
        self.add("reaches its limit in a call", answer, &half, WHOLE);
    }

    fn sizes(&mut self) {
        let half = self.half_text();
        let begun = self.ok(self.first().as_bytes(), Ends::Close);
        let long = |times| begun.clone().then(Act::Again(vec![b'x'; 1 << 16], times));
        self.add("has a line of 2 MiB", long(32), &half, MALFORMED);
        self.add("has a line of 50 MB", long(763), &half, MALFORMED);
        let blank = begun.clone().then(Act::Again(b"\n".repeat(1 << 16), 1_000));
        self.add("sends blank lines without end", blank, &half, MALFORMED);
        let word = self.bytes(&[Said::Text("z".repeat(20_000))]);
        let endless = begun.then(Act::Again(word.into_bytes(), 4_000));
        self.add("never ends", endless, &half, MALFORMED);
        self.or_more();
        let words: String =
            "가".repeat(50_000).chars().map(|c| self.bytes(&[Said::Text(c.into())])).collect();
        let shown = self.half_text() + &"가".repeat(50_000) + &text(&self.second);
        self.add("says one character at a time, 50,000 times", self.between(&words), &shown, WHOLE);
        // 1 MiB of zeros in gzip is about 1 KiB; nothing here unpacks it.
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n";
        let bomb = format!("{head}Content-Type: {}\r\n\r\n", self.media());
        let mut bomb = bomb.into_bytes();
        bomb.extend_from_slice(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3]);
        bomb.extend_from_slice(&[0; 1_024]);
        self.add("is a gzip bomb", Answer::raw(bomb), "", &["reply_cut", "provider_malformed"]);
        let headers = "X-Long: y\r\n".repeat(40_000);
        let many = format!("HTTP/1.1 200 OK\r\n{headers}\r\n");
        self.add("has a head without end", Answer::raw(many), "", NO_ANSWER);
    }

    fn http(&mut self) {
        let (first, half, body) = (self.first(), self.half_text(), self.whole());
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {}\r\n", self.media());
        let length = |length: usize, body: &str| {
            Answer::raw(format!(
                "{head}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            ))
        };
        let chunks = |rest: &str| {
            let chunk = format!("{:x}\r\n{first}\r\n", first.len());
            Answer::raw(format!("{head}Transfer-Encoding: chunked\r\n\r\n{chunk}{rest}"))
        };
        self.add("promises more than it sends", length(first.len() + 9, &first), &half, CUT);
        self.add("promises less than it sends", length(first.len(), &body), &half, CUT);
        for (name, rest) in [
            ("has a chunk without a size", "zz\r\nwhat\r\n"),
            ("has a chunk that is too short", "ff\r\nx\r\n0\r\n\r\n"),
            ("has a chunk without end", "ffffffffffffffff\r\n"),
            ("has a chunk of more than a number holds", "fffffffffffffffffffff\r\n"),
        ] {
            self.add(name, chunks(rest), &half, CUT);
        }
        let whole = self.whole_text();
        let bare = Answer::raw(format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{body}"));
        self.add("names no type", bare, &whole, WHOLE);
        let plain = Answer::of("200 OK", "text/plain", &[body.as_bytes()], Ends::Close);
        self.add("names another type", plain, &whole, WHOLE);
        let page = "<!doctype html><title>Log in to this network</title>";
        let page = Answer::of("200 OK", "text/html", &[page.as_bytes()], Ends::Close);
        self.add("is a page of the network's", page, "", &["reply_cut", "provider_malformed"]);
        let json =
            |body: &str| Answer::of("200 OK", "application/json", &[body.as_bytes()], Ends::Close);
        if has_events(self.kind) {
            self.add("is JSON that is none", json("{\"choices\": ["), "", MALFORMED);
        }
        self.add("is JSON of something else", json("{\"hello\": 1}"), "", CUT);
        let none = Answer::raw("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
        self.add("has no content", none, "", CUT);
        for (name, bytes) in [
            ("does not speak HTTP", "SSH-2.0-OpenSSH_9.2\r\n"),
            ("has a status that is none", "HTTP/1.1 abc OK\r\n\r\n"),
            ("breaks off in its head", "HTTP/1.1 200 OK\r\nContent-Ty"),
            ("closes without a word", ""),
            (
                "changes the protocol",
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
            ),
        ] {
            self.add(
                name,
                Answer::raw(bytes),
                "",
                &["reply_cut", "provider_unreachable", "provider_malformed", "provider_refused"],
            );
        }
        let continues = "HTTP/1.1 100 Continue\r\n\r\n".repeat(3);
        let answer = Answer::raw(format!("{continues}{head}Connection: close\r\n\r\n{body}"));
        self.add("says three times to continue", answer, &whole, WHOLE);
        let silent = Answer::default().then(Act::Stall);
        self.add("stalls before its head", silent, "", &["provider_timed_out"]);
        let silent = Answer::raw("HTTP/1.1 200 OK\r\nX").then(Act::Stall);
        self.add("stalls in its head", silent, "", &["provider_timed_out"]);
        let deaf = Answer { deaf: true, ..Answer::default() };
        self.add("resets while it is asked", deaf, "", NO_ANSWER);
    }

    fn statuses(&mut self) {
        const BUSY: &[&str] = &["provider_trouble"];
        const REFUSED: &[&str] = &["provider_refused"];
        let status = |line: &str, headers: &str, body: &str| {
            let length = body.len();
            Answer::raw(format!(
                "HTTP/1.1 {line}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
                 Connection: close\r\n{headers}\r\n{body}"
            ))
        };
        let says = |words: &str| format!("{{\"error\":{{\"message\":\"{words}\"}}}}");
        let no = says("no");
        let rows: &[(&str, &str, &[&str], usize)] = &[
            ("400 Bad Request", "", REFUSED, 1),
            ("401 Unauthorized", "", &["key_refused"], 1),
            ("402 Payment Required", "", &["no_credit"], 1),
            ("403 Forbidden", "", &["key_refused"], 1),
            ("404 Not Found", "", REFUSED, 1),
            ("405 Method Not Allowed", "", REFUSED, 1),
            ("408 Request Timeout", "", BUSY, 3),
            ("409 Conflict", "", REFUSED, 1),
            ("410 Gone", "", REFUSED, 1),
            ("413 Payload Too Large", "", &["context_overflow"], 1),
            ("418 I'm a teapot", "", REFUSED, 1),
            ("422 Unprocessable Entity", "", REFUSED, 1),
            ("429 Too Many Requests", "", &["rate_limited"], 3),
            ("429 Too Many Requests", "Retry-After: 0\r\n", &["rate_limited"], 3),
            ("429 Too Many Requests", "retry-after-ms: 2\r\n", &["rate_limited"], 3),
            ("429 Too Many Requests", "Retry-After: 3600\r\n", &["rate_limited"], 1),
            (
                "429 Too Many Requests",
                "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n",
                &["rate_limited"],
                3,
            ),
            ("429 Too Many Requests", "Retry-After: -5\r\n", &["rate_limited"], 3),
            ("429 Too Many Requests", "Retry-After: soon\r\n", &["rate_limited"], 3),
            ("429 Too Many Requests", "Retry-After: 1e400\r\n", &["rate_limited"], 3),
            ("500 Internal Server Error", "", BUSY, 3),
            ("501 Not Implemented", "", BUSY, 1),
            ("502 Bad Gateway", "", BUSY, 3),
            ("503 Service Unavailable", "Retry-After: 0\r\n", BUSY, 3),
            ("504 Gateway Timeout", "", BUSY, 3),
            ("507 Insufficient Storage", "", BUSY, 1),
            ("529 Overloaded", "", BUSY, 3),
            ("599 What", "", BUSY, 1),
            ("301 Moved Permanently", "Location: /elsewhere\r\n", REFUSED, 1),
            ("302 Found", "Location: http://127.0.0.1:9/\r\n", REFUSED, 1),
            ("307 Temporary Redirect", "Location: http://other.invalid/\r\n", REFUSED, 1),
            ("308 Permanent Redirect", "Location: http://127.0.0.1:9/\r\n", REFUSED, 1),
            ("407 Proxy Authentication Required", "", REFUSED, 1),
        ];
        for (line, headers, ends, asked) in rows {
            let name = format!("refuses with {line} {}", headers.trim_end());
            self.refused(&name, status(line, headers, &no), ends, *asked);
        }
        let overflow = says("prompt is too long: 9 tokens > 8 maximum");
        let long = "e".repeat(1 << 20);
        let quota = "{\"error\":{\"code\":\"insufficient_quota\",\"message\":\"no\"}}";
        for (name, line, body, ends) in [
            (
                "says that it is too much",
                "400 Bad Request",
                overflow.as_str(),
                &["context_overflow"][..],
            ),
            ("has no quota left", "429 Too Many Requests", quota, &["no_credit"]),
            ("refuses without a word", "400 Bad Request", "", REFUSED),
            ("refuses with a page", "400 Bad Request", "<html>no</html>", REFUSED),
            ("refuses with a MiB", "400 Bad Request", long.as_str(), REFUSED),
            ("refuses with broken JSON", "400 Bad Request", "{\"error\": {", REFUSED),
            ("refuses with a list", "400 Bad Request", "[1, 2]", REFUSED),
        ] {
            self.refused(name, status(line, "", body), ends, 1);
        }
        let repeats = says(&format!("Incorrect API key provided: {}", super::KEY));
        self.refused("repeats the key", status("401 No", "", &repeats), &["key_refused"], 1);
    }
}
