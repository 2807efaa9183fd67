//! The gate against bare sockets: what it refuses to send, and what it refuses to take.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::str::FromStr;
use std::thread;

use futures_util::StreamExt;
use rstest::rstest;
use siltstone_test_servers::noted::Noted;

use super::*;
use crate::tests::access;

const SHORT: Limits = Limits {
    connect: Duration::from_secs(5),
    first_byte: Duration::from_millis(100),
    idle: Duration::from_millis(100),
    line: 1_000,
    reply: 5_000,
    retries: 2,
    pause: Duration::from_millis(1),
    longest_pause: Duration::from_millis(50),
};

const PATIENT: Limits =
    Limits { first_byte: Duration::from_secs(60), idle: Duration::from_secs(60), ..SHORT };

const HEAD: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

/// Answers each connection with the next of these bytes; says how many were made when the last is done. `hold` keeps
/// the last one open.
fn socket(answers: Vec<Vec<u8>>, hold: bool) -> (Url, thread::JoinHandle<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1/models", listener.local_addr().unwrap());
    let made = thread::spawn(move || {
        let mut count = 0;
        for answer in &answers {
            let (mut stream, _) = listener.accept().unwrap();
            count += 1;
            let mut request = [0; 4_096];
            let _ = stream.read(&mut request).unwrap();
            stream.write_all(answer).unwrap();
            while hold && stream.read(&mut request).is_ok_and(|read| read > 0) {}
        }
        count
    });
    (Url::from_str(&url).unwrap(), made)
}

const BEARER: KeyHeader = KeyHeader { name: "authorization", scheme: "Bearer " };

const CANARY: &str = "sk-canary-0123456789";

/// A way out to where `url` is.
fn door(limits: Limits, url: &Url, key: Option<&str>) -> Door {
    noted_door(limits, url, key, &Arc::default())
}

fn noted_door(limits: Limits, url: &Url, key: Option<&str>, log: &Arc<Noted>) -> Door {
    let access = Access { outbox: log.outbox(), ..access(key, false) };
    Gate::new(limits).door(url.join("/v1").unwrap().as_str(), access, BEARER, &[]).unwrap()
}

async fn fetch(limits: Limits, url: &Url) -> Result<Vec<String>, ProviderError> {
    let answer = match door(limits, url, None).get(url).await {
        Ok(answer) => answer,
        Err(NoAnswer::Failed(error)) => return Err(error),
        Err(NoAnswer::Refused(refusal)) => panic!("{refusal:?}"),
    };
    let events: Vec<_> = answer.events().collect().await;
    events.into_iter().collect()
}

#[tokio::test]
async fn an_address_without_credentials_is_shown() {
    let url = Url::from_str("http://name:secret@127.0.0.1:9/v1/models?key=secret").unwrap();
    assert_eq!(shown(&url), "http://127.0.0.1:9/v1/models");
}

#[tokio::test]
async fn nobody_listening_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = Url::from_str(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    drop(listener);
    let error = fetch(PATIENT, &url).await.unwrap_err();
    assert!(matches!(error, ProviderError::Unreachable { .. }), "{error}");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let target = TcpListener::bind("127.0.0.1:0").unwrap();
    target.set_nonblocking(true).unwrap();
    let to = target.local_addr().unwrap();
    let answer =
        format!("HTTP/1.1 302 Found\r\nLocation: http://{to}/\r\nContent-Length: 0\r\n\r\n");
    let (url, made) = socket(vec![answer.into_bytes()], false);
    let Err(NoAnswer::Refused(refusal)) = door(PATIENT, &url, None).get(&url).await else {
        panic!("the redirect was taken for an answer");
    };
    assert_eq!((refusal.status, made.join().unwrap()), (302, 1));
    assert!(target.accept().is_err(), "the other place was asked");
}

// On more than one thread: the client lets go of its connection while this one waits for the server.
#[tokio::test(flavor = "multi_thread")]
async fn silence_before_and_within_an_answer_ends_it() {
    for answer in [Vec::new(), format!("{HEAD}data: 1\n\n").into_bytes()] {
        let (url, made) = socket(vec![answer], true);
        let error = fetch(SHORT, &url).await.unwrap_err();
        assert!(matches!(error, ProviderError::TimedOut { .. }), "{error}");
        assert_eq!(made.join().unwrap(), 1, "a slow server is not asked twice");
    }
}

