#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::io::{self, IoSlice};

use cloch_storage::backend::file::FileBackend;
use cloch_storage::backend::{Backend, BlobKey, Content};
use futures_util::StreamExt;
use http_body_util::BodyExt;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::wire::COPIED;
use super::*;

/// Bytes of which no two neighbourhoods are the same, longer than two parts.
fn sample(seed: u8) -> Vec<u8> {
    (0..2 * PART + 12_345).map(|at| (at / 251 + at) as u8 ^ seed).collect()
}

async fn stored(backend: &FileBackend, bytes: &[u8], range: Range<u64>) -> FileBytes {
    let (key, bytes) = (BlobKey::fresh(), Bytes::copy_from_slice(bytes));
    backend.put(key, stream::iter([Ok(bytes)]).boxed()).await.unwrap();
    let Content::File(bytes) = backend.get(key, range).await.unwrap() else { unreachable!("it is large") };
    bytes
}

fn response(bytes: &FileBytes) -> Response {
    let mut response = Response::new(Body::empty());
    let range = bytes.range();
    response.headers_mut().insert(CONTENT_LENGTH, (range.end - range.start).into());
    response.extensions_mut().insert(bytes.clone());
    response
}

async fn pair() -> (Wire, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    (Wire::new(listener.accept().await.unwrap().0, Outbox::default()), client)
}

#[tokio::test]
async fn answers_on_one_connection_keep_their_bytes_and_order() {
    let folder = tempfile::tempdir().unwrap();
    let backend = FileBackend::open(folder.path()).unwrap();
    let (one, other) = (sample(0), sample(99));
    let files = [stored(&backend, &one, 0..one.len() as u64).await, stored(&backend, &other, 7..700_000).await];
    let (wire, mut client) = pair().await;
    let outbox = wire.outbox.clone();
    let service = service_fn(move |request: http::Request<hyper::body::Incoming>| {
        let response = match request.uri().path() {
            "/0" => response(&files[0]),
            "/1" => response(&files[1]),
            text => Response::new(Body::from(text.to_owned())),
        };
        let response = outbox.carry(response);
        async move { Ok::<_, std::convert::Infallible>(response) }
    });
    let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(wire), service);
    let serving = tokio::spawn(connection);

    let paths = ["/0", "/text", "/1", "/0", "/1", "/end"];
    for path in paths {
        client.write_all(format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).await.unwrap();
    }
    let mut reader = tokio::io::BufReader::new(client);
    for path in paths {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(reader.read_u8().await.unwrap());
        }
        let expected = match path {
            "/0" => &one[..],
            "/1" => &other[7..700_000],
            text => text.as_bytes(),
        };
        let mut body = vec![0; expected.len()];
        reader.read_exact(&mut body).await.unwrap();
        assert!(body == expected, "{path}");
    }
    drop(reader);
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn what_is_not_in_order_is_not_sent() {
    let folder = tempfile::tempdir().unwrap();
    let backend = FileBackend::open(folder.path()).unwrap();
    let bytes = stored(&backend, &sample(0), 0..200_000).await;
    let (mut wire, _client) = pair().await;
    let first = wire.outbox.promise(bytes.file(), 0..100_000);
    let second = wire.outbox.promise(bytes.file(), 100_000..200_000);
    assert!(wire.write(&second).await.is_err());
    assert!(wire.write(&first.slice(1..)).await.is_err());
    assert!(wire.write(&first).await.is_ok());

    let (mut stranger, _client) = pair().await;
    assert!(stranger.write_vectored(&[IoSlice::new(&[]), IoSlice::new(&second)]).await.is_err());
}

#[tokio::test]
async fn a_file_that_can_only_be_read_is_copied() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let bytes = &sample(0)[..COPIED + 100];
    std::fs::write(&path, bytes).unwrap();
    let (wire, mut client) = pair().await;
    let mut part = Part { file: Arc::new(File::open(&path).unwrap()), bytes: 10..bytes.len() as u64, place: 0 };
    wire.stream.writable().await.unwrap();
    while part.length() > 0 {
        part.bytes.start += part.copy(&wire.stream).unwrap() as u64;
    }
    drop(wire);
    let mut all = Vec::new();
    client.read_to_end(&mut all).await.unwrap();
    assert!(all == bytes[10..]);
}

#[tokio::test]
async fn a_file_that_became_shorter_ends_the_connection() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, [1; 10]).unwrap();
    let (mut wire, _client) = pair().await;
    let stand_ins = wire.outbox.promise(&Arc::new(File::open(&path).unwrap()), 0..20);
    assert_eq!(wire.write(&stand_ins).await.unwrap(), 10);
    let error = wire.write(&stand_ins[10..]).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
}

#[tokio::test]
async fn only_the_response_whose_body_the_file_is_gets_it() {
    let folder = tempfile::tempdir().unwrap();
    let backend = FileBackend::open(folder.path()).unwrap();
    let bytes = stored(&backend, &sample(0), 0..200_000).await;
    let outbox = Outbox::default();
    let mut other = response(&bytes);
    other.headers_mut().insert(CONTENT_LENGTH, 5.into());
    let other = outbox.carry(other.map(|_| Body::from("other")));
    assert_eq!(other.into_body().collect().await.unwrap().to_bytes(), "other");

    let mut file = outbox.carry(response(&bytes)).into_body();
    let stand_ins = file.frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(place(&stand_ins).is_some() && stand_ins.len() == 200_000);
    assert!(file.frame().await.is_none());
}
