//! Request ids, by which the log lines of a request can be found. If the client sends a short id of visible ASCII characters, this id is
//! used; otherwise the server generates an id. Every response contains the request id.

use axum::extract::Request;
use axum::response::Response;
use http::{HeaderName, HeaderValue};
use uuid::Uuid;
use uuid::fmt::Hyphenated;

const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// Maximum length in bytes of a request id chosen by the client. The length is limited because every log line of the request contains the id.
const MAX_CLIENT_ID_BYTES: usize = 128;

/// Returns the id of a request. If the client sent no valid id, generates one and adds it to the request's headers, which database functions
/// may read.
pub(crate) fn ensure(request: &mut Request) -> HeaderValue {
    if let Some(id) = request.headers().get(HEADER).filter(|id| is_plain(id)) {
        return id.clone();
    }
    let id = generate();
    request.headers_mut().insert(HEADER, id.clone());
    id
}

/// Whether a request id consists of visible ASCII characters and is at most [`MAX_CLIENT_ID_BYTES`] long.
fn is_plain(id: &HeaderValue) -> bool {
    (1..=MAX_CLIENT_ID_BYTES).contains(&id.len()) && id.as_bytes().iter().all(u8::is_ascii_graphic)
}

fn generate() -> HeaderValue {
    // The id is made from the thread's random number generator. `Uuid::new_v4` would make a system call for each id.
    let id = uuid::Builder::from_random_bytes(rand::random()).into_uuid();
    let mut text = [0; Hyphenated::LENGTH];
    HeaderValue::from_str(Uuid::hyphenated(id).encode_lower(&mut text)).unwrap_or(HeaderValue::from_static("0"))
}

/// Adds the request id to a response, unless the response already has a request id.
pub(crate) fn add_to(response: &mut Response, id: HeaderValue) {
    response.headers_mut().entry(HEADER).or_insert(id);
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn request(id: Option<&'static str>) -> Request {
        let mut request = Request::new(Body::empty());
        if let Some(id) = id {
            request.headers_mut().insert(HEADER, HeaderValue::from_static(id));
        }
        request
    }

    #[test]
    fn a_clients_id_stays() {
        assert_eq!(ensure(&mut request(Some("mine"))), "mine");
    }

    #[test]
    fn a_clients_id_that_is_long_or_not_plain_is_replaced() {
        let longest = "x".repeat(MAX_CLIENT_ID_BYTES);
        for id in [&*format!("{longest}x"), "", "two words", "tab\there", "caf\u{e9}"] {
            let mut asked = request(None);
            asked.headers_mut().insert(HEADER, HeaderValue::from_bytes(id.as_bytes()).unwrap());
            let made = ensure(&mut asked);
            assert!(made.to_str().is_ok_and(|text| Uuid::try_parse(text).is_ok()), "{id:?}");
            assert_eq!(asked.headers().get_all(HEADER).iter().collect::<Vec<_>>(), [&made]);
        }
        let mut asked = request(None);
        asked.headers_mut().insert(HEADER, longest.parse().unwrap());
        assert_eq!(ensure(&mut asked), longest);
    }

    #[test]
    fn each_request_gets_one_of_its_own() {
        let (mut one, mut other) = (request(None), request(None));
        let id = ensure(&mut one);
        assert_eq!(one.headers().get(HEADER), Some(&id));
        assert!(id.to_str().is_ok_and(|text| Uuid::try_parse(text).is_ok_and(|id| id.get_version_num() == 4)));
        assert_ne!(ensure(&mut other), id);

        let mut response = Response::new(Body::empty());
        add_to(&mut response, id.clone());
        add_to(&mut response, HeaderValue::from_static("another"));
        assert_eq!(response.headers().get(HEADER), Some(&id));
    }
}
