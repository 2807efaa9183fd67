//! The gate against bare sockets: what it refuses to send, and what it refuses to take.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::str::FromStr;
use std::thread;

use rstest::rstest;

use super::*;

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

async fn fetch(limits: Limits, url: &Url) -> Result<Vec<String>, ProviderError> {
    let answer = match Gate::new(limits).get(url).await {
        Ok(answer) => answer,
        Err(NoAnswer::Failed(error)) => return Err(error),
        Err(NoAnswer::Refused(refusal)) => panic!("{refusal:?}"),
    };
    let events: Vec<_> = answer.events().collect().await;
    events.into_iter().collect()
}

#[rstest]
#[case("http://example.com/v1")]
#[case("http://192.168.0.2:11434/v1")]
#[case("http://10.0.0.1/v1")]
#[case("http://0.0.0.0:8080/v1")]
#[case("http://[::]:8080/v1")]
#[case("http://[fe80::1]/v1")]
#[case("http://[::ffff:10.0.0.1]/v1")]
#[case("http://169.254.169.254/v1")]
#[case("http://localhost.example.com/v1")]
#[case("http://127.0.0.1.example.com/v1")]
#[case("http://127.0.0.1@example.com/v1")]
#[case("http://localhost:1@example.com/v1")]
#[case("http://example.com\\@127.0.0.1/v1")]
#[case("http://ⓔxample.com/v1")]
fn nothing_but_this_computer_is_asked(#[case] base_url: &str) {
    let refused = address(base_url, "models");
    assert!(matches!(refused, Err(ProviderError::NotLocal { .. })), "{refused:?}");
}

#[rstest]
#[case("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1/models")]
#[case("http://127.9.9.9/v1", "http://127.9.9.9/v1/models")]
#[case(" http://LOCALHOST:1234/v1", "http://localhost:1234/v1/models")]
#[case("https://[::1]:8080/v1", "https://[::1]:8080/v1/models")]
#[case("http://2130706433/v1", "http://127.0.0.1/v1/models")]
fn every_name_of_this_computer_is(#[case] base_url: &str, #[case] whole: &str) {
    assert_eq!(address(base_url, "models").unwrap().as_str(), whole);
}

#[rstest]
#[case("file:///etc/passwd")]
#[case("ftp://127.0.0.1/v1")]
#[case("127.0.0.1:8080")]
#[case("")]
fn what_is_no_address_is_said_to_be_unreachable(#[case] base_url: &str) {
    let refused = address(base_url, "models");
    assert!(matches!(refused, Err(ProviderError::Unreachable { .. })), "{refused:?}");
}

#[tokio::test]
async fn a_name_that_leads_away_is_refused_when_it_is_looked_up() {
    let home = ThisComputer.resolve(Name::from_str("localhost").unwrap()).await;
    assert!(home.unwrap().all(|address| is_loopback(address.ip())));
    let away = ThisComputer.resolve(Name::from_str("192.0.2.1").unwrap()).await;
    assert!(away.is_err_and(|error| error.is::<LeadsAway>()));
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
    let Err(NoAnswer::Refused(refusal)) = Gate::new(PATIENT).get(&url).await else {
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
#[case::broken(&["500 Broken"], 1, Some(500))]
#[tokio::test]
async fn only_what_may_pass_is_asked_again(
    #[case] answers: &[&str],
    #[case] asked: usize,
    #[case] refused: Option<u16>,
) {
    let answers = answers
        .iter()
        .map(|status| {
            format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                .into_bytes()
        })
        .collect();
    let (url, made) = socket(answers, false);
    let status = match Gate::new(PATIENT).get(&url).await {
        Ok(_) => None,
        Err(NoAnswer::Refused(refusal)) => Some(refusal.status),
        Err(NoAnswer::Failed(error)) => panic!("{error}"),
    };
    assert_eq!(status, refused);
    assert_eq!(made.join().unwrap(), asked);
}
