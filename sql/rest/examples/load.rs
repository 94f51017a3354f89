//! Load generator: repeats one HTTP request over several connections and prints the rate, latencies and failures as JSON:
//! `load <port> <connections> <seconds> <file with the request, byte for byte> <expected status>`.
//!
//! The program does little work of its own, because on a small machine its CPU time distorts the measurement.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a tool that may stop at the first surprise"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [port, connections, seconds, file, status] = arguments.as_slice() else { panic!("five arguments") };
    let port: u16 = port.parse().unwrap();
    let request: Arc<[u8]> = std::fs::read(file).unwrap().into();
    let expected: Arc<str> = format!("HTTP/1.1 {status} ").into();
    let warm_up = Duration::from_millis(300);
    let start = Instant::now() + warm_up;
    let end = start + Duration::from_secs_f64(seconds.parse().unwrap());
    let tasks: Vec<_> = (0..connections.parse::<usize>().unwrap())
        .map(|_| tokio::spawn(drive(port, Arc::clone(&request), Arc::clone(&expected), start, end)))
        .collect();
    let (mut times, mut failures) = (Vec::new(), 0);
    for task in tasks {
        let (own, failed) = task.await.unwrap();
        times.extend(own);
        failures += failed;
    }
    times.sort_unstable();
    let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or_default();
    let per_second = times.len() as f64 / (end - start).as_secs_f64();
    println!(
        "{{\"per_second\": {per_second:.1}, \"median_us\": {}, \"p99_us\": {}, \"failures\": {failures}}}",
        at(0.5),
        at(0.99)
    );
}

async fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

/// Sends the same HTTP request repeatedly until `end`. Returns the duration of each request that began after `start`, in microseconds, and
/// the number of responses with an unexpected status. If the server has closed the connection after a response, the reconnection counts
/// towards the time of the next request.
async fn drive(port: u16, request: Arc<[u8]>, expected: Arc<str>, start: Instant, end: Instant) -> (Vec<u32>, u64) {
    let mut stream = connect(port).await;
    let mut buffer = Vec::with_capacity(64 * 1024);
    let (mut times, mut failures) = (Vec::new(), 0);
    loop {
        let begun = Instant::now();
        if begun >= end {
            return (times, failures);
        }
        buffer.clear();
        while stream.write_all(&request).await.is_err() || !matches!(stream.read_buf(&mut buffer).await, Ok(1..)) {
            stream = connect(port).await;
        }
        let length = loop {
            if let Some(length) = response_length(&buffer, request.starts_with(b"HEAD ")) {
                break length;
            }
            assert!(stream.read_buf(&mut buffer).await.unwrap() > 0, "the server hung up");
        };
        match length {
            Length::Known(total) => {
                while buffer.len() < total {
                    assert!(stream.read_buf(&mut buffer).await.unwrap() > 0, "the server hung up");
                }
            }
            Length::Chunked => {
                while !buffer.ends_with(b"0\r\n\r\n") {
                    assert!(stream.read_buf(&mut buffer).await.unwrap() > 0, "the server hung up");
                }
            }
        }
        failures += u64::from(!buffer.starts_with(expected.as_bytes()));
        if begun >= start {
            times.push(u32::try_from(begun.elapsed().as_micros()).unwrap_or(u32::MAX));
        }
    }
}

enum Length {
    Known(usize),
    Chunked,
}

/// Returns the total length of the HTTP response in the buffer, or `None` while the response head is incomplete.
fn response_length(buffer: &[u8], has_no_body: bool) -> Option<Length> {
    let head_end = buffer.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    if has_no_body {
        return Some(Length::Known(head_end));
    }
    let head = std::str::from_utf8(&buffer[..head_end]).unwrap().to_ascii_lowercase();
    if head.contains("transfer-encoding: chunked") {
        return Some(Length::Chunked);
    }
    let length = head.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next());
    Some(Length::Known(head_end + length.map_or(0, |length| length.parse().unwrap())))
}
