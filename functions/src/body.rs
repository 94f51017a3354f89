//! Parses a request body into the typed input of a function.

use axum::extract::{FromRequest, Multipart, Request};
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::FunctionError;

/// A request body. JSON stays text until the type of the function's input is known, because a parsed JSON tree can need eighty times the
/// memory of the text.
#[derive(Debug)]
pub(crate) enum Body {
    /// JSON text that has not been parsed.
    Json(Bytes),
    /// Fields of a form, converted to a JSON object.
    Form(Value),
}

impl Body {
    /// Deserialises the body into the function's input. The JSON parser accepts at most 128 levels of nesting.
    pub(crate) fn typed<T: DeserializeOwned>(self) -> Result<T, FunctionError> {
        let input = match self {
            Self::Json(text) => serde_json::from_slice(&text),
            Self::Form(fields) => serde_json::from_value(fields),
        };
        input.map_err(|error| match error.is_data() {
            true => FunctionError::bad_input(error.to_string()),
            false => FunctionError::bad_input(format!("The body is not JSON: {error}")),
        })
    }
}

/// Reads a request body in the formats that functions-js sends: JSON, JSON as `text/plain` (a string body), or a form. Each form field
/// becomes a string, or a list of strings if the name of the field is repeated. An empty body is an empty object.
pub(crate) async fn read(headers: &HeaderMap, body: axum::body::Body, max_bytes: usize) -> Result<Body, FunctionError> {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("application/json");
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let bytes = collect(body, max_bytes).await?;
    match essence.as_str() {
        _ if bytes.is_empty() => Ok(Body::Form(Value::Object(Map::new()))),
        "application/x-www-form-urlencoded" => {
            let fields = url::form_urlencoded::parse(&bytes);
            Ok(Body::Form(object(fields.map(|(name, value)| (name.into_owned(), value.into_owned())))))
        }
        "multipart/form-data" => multipart(headers, bytes.into()).await.map(Body::Form),
        "text/plain" => Ok(Body::Json(bytes)),
        essence if essence.ends_with("json") => Ok(Body::Json(bytes)),
        _ => Err(FunctionError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            "The body must be JSON or a form",
        )),
    }
}

/// Reads the whole request body. Returns an error with status 413 if the body has more than `max_bytes` bytes.
async fn collect(body: axum::body::Body, max_bytes: usize) -> Result<Bytes, FunctionError> {
    match Limited::new(body, max_bytes).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.downcast_ref::<LengthLimitError>().is_some() => Err(too_large(max_bytes)),
        Err(_) => Err(FunctionError::bad_input("The body could not be read")),
    }
}

pub(crate) fn too_large(max_bytes: usize) -> FunctionError {
    let message = format!("The body is larger than the {} KB this function takes", max_bytes / 1024);
    FunctionError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
}

async fn multipart(headers: &HeaderMap, body: axum::body::Body) -> Result<Value, FunctionError> {
    let refused =
        |error: &dyn std::fmt::Display| FunctionError::bad_input(format!("The form could not be read: {error}"));
    let mut request = Request::new(body);
    *request.headers_mut() = headers.clone();
    let mut form = Multipart::from_request(request, &()).await.map_err(|error| refused(&error))?;
    let mut fields = Vec::new();
    while let Some(field) = form.next_field().await.map_err(|error| refused(&error))? {
        let name = field.name().unwrap_or_default().to_owned();
        if field.file_name().is_some() {
            return Err(FunctionError::bad_input("Files go to storage; send their paths"));
        }
        fields.push((name, field.text().await.map_err(|error| refused(&error))?));
    }
    Ok(object(fields.into_iter()))
}

fn object(fields: impl Iterator<Item = (String, String)>) -> Value {
    let mut map = Map::new();
    for (name, text) in fields {
        match map.get_mut(&name) {
            None => drop(map.insert(name, Value::String(text))),
            Some(Value::Array(list)) => list.push(Value::String(text)),
            Some(first) => {
                let both = vec![first.take(), Value::String(text)];
                *first = Value::Array(both);
            }
        }
    }
    Value::Object(map)
}
