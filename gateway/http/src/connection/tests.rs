use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::Instant;

use super::head_timeout::HEAD_TIMEOUT;
use super::lingering_close::{IDLE_TIMEOUT, MAX_LINGER};
use super::*;

const RATE: MinRate = MinRate { window: Duration::from_millis(300), min_bytes: 16 * 1024 };

async fn connected(body_unread: bool) -> (ClientStream<TcpStream>, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let shared = SharedState::default();
    if body_unread {
        shared.body_unread.set();
    }
    let server = listener.accept().await.unwrap().0;
    (ClientStream::new(server, RATE, shared), client)
}

/// Writes a response without end. Returns the kind of the error that ends the response.
async fn written_to_the_end(mut server: ClientStream<TcpStream>) -> io::ErrorKind {
    let chunk = vec![0; 1 << 20];
    // Writes several times, because the kernel buffers some megabytes that the client has not read.
    loop {
        if let Err(error) = server.write_all(&chunk).await {
            return error.kind();
        }
    }
}

#[tokio::test]
async fn a_client_that_reads_nothing_is_cut_off() {
    let (server, client) = connected(false).await;
    assert_eq!(written_to_the_end(server).await, io::ErrorKind::TimedOut);
    drop(client);
}

#[tokio::test]
async fn a_client_that_reads_a_byte_now_and_then_is_cut_off() {
    let (server, mut client) = connected(false).await;
    let reading = tokio::spawn(async move {
        while client.read_u8().await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    assert_eq!(written_to_the_end(server).await, io::ErrorKind::TimedOut);
    reading.abort();
}

#[tokio::test]
async fn time_in_which_there_is_nothing_to_send_does_not_count() {
    let (mut server, mut client) = connected(false).await;
    let reading = tokio::spawn(async move {
        let mut all = Vec::new();
        client.read_to_end(&mut all).await.unwrap();
        all.len()
    });
    for _ in 0..3 {
        server.write_all(&vec![0; 4 << 20]).await.unwrap();
        server.flush().await.unwrap();
        tokio::time::sleep(RATE.window * 2).await;
    }
    drop(server);
    assert_eq!(reading.await.unwrap(), 12 << 20);
}

#[tokio::test]
async fn a_client_that_is_still_sending_gets_its_answer() {
    let (mut server, mut client) = connected(true).await;
    server.write_all(b"no").await.unwrap();
    let closing = tokio::spawn(async move { server.shutdown().await });
    // Sends more bytes than the kernel buffers for the server.
    for _ in 0..32 {
        client.write_all(&vec![0; 1 << 20]).await.unwrap();
    }
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).await.unwrap();
    assert_eq!(answer, b"no");
    assert!(!closing.is_finished(), "it may send more");
    drop(client);
    closing.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_silent_client_is_not_waited_for_long() {
    let (mut server, client) = connected(true).await;
    let begun = Instant::now();
    server.shutdown().await.unwrap();
    assert!((IDLE_TIMEOUT..MAX_LINGER).contains(&begun.elapsed()));
    drop(client);
}

#[tokio::test(start_paused = true)]
async fn a_connection_on_which_all_was_read_is_closed_at_once() {
    let (mut server, _client) = connected(false).await;
    let begun = Instant::now();
    server.shutdown().await.unwrap();
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

/// Reads from a client until an error or the end. Returns the kind of the error.
fn read_to_the_end(mut server: ClientStream<TcpStream>) -> tokio::task::JoinHandle<Option<io::ErrorKind>> {
    tokio::spawn(async move { server.read_to_end(&mut Vec::new()).await.err().map(|error| error.kind()) })
}

/// Lets the runtime's clock advance, after the server has read what the client sent.
async fn pass(time: Duration) {
    tokio::time::sleep(Duration::from_millis(20)).await;
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
    tokio::time::sleep(Duration::from_millis(20)).await;
}

#[tokio::test]
async fn a_client_that_sends_no_head_is_cut_off() {
    let (server, _client) = connected(false).await;
    let read = read_to_the_end(server);
    pass(HEAD_TIMEOUT - Duration::from_secs(1)).await;
    assert!(!read.is_finished());
    pass(Duration::from_secs(1)).await;
    assert_eq!(read.await.unwrap(), Some(io::ErrorKind::TimedOut));
}

#[tokio::test]
async fn a_client_that_sends_a_head_byte_by_byte_is_cut_off() {
    let (server, mut client) = connected(false).await;
    let read = read_to_the_end(server);
    for byte in b"GET" {
        client.write_all(&[*byte]).await.unwrap();
        pass(HEAD_TIMEOUT / 3).await;
    }
    assert_eq!(read.await.unwrap(), Some(io::ErrorKind::TimedOut));
}

#[tokio::test]
async fn the_timeout_of_a_head_begins_with_its_first_byte() {
    let (server, mut client) = connected(false).await;
    let read = read_to_the_end(server);
    client.write_all(b"GET / HTTP/1.1\r\nhost: test\r\n\r\n").await.unwrap();
    pass(HEAD_TIMEOUT * 4).await;
    client.write_all(b"GET / HTTP/1.1\r\n").await.unwrap();
    pass(HEAD_TIMEOUT - Duration::from_secs(1)).await;
    assert!(!read.is_finished());
    pass(Duration::from_secs(1)).await;
    assert_eq!(read.await.unwrap(), Some(io::ErrorKind::TimedOut));
}

#[tokio::test]
async fn the_body_of_a_request_is_not_part_of_the_head() {
    let (server, mut client) = connected(false).await;
    let read = read_to_the_end(server);
    client.write_all(b"POST / HTTP/1.1\r\ncontent-length: 2\r\n\r\na").await.unwrap();
    pass(HEAD_TIMEOUT * 4).await;
    drop(client);
    assert_eq!(read.await.unwrap(), None);
}
