//! Tests of HTTP/2 connections over real sockets. The client of the `h2` crate can hold back frames that other clients send immediately.

use std::time::Instant;

use h2::client::{ResponseFuture, SendRequest};
use h2::{Reason, RecvStream};
use tokio::net::TcpListener;
use tokio::sync::Notify;

use super::*;
use crate::TrustedProxies;
use crate::connection::network_count::CountLimits;

const RATE: MinRate = MinRate { window: Duration::from_millis(300), min_bytes: 16 * 1024 };
const LARGE_BYTES: usize = 3_000_000;

struct Connected {
    client: SendRequest<axum::body::Bytes>,
    shutdown: CancellationToken,
    /// Task of the server. It ends when the server has ended the connection.
    served: tokio::task::JoinHandle<Result<(), hyper::Error>>,
    /// Lets the requests of `/wait` continue.
    go_on: Arc<Notify>,
}

/// Connects a client to a server with the paths `/large` and `/wait`; for all other paths, the response describes the request.
async fn connected(limits: CountLimits, client: &h2::client::Builder) -> Connected {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let (accepted, peer) = listener.accept().await.unwrap();
    let shutdown = CancellationToken::new();
    let limiter = Arc::new(ConnectionLimiter::new(limits, TrustedProxies::default()));
    let settings = Settings { min_rate: RATE, limiter, shutdown: shutdown.clone() };
    let go_on = Arc::new(Notify::new());
    let released = Arc::clone(&go_on);
    let answer = move |request: Request| {
        let released = Arc::clone(&released);
        async move {
            match request.uri().path() {
                "/large" => Body::from(vec![b'x'; LARGE_BYTES]).into_response(),
                "/wait" => {
                    released.notified().await;
                    "waited".into_response()
                }
                _ => described(&request).into_response(),
            }
        }
    };
    let served = tokio::spawn(async move { serve(accepted, peer, &settings, answer).await });
    let (client, connection) = client.handshake(stream).await.unwrap();
    tokio::spawn(async move { connection.await.ok() });
    Connected { client, shutdown, served, go_on }
}

fn described(request: &Request) -> String {
    let header = |name: &str| request.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
    format!("{:?} {} host {:?} cookie {:?}", request.version(), request.uri(), header("host"), header("cookie"))
}

impl Connected {
    async fn ask(&mut self, path: &str) -> ResponseFuture {
        let request = http::Request::get(format!("https://club.example:8443{path}"));
        let request = request.header("cookie", "a=1").header("cookie", "b=2").body(()).unwrap();
        self.client = self.client.clone().ready().await.unwrap();
        self.client.send_request(request, true).unwrap().0
    }
}

/// Reads the whole body. Increases the flow-control window by the number of bytes that were read.
async fn read(mut body: RecvStream) -> Result<Vec<u8>, h2::Error> {
    let mut content = Vec::new();
    while let Some(part) = body.data().await {
        let part = part?;
        body.flow_control().release_capacity(part.len())?;
        content.extend_from_slice(&part);
    }
    Ok(content)
}

#[tokio::test]
async fn a_request_looks_like_one_of_http_1_1() {
    let mut connected = connected(CountLimits::default(), &h2::client::Builder::new()).await;
    let response = connected.ask("/people?name=eq.a").await.await.unwrap();
    let content = read(response.into_body()).await.unwrap();
    let expected = r#"HTTP/1.1 /people?name=eq.a host Some("club.example:8443") cookie Some("a=1; b=2")"#;
    assert_eq!(String::from_utf8(content).unwrap(), expected);
}

#[tokio::test]
async fn a_large_response_is_whole_and_has_its_length() {
    let mut connected = connected(CountLimits::default(), &h2::client::Builder::new()).await;
    let response = connected.ask("/large").await.await.unwrap();
    assert_eq!(response.headers().get(header::CONTENT_LENGTH).unwrap(), "3000000");
    assert!(read(response.into_body()).await.unwrap() == vec![b'x'; LARGE_BYTES]);
}

#[tokio::test]
async fn a_response_that_is_not_read_is_reset_and_the_connection_stays() {
    let mut closed_window = h2::client::Builder::new();
    closed_window.initial_window_size(1_000);
    let mut connected = connected(CountLimits::default(), &closed_window).await;
    let begun = Instant::now();
    let mut body = connected.ask("/large").await.await.unwrap().into_body();
    let error = loop {
        match body.data().await.unwrap() {
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert!(error.is_reset() && begun.elapsed() >= RATE.window, "{error}");
    let small = connected.ask("/").await.await.unwrap();
    assert!(read(small.into_body()).await.unwrap().starts_with(b"HTTP/1.1 / "));
}

#[tokio::test]
async fn a_response_that_takes_long_is_not_reset() {
    let mut connected = connected(CountLimits::default(), &h2::client::Builder::new()).await;
    let waiting = connected.ask("/wait").await;
    tokio::time::sleep(RATE.window * 3).await;
    connected.go_on.notify_waiters();
    assert_eq!(read(waiting.await.unwrap().into_body()).await.unwrap(), b"waited");
}

#[tokio::test]
async fn concurrent_requests_count_as_connections() {
    let limits = CountLimits { total: 0, per_network: 2 };
    let mut connected = connected(limits, &h2::client::Builder::new()).await;
    let mut waiting = Vec::new();
    for _ in 0..4 {
        waiting.push(connected.ask("/wait").await);
    }
    // The fourth request is refused: the first request uses the connection's own permit, and the limit allows two further requests.
    let refused = waiting.pop().unwrap().await.unwrap();
    assert_eq!(
        (refused.status(), refused.headers().get(header::RETRY_AFTER).unwrap().as_bytes()),
        (StatusCode::SERVICE_UNAVAILABLE, &b"5"[..])
    );
    drop(refused);
    connected.go_on.notify_waiters();
    for response in waiting {
        assert_eq!(response.await.unwrap().status(), StatusCode::OK);
    }
}

#[tokio::test]
async fn no_more_than_the_offered_requests_run_at_a_time() {
    let mut connected = connected(CountLimits::default(), &h2::client::Builder::new()).await;
    connected.ask("/").await.await.unwrap();
    assert_eq!(connected.client.current_max_send_streams(), 100);
}

#[tokio::test]
async fn a_stop_lets_running_requests_end() {
    let mut connected = connected(CountLimits::default(), &h2::client::Builder::new()).await;
    let waiting = connected.ask("/wait").await;
    connected.ask("/").await.await.unwrap();
    connected.shutdown.cancel();
    tokio::time::sleep(RATE.window / 3).await;
    connected.go_on.notify_waiters();
    let response = waiting.await.unwrap();
    assert_eq!(read(response.into_body()).await.unwrap(), b"waited");
    connected.served.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_client_that_resets_its_request_frees_its_place() {
    let limits = CountLimits { total: 0, per_network: 1 };
    let mut connected = connected(limits, &h2::client::Builder::new()).await;
    let first = connected.ask("/wait").await;
    for _ in 0..20 {
        let request = http::Request::get("https://club.example/wait").body(()).unwrap();
        connected.client = connected.client.clone().ready().await.unwrap();
        let (_, mut second) = connected.client.send_request(request, true).unwrap();
        second.send_reset(Reason::CANCEL);
    }
    // Retries, because the server detects the last reset only after some time.
    while connected.ask("/").await.await.unwrap().status() != StatusCode::OK {
        tokio::task::yield_now().await;
    }
    connected.go_on.notify_waiters();
    assert_eq!(first.await.unwrap().status(), StatusCode::OK);
}
