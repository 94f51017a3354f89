//! A local HTTP server that replaces an external service in tests. It stores the requests and returns the response that the test sets.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, Uri};
use serde_json::Value;
use url::Url;

#[derive(Clone, Debug)]
pub(super) struct Received {
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) form: Vec<(String, String)>,
}

impl Received {
    #[track_caller]
    pub(super) fn field(&self, name: &str) -> &str {
        &self.form.iter().find(|(key, _)| key == name).unwrap().1
    }
}

#[derive(Clone)]
pub(super) struct LocalServer {
    pub(super) url: Url,
    received: Arc<Mutex<Vec<Received>>>,
    answer: Arc<Mutex<(u16, Value)>>,
    /// Number of further requests to which the server does not respond.
    silent: Arc<AtomicUsize>,
}

impl LocalServer {
    pub(super) async fn answering(status: u16, body: Value) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let server = Self {
            url,
            received: Arc::default(),
            answer: Arc::new(Mutex::new((status, body))),
            silent: Arc::default(),
        };
        let router = Router::new().fallback(respond).with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        server
    }

    /// Sets the response of the server to all further requests.
    pub(super) fn answer(&self, status: u16, body: Value) {
        *self.answer.lock().unwrap() = (status, body);
    }

    /// Makes the server receive the next request without ever responding.
    pub(super) fn leave_next_waiting(&self) {
        self.leave_waiting(1);
    }

    /// Makes the server receive the next `count` requests without ever responding.
    pub(super) fn leave_waiting(&self, count: usize) {
        self.silent.store(count, Ordering::SeqCst);
    }

    pub(super) async fn until_received(&self, count: usize) {
        while self.received().len() < count {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    }

    pub(super) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    #[track_caller]
    pub(super) fn last(&self) -> Received {
        self.received().pop().unwrap()
    }
}

async fn respond(State(server): State<LocalServer>, uri: Uri, headers: HeaderMap, body: String) -> Response {
    let form = url::form_urlencoded::parse(body.as_bytes()).into_owned().collect();
    server.received.lock().unwrap().push(Received { path: uri.path().to_owned(), headers, form });
    let left = |count: usize| count.checked_sub(1);
    if server.silent.fetch_update(Ordering::SeqCst, Ordering::SeqCst, left).is_ok() {
        std::future::pending::<()>().await;
    }
    let (status, body) = server.answer.lock().unwrap().clone();
    (StatusCode::from_u16(status).unwrap(), axum::Json(body)).into_response()
}