#[rstest]
#[case::line(format!("data: {}\n\n", "x".repeat(1_001)), true)]
#[case::line_across_pieces(format!("data: {}", "x".repeat(4_000)), true)]
#[case::lines_within_limits(format!("data: {}\n\n", "x".repeat(900)).repeat(5), false)]
#[case::reply(format!("data: {}\n\n", "x".repeat(900)).repeat(6), true)]
#[tokio::test]
async fn an_answer_without_end_is_not_taken(#[case] body: String, #[case] refused: bool) {
    let (url, made) = socket(vec![format!("{HEAD}{body}").into_bytes()], false);
    match fetch(PATIENT, &url).await {
        Ok(events) => assert!(!refused, "{} events", events.len()),
        Err(error) => {
            assert!(refused && matches!(error, ProviderError::Malformed { .. }), "{error}")
        }
    }
    made.join().unwrap();
}

#[rstest]
#[case::busy_twice(&["503 Busy", "429 Slow\r\nRetry-After: 0", "200 OK"], 3, None)]
#[case::busy_for_ever(&["503 Busy", "503 Busy", "503 Busy"], 3, Some(503))]
#[case::asks_for_too_long(&["429 Slow\r\nRetry-After: 3600"], 1, Some(429))]
#[case::will_not_pass(&["400 Bad"], 1, Some(400))]
#[case::broken(&["500 Broken", "200 OK"], 2, None)]
#[case::no_such_thing(&["501 Never"], 1, Some(501))]
#[tokio::test]
async fn only_what_may_pass_is_asked_again(
    #[case] answers: &[&str],
    #[case] asked: usize,
    #[case] refused: Option<u16>,
) {
    let sockets = answers
        .iter()
        .map(|status| {
            format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                .into_bytes()
        })
        .collect();
    let (url, made) = socket(sockets, false);
    let mut door = door(PATIENT, &url, None);
    let pauses = Arc::<std::sync::Mutex<Vec<u16>>>::default();
    let heard = pauses.clone();
    door.outbox.on_pause = Some(Arc::new(move |pause| heard.lock().unwrap().push(pause.status)));
    let status = match door.get(&url).await {
        Ok(_) => None,
        Err(NoAnswer::Refused(refusal)) => Some(refusal.status),
        Err(NoAnswer::Failed(error)) => panic!("{error}"),
    };
    assert_eq!(status, refused);
    assert_eq!(made.join().unwrap(), asked);
    let said = |answer: &&str| answer[..3].parse::<u16>().unwrap();
    let before: Vec<u16> = answers[..asked - 1].iter().map(said).collect();
    assert_eq!(*pauses.lock().unwrap(), before, "each pause is told, with what was answered");
}

/// Notes every request that is made to it, word for word, and answers each with the same.
fn listener(answer: String) -> (Url, std::sync::mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1/models", listener.local_addr().unwrap());
    let (noted, heard) = std::sync::mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4_096];
            let read = stream.read(&mut request).unwrap();
            noted.send(String::from_utf8_lossy(&request[..read]).into_owned()).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    (Url::from_str(&url).unwrap(), heard)
}

const EMPTY: &str = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

#[tokio::test]
async fn a_key_goes_to_its_origin_and_nowhere_else() {
    let (home, at_home) = listener(EMPTY.to_owned());
    let (other, elsewhere) = listener(EMPTY.to_owned());
    let door = door(PATIENT, &home, Some(CANARY));
    drop(door.get(&home).await.unwrap());
    let said = at_home.recv().unwrap();
    assert!(said.contains(&format!("authorization: Bearer {CANARY}\r\n")), "{said}");
    // Another port of the same computer is another origin, and so is another name of it.
    let port = home.port().unwrap();
    let named = Url::from_str(&format!("http://localhost:{port}/v1/models")).unwrap();
    drop(door.get(&other).await.unwrap());
    drop(door.get(&named).await.unwrap());
    for heard in [elsewhere.recv().unwrap(), at_home.recv().unwrap()] {
        assert!(heard.contains("GET /v1/models") && !heard.contains("canary"), "{heard}");
    }
}

