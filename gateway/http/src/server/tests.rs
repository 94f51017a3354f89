//! Tests of the HTTP server over real connections.
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use cloch_core::Secret;
use cloch_sql::caller::token::Verifier;
use cloch_sql::caller::{ApiKeys, CallerRoles, KeyRing};
use cloch_sql::client::Pool;
use cloch_sql::database::Login;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;
use crate::{ApiRouter, Authenticator, FileHost, Health, OutageForms, Pipeline, RefusalDelay, SecurityHeaders};

const RATE: MinRate = MinRate { window: Duration::from_secs(60), min_bytes: 16 * 1024 };

/// Starts a server whose table REST handler panics. Returns the address of the server, and the token that stops the server.
async fn serving(connection_limits: CountLimits, trusted_proxies: TrustedProxies) -> (SocketAddr, CancellationToken) {
    let secret = || Secret::new("a secret of a test, long enough");
    let keys = ApiKeys {
        anon: secret(),
        service_role: secret(),
        publishable: secret(),
        secret: secret(),
        issued: cloch_sql::caller::IssuedKeys::default(),
    };
    let verifier = Verifier::new(Arc::new(KeyRing::new(secret(), &[]).unwrap()));
    let mut apis = ApiRouter::new(
        Router::new()
            .route("/well", get(async || "well"))
            .route("/read", post(async |body: String| body.len().to_string())),
    );
    apis.mount("/rest/v1", async |_| -> Response { panic!("a fault of an API") });
    apis.mount("/storage/v1", async |_| {
        tokio::spawn(async { panic!("a fault of a task") })
            .await
            .map_or_else(|_| "lost".into_response(), |()| "".into_response())
    });
    let nowhere = Login::from_url(&Secret::new("postgres://nobody@127.0.0.1:1/none")).unwrap();
    let health = Health::new(keys.clone());
    health.ready();
    let pipeline = Pipeline {
        refused_requests: None,
        replica: None,
        trusted_proxies: trusted_proxies.clone(),
        authenticator: Authenticator::new(keys, verifier, CallerRoles::new(Pool::new(nowhere, 1))),
        refusal_delay: RefusalDelay::new(60),
        file_host: FileHost::default(),
        security_headers: SecurityHeaders::default(),
        health: health.clone(),
        outage_forms: OutageForms::default(),
        apis,
    };
    let gate = ReadinessGate::new(health);
    gate.open(Arc::new(pipeline));
    let listener = bind("127.0.0.1".parse().unwrap(), 0).await.unwrap();
    let address = listener.local_addr().unwrap();
    let shutdown = CancellationToken::new();
    let runtimes = Arc::new(PerCoreRuntimes::start().unwrap());
    let options = ServerOptions { connection_limits, trusted_proxies, min_rate: RATE, drain_timeout: Duration::ZERO };
    let listener = Listener { socket: listener, protocol: Protocol::Http };
    tokio::spawn(serve(vec![listener], gate, runtimes, shutdown.clone(), options));
    (address, shutdown)
}

async fn ask(connection: &mut TcpStream, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nhost: test\r\n\r\n");
    connection.write_all(request.as_bytes()).await.unwrap();
    read_answer(connection).await
}

async fn read_answer(connection: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    // Reads the complete response: the responses in these tests are small and have a `Content-Length`.
    while !is_whole(&answer) {
        assert!(connection.read_buf(&mut answer).await.unwrap() > 0, "the connection ended: {answer:?}");
    }
    String::from_utf8(answer).unwrap()
}

fn is_whole(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    body.len() >= length.parse::<usize>().unwrap()
}

#[tokio::test]
async fn a_handler_that_panics_answers_500_and_the_server_lives() {
    let (address, shutdown) = serving(CountLimits::default(), TrustedProxies::default()).await;
    let mut connection = TcpStream::connect(address).await.unwrap();
    for _ in 0..3 {
        let answer = ask(&mut connection, "/rest/v1/people").await;
        assert!(answer.starts_with("HTTP/1.1 500 ") && answer.contains("\"code\":\"500\""), "{answer}");
        assert!(!answer.contains("a fault of an API"), "{answer}");
        assert!(ask(&mut connection, "/storage/v1/x").await.ends_with("lost"));
        assert!(ask(&mut connection, "/well").await.ends_with("well"), "the connection goes on");
    }
    shutdown.cancel();
}

