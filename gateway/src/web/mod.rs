//! What a person with a browser sees at every path that is no API: the project's web app, or a landing page.

mod app;
mod assets;
mod content;
mod headers;
mod landing;
mod placeholders;
mod published;

pub use app::{WebApp, WebError};
pub use published::{NoFunctionName, Published};

use std::sync::Arc;

use axum::routing::get;
use axum::{Json, Router};
use http::HeaderValue;
use http::header::CACHE_CONTROL;
use serde_json::{Value, json};
use tower_http::set_header::SetResponseHeaderLayer;

/// What the web app needs at run time. The anonymous key is public; nothing else of the secrets is in it.
pub fn public_config(anon_key: &str, settings: &toml::Table) -> Value {
    // An empty API URL means the page's own origin, so the answer fits every host name the server is reached by.
    json!({ "apiUrl": "", "anonKey": anon_key, "settings": settings })
}

/// `/_/config.json`: for an app whose pages do not hold it already.
pub fn config_router(config: Value) -> Router {
    let body = Arc::new(config);
    Router::new()
        .route("/config.json", get(move || async move { Json((*body).clone()) }))
        .layer(SetResponseHeaderLayer::overriding(CACHE_CONTROL, HeaderValue::from_static("no-cache")))
}