#[rstest]
#[case::same_host("http://127.0.0.1:{port}/v1/models")]
#[case::another_name("http://localhost:{port}/v1/models")]
#[case::no_scheme("//127.0.0.1:{port}/v1/models")]
#[case::with_the_key_in_it("http://127.0.0.1:{port}/?key=sk-canary-0123456789")]
#[tokio::test]
async fn a_redirect_is_not_followed_and_never_carries_a_key(
    #[case] to: &str,
    #[values(301, 302, 303, 307, 308)] status: u16,
) {
    let (target, at_target) = listener(EMPTY.to_owned());
    let to = to.replace("{port}", &target.port().unwrap().to_string());
    let (home, at_home) = listener(format!(
        "HTTP/1.1 {status} Gone\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    ));
    let door = door(PATIENT, &home, Some(CANARY));
    for answer in [door.get(&home).await, door.post(&home, Bytes::from_static(b"{}")).await] {
        let refused = answer.err();
        assert!(
            matches!(&refused, Some(NoAnswer::Refused(refusal)) if refusal.status == status),
            "{refused:?}"
        );
        assert!(at_home.recv().unwrap().contains("canary"));
    }
    assert!(at_target.try_recv().is_err(), "the other place was asked");
}

#[tokio::test]
async fn a_key_is_not_shown() {
    let door = door(PATIENT, &Url::from_str("http://127.0.0.1:9/v1").unwrap(), Some(CANARY));
    let request = door.request(&door.address(&["models"]), None).unwrap().1;
    assert_eq!(request.headers()["authorization"], format!("Bearer {CANARY}").as_str());
    assert!(!format!("{request:?}").contains("canary"), "{request:?}");
    assert_eq!(door.without_key(format!("no {CANARY}!")), "no [key]!");
    let unusable = access(Some("sk-canary\n"), false);
    let refused = Gate::new(PATIENT).door("http://127.0.0.1:9/v1", unusable, BEARER, &[]).err();
    let refused = refused.unwrap();
    assert!(matches!(refused, ProviderError::Unauthorised { .. }), "{refused:?}");
    assert!(!format!("{refused} {refused:?}").contains("canary"));
}

/// Answers each request, read whole, with the next of these; gives what was asked.
fn reader(answers: Vec<&'static str>) -> (Url, thread::JoinHandle<Vec<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1/chat", listener.local_addr().unwrap());
    let asked = thread::spawn(move || {
        let asked = answers.iter().map(|answer| {
            let (mut stream, _) = listener.accept().unwrap();
            let request = siltstone_test_servers::request::read(&mut stream);
            stream.write_all(answer.as_bytes()).unwrap();
            request.body
        });
        asked.collect()
    });
    (Url::from_str(&url).unwrap(), asked)
}

#[tokio::test]
async fn what_leaves_is_written_down_first_and_each_try_by_itself() {
    let busy = "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let (url, asked) = reader(vec![busy, EMPTY, ""]);
    let log = Arc::<Noted>::default();
    let door = noted_door(PATIENT, &url, Some(CANARY), &log);
    let body = Bytes::from(format!("{{\"안녕\":\"{}\"}}", "\u{1F600}".repeat(20_000)));
    assert!(door.post(&url, body.clone()).await.is_ok());
    assert!(matches!(door.post(&url, body.clone()).await, Err(NoAnswer::Failed(_))));

    let left = log.left();
    let answers: Vec<_> = left.iter().map(|(_, answer)| answer.as_deref().unwrap()).collect();
    assert_eq!(answers, ["503", "200", "reply_cut"]);
    for (received, (sent, _)) in asked.join().unwrap().iter().zip(&left) {
        assert_eq!((received, &sent.body), (&body.to_vec(), &body.to_vec()));
        assert_eq!((sent.method.as_str(), sent.url.as_str()), ("POST", url.as_str()));
        assert!(sent.headers.contains(&("authorization".into(), "Bearer $KEY".into())));
    }
    assert!(!format!("{left:?}").contains("canary"));
}

#[tokio::test]
async fn what_cannot_be_written_down_does_not_leave() {
    let (url, heard) = listener(EMPTY.to_owned());
    let log = Arc::<Noted>::default();
    log.fill();
    let door = noted_door(PATIENT, &url, None, &log);
    let refused = door.post(&url, Bytes::from_static(b"{}")).await.err();
    assert!(
        matches!(&refused, Some(NoAnswer::Failed(ProviderError::NotRecorded { .. }))),
        "{refused:?}"
    );
    // Carries nothing and goes nowhere, so there is nothing to write down.
    assert!(door.get(&url).await.is_ok());
    assert!(heard.recv().unwrap().starts_with("GET "));
    assert!(heard.try_recv().is_err(), "the other one left, too");
}

#[rstest]
#[case::seconds(&[("retry-after", "7")], Some(7_000))]
#[case::milliseconds(&[("retry-after", "7"), ("retry-after-ms", "250")], Some(250))]
#[case::a_time(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")], Some(37_000))]
#[case::of_the_server(
    &[("date", "Mon, 07 Nov 1994 08:49:37 GMT"), ("retry-after", "Mon, 07 Nov 1994 08:49:57 GMT")],
    Some(20_000)
)]
#[case::that_passed(&[("retry-after", "Sat, 05 Nov 1994 08:49:37 GMT")], Some(0))]
#[case::never(&[("retry-after", "soon")], None)]
#[case::before(&[("retry-after", "-3")], None)]
fn a_server_says_when_to_ask_again(
    #[case] headers: &'static [(&'static str, &'static str)],
    #[case] millis: Option<u64>,
) {
    let now = "1994-11-06T08:49:00Z".parse().unwrap();
    let headers = headers
        .iter()
        .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
    let asked = pause_asked_for(&headers.collect(), now);
    assert_eq!(asked, millis.map(Duration::from_millis));
}