/// Lets the runtime's clock advance. The clock runs normally before and after, because a paused clock would jump to the next timeout while a
/// test waits for a socket.
async fn pass(seconds: u64) {
    tokio::time::sleep(Duration::from_millis(20)).await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(seconds)).await;
    tokio::time::resume();
}

#[tokio::test]
async fn a_connection_may_be_idle_for_75_seconds_between_requests() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let stream = listener.accept().await.unwrap().0;
    let stream = ClientStream::new(stream, RATE, SharedState::default());
    let service =
        hyper::service::service_fn(async |_: Request<Incoming>| Ok::<_, Infallible>(Response::new(Body::from("well"))));
    let served = tokio::spawn(http1_builder().serve_connection(TokioIo::new(stream), service));
    for idle in [31, 61, 74] {
        assert!(ask(&mut client, "/").await.ends_with("well"));
        pass(idle).await;
    }
    assert!(ask(&mut client, "/").await.ends_with("well"));
    pass(76).await;
    assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
    assert!(served.await.unwrap().unwrap_err().is_timeout());
}

#[tokio::test]
async fn a_client_whose_body_is_not_read_is_told_that_the_connection_ends() {
    let (address, shutdown) = serving(CountLimits::default(), TrustedProxies::default()).await;
    let mut connection = TcpStream::connect(address).await.unwrap();
    connection.write_all(b"POST /well HTTP/1.1\r\nhost: test\r\ncontent-length: 1000000\r\n\r\nscan").await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 405 ") && answer.contains("\r\nconnection: close\r\n"), "{answer}");
    shutdown.cancel();
}

#[tokio::test]
async fn a_client_that_expects_100_continue_gets_it_for_an_empty_body_too() {
    let (address, shutdown) = serving(CountLimits::default(), TrustedProxies::default()).await;
    let mut connection = TcpStream::connect(address).await.unwrap();
    let post = |body: &str| {
        let length = body.len();
        format!("POST /read HTTP/1.1\r\nhost: test\r\nexpect: 100-continue\r\ncontent-length: {length}\r\n\r\n")
    };
    for body in ["", "scan", "", ""] {
        connection.write_all(post(body).as_bytes()).await.unwrap();
        let mut interim = [0; 25];
        connection.read_exact(&mut interim).await.unwrap();
        assert_eq!(interim, *b"HTTP/1.1 100 Continue\r\n\r\n");
        connection.write_all(body.as_bytes()).await.unwrap();
        let answer = read_answer(&mut connection).await;
        assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with(&body.len().to_string()), "{answer}");
    }
    // A client that does not wait for the responses may get fewer of these responses, but never within another response.
    let statuses = statuses(post("").repeat(20).as_bytes()).await;
    assert!(statuses.iter().filter(|status| *status != "100").eq(&["200"; 21]), "{statuses:?}");
    shutdown.cancel();
}

/// Sends bytes, followed by a last valid request, on one connection. Returns the statuses of all responses until the server closes the
/// connection.
async fn statuses(sent: &[u8]) -> Vec<String> {
    let (address, shutdown) = serving(CountLimits::default(), TrustedProxies::default()).await;
    let mut connection = TcpStream::connect(address).await.unwrap();
    let last = b"GET /well HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n";
    connection.write_all(&[sent, last].concat()).await.unwrap();
    let mut answers = Vec::new();
    connection.read_to_end(&mut answers).await.unwrap();
    shutdown.cancel();
    let answers = String::from_utf8_lossy(&answers);
    answers.split("HTTP/1.1 ").skip(1).filter_map(|answer| Some(answer.split(' ').next()?.to_owned())).collect()
}

