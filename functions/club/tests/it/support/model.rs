//! A language model server with the OpenAI protocol. Each test chooses the server's behaviour.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::{Json, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Router, body::Body};
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};

/// Response of the server to one call.
#[derive(Clone, Debug)]
pub enum Behaviour {
    /// A completion with this text, streamed if requested.
    Says(&'static str),
    /// An error status, with `Retry-After` in seconds.
    Status(u16, Option<u64>),
    /// A response with this body, which may be invalid JSON.
    Body(&'static str),
    /// No response; the connection stays open.
    Hangs,
    /// Two pieces of a streamed response, then no more data.
    HangsMidway,
    /// Two pieces of a streamed response, then a closed connection.
    BreaksMidway,
}

#[derive(Clone)]
pub struct Model {
    pub url: String,
    plan: Arc<Mutex<Vec<Behaviour>>>,
    requests: Arc<Mutex<Vec<(HeaderMap, Value)>>>,
}

impl Model {
    /// Starts a language model server. `plan` contains the behaviour for each call in turn; the last behaviour repeats.
    pub async fn start(plan: &[Behaviour]) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let model = Self { url, plan: Arc::new(Mutex::new(plan.to_vec())), requests: Arc::default() };
        let app = Router::new().route("/v1/chat/completions", post(complete)).with_state(model.clone());
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        model
    }

    /// Returns the headers and bodies of the requests that the server has received.
    pub fn requests(&self) -> Vec<(HeaderMap, Value)> {
        self.requests.lock().unwrap().clone()
    }

    fn next(&self) -> Behaviour {
        let mut plan = self.plan.lock().unwrap();
        if plan.len() > 1 { plan.remove(0) } else { plan[0].clone() }
    }
}

async fn complete(State(model): State<Model>, headers: HeaderMap, Json(body): Json<Value>) -> Response {
    let streams = body["stream"] == true;
    model.requests.lock().unwrap().push((headers, body));
    match model.next() {
        Behaviour::Says(text) if streams => stream(text.split_inclusive(' ').map(str::to_owned).collect(), End::Done),
        Behaviour::Says(text) => Json(completion(text)).into_response(),
        Behaviour::Status(status, retry_after) => {
            let body = Json(json!({"error": {"message": "not now", "type": "x", "param": null, "code": null}}));
            let mut answer = (StatusCode::from_u16(status).unwrap(), body).into_response();
            if let Some(seconds) = retry_after {
                answer.headers_mut().insert("retry-after", seconds.into());
            }
            answer
        }
        Behaviour::Body(text) => ([("content-type", "application/json")], text).into_response(),
        Behaviour::Hangs => std::future::pending().await,
        Behaviour::HangsMidway => stream(vec!["Dear ".into(), "{guest}, we ".into()], End::Hangs),
        Behaviour::BreaksMidway => stream(vec!["Dear ".into(), "{guest}, we ".into()], End::Breaks),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum End {
    Done,
    Hangs,
    Breaks,
}

fn stream(pieces: Vec<String>, end: End) -> Response {
    let body = async_stream(pieces, end);
    ([("content-type", "text/event-stream")], Body::from_stream(body)).into_response()
}

fn async_stream(pieces: Vec<String>, end: End) -> impl futures_util::Stream<Item = Result<String, std::io::Error>> {
    let mut events: Vec<Option<String>> = pieces
        .into_iter()
        .map(|piece| {
            let event = json!({
                "id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m",
                "choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": null}],
            });
            Some(format!("data: {event}\n\n"))
        })
        .collect();
    events.push((end == End::Done).then(|| "data: [DONE]\n\n".to_owned()));
    futures_util::stream::unfold(events.into_iter(), move |mut events| async move {
        match events.next()? {
            Some(event) => Some((Ok(event), events)),
            None if end == End::Hangs => {
                tokio::time::sleep(Duration::from_secs(60)).await;
                None
            }
            None => Some((Err(std::io::Error::other("broken")), events)),
        }
    })
}

fn completion(text: &str) -> Value {
    json!({
        "id": "1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text, "refusal": null}, "finish_reason": "stop", "logprobs": null}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    })
}