#[rstest]
#[case::promises_more("Content-Length: 4000\r\n", "data: 1\n\n", "reply_cut")]
#[case::broken_chunks("Transfer-Encoding: chunked\r\n", "9\r\ndata: 1\n\n\r\nzz\r\n", "reply_cut")]
#[case::cut_chunk("Transfer-Encoding: chunked\r\n", "ff\r\ndata: 1\n\n", "reply_cut")]
#[tokio::test]
async fn an_answer_that_breaks_its_own_promise_is_cut(
    #[case] header: &str,
    #[case] body: &str,
    #[case] code: &str,
) {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n";
    let (url, made) = socket(vec![format!("{head}{header}\r\n{body}").into_bytes()], false);
    let Ok(answer) = door(PATIENT, &url, None).get(&url).await else {
        panic!("there was an answer");
    };
    let events: Vec<_> = answer.events().collect().await;
    assert_eq!(events[0], Ok("1".to_owned()));
    assert_eq!(events[1].as_ref().unwrap_err().code(), code, "{events:?}");
    made.join().unwrap();
}

#[tokio::test]
async fn what_is_no_answer_at_all_is_a_failure() {
    for nonsense in ["", "nonsense\r\n\r\n", "HTTP/1.1 200 OK\r\nContent"] {
        let (url, made) = socket(vec![nonsense.as_bytes().to_vec()], false);
        let error = fetch(PATIENT, &url).await.unwrap_err();
        assert!(matches!(error, ProviderError::Cut { .. }), "{nonsense}: {error}");
        assert_eq!(made.join().unwrap(), 1);
    }
}

/// Asks an address elsewhere, in a process of its own where a proxy that only notes what it is asked is the way there.
#[test]
fn nothing_leaves_this_computer_unless_it_may() {
    let (proxy, heard) = listener("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n".to_owned());
    let ask = |how: &str| {
        let asked = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["http::tests::asks_elsewhere", "--exact", "--ignored", "--nocapture"])
            .env_clear()
            .env("HTTPS_PROXY", proxy.origin().ascii_serialization())
            .env("SILTSTONE_TEST_ASKS", how)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&asked.stdout).into_owned();
        assert!(asked.status.success(), "{said}{}", String::from_utf8_lossy(&asked.stderr));
        said
    };
    assert!(ask("kept").contains("provider_not_local"));
    assert!(ask("plain").contains("provider_insecure"));
    assert!(heard.try_recv().is_err(), "a socket was opened");
    let said = ask("free");
    assert!(said.contains("provider_unreachable") && !said.contains("canary"), "{said}");
    assert!(said.contains("the proxy in between refused to lead there"), "{said}");
    // The way is asked for, in the open; what is said on it is not.
    let tunnel = heard.recv().unwrap();
    assert!(tunnel.starts_with("CONNECT api.example.com:443 ") && !tunnel.contains("canary"));
}

#[tokio::test]
#[ignore = "a part of nothing_leaves_this_computer_unless_it_may, which gives it a proxy"]
async fn asks_elsewhere() {
    let how = std::env::var("SILTSTONE_TEST_ASKS").unwrap();
    let access = |this_computer_only| access(Some(CANARY), this_computer_only);
    let gate = Gate::new(PATIENT);
    let free = gate.door("https://api.example.com/v1", access(false), BEARER, &[]).unwrap();
    let url = match how.as_str() {
        "plain" => Url::from_str("http://api.example.com/v1/models").unwrap(),
        _ => free.address(&["models"]),
    };
    // Not only is no door made; one that were made would not let it out either.
    let door = Door { this_computer_only: how == "kept", ..free };
    let refused = gate.door(url.as_str(), access(how == "kept"), BEARER, &[]).err();
    assert_eq!(refused.is_some(), how != "free");
    let Err(NoAnswer::Failed(error)) = door.get(&url).await else {
        panic!("there was an answer");
    };
    println!("{} {error:?}", error.code());
}