/// Tests request smuggling: the encoder of request targets, which runs before hyper's parser, must find the same requests as hyper. A body
/// that looks like a request is never handled as a request. After framing that the encoder cannot parse, hyper refuses a raw `<` or `>`.
#[tokio::test]
async fn unclear_framing_is_decided_by_hyper_alone() {
    let post = "POST /read HTTP/1.1\r\nhost: test\r\n";
    let body = "GET /well HTTP/1.1\r\nhost: test\r\n\r\n";
    let length = body.len();
    let chunked = format!("{length:x}\r\n{body}\r\n0\r\n\r\n");
    let next = "GET /well?a>b HTTP/1.1\r\nhost: test\r\n\r\n";
    for (what, sent, expected) in [
        ("a body", format!("{post}content-length: {length}\r\n\r\n{body}{next}"), &["200", "200", "200"][..]),
        ("chunks", format!("{post}transfer-encoding: chunked\r\n\r\n{chunked}"), &["200", "200"]),
        ("chunks before `<`", format!("{post}transfer-encoding: chunked\r\n\r\n{chunked}{next}"), &["200", "400"]),
        // hyper reads the chunked body and closes the connection, as RFC 9112, section 6.1, requires.
        ("both", format!("{post}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n{chunked}{next}"), &["200"]),
        (
            "both, reversed",
            format!("{post}transfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n{chunked}{next}"),
            &["200"],
        ),
        ("two lengths", format!("{post}content-length: 4\r\ncontent-length: {length}\r\n\r\n{body}"), &["400"]),
        (
            "bare LF",
            format!("POST /read HTTP/1.1\nhost: test\ncontent-length: {length}\n\n{body}{next}"),
            &["200", "200", "200"],
        ),
        ("obs-fold", format!("{post}x-folded: a\r\n content-length: 2\r\n\r\n{body}"), &["400"]),
        ("a folded length", format!("{post}content-length:\r\n 4\r\n\r\n{body}"), &["400"]),
    ] {
        assert_eq!(statuses(sent.as_bytes()).await, expected, "{what}");
    }
}

#[tokio::test]
async fn a_head_that_is_too_long_gets_hypers_answer() {
    let target = format!("GET /{} HTTP/1.1\r\nhost: test\r\n\r\n", "x".repeat(70_000));
    assert_eq!(statuses(target.as_bytes()).await, ["414"]);
    let headers = format!("GET / HTTP/1.1\r\nhost: test\r\ncookie: {}\r\n\r\n", "x".repeat(900_000));
    assert_eq!(statuses(headers.as_bytes()).await, ["431"]);
}

async fn is_served(address: SocketAddr) -> Option<TcpStream> {
    let mut connection = TcpStream::connect(address).await.unwrap();
    let mut first = [0; 12];
    let asked = connection.write_all(b"GET /well HTTP/1.1\r\nhost: test\r\n\r\n").await;
    let read = match asked {
        Ok(()) => connection.read_exact(&mut first).await.map(|_| ()),
        Err(error) => Err(error),
    };
    (read.is_ok() && first == *b"HTTP/1.1 200").then_some(connection)
}

#[tokio::test]
async fn one_network_has_so_many_connections() {
    let limits = CountLimits { total: 0, per_network: 3 };
    let (address, shutdown) = serving(limits, TrustedProxies::default()).await;
    let mut open = Vec::new();
    for _ in 0..3 {
        open.push(is_served(address).await.unwrap());
    }
    assert!(is_served(address).await.is_none(), "a fourth");
    open.pop();
    // Retries, because the server detects the closed connection only after some time.
    while is_served(address).await.is_none() {
        tokio::task::yield_now().await;
    }
    shutdown.cancel();
}

#[tokio::test]
async fn a_trusted_proxy_has_more_but_not_all() {
    let proxies = TrustedProxies::new(&["127.0.0.0/8".parse().unwrap()]);
    let (address, shutdown) = serving(CountLimits { total: 5, per_network: 3 }, proxies).await;
    let mut open = Vec::new();
    for _ in 0..5 {
        open.push(is_served(address).await.unwrap());
    }
    assert!(is_served(address).await.is_none(), "a sixth");
    shutdown.cancel();
}
