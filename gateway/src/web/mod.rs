//! Serves the paths that belong to no API: the project's web app, or a landing page if the project has no app.

mod app;
mod assets;
mod content;
mod dashboard;
mod docs;
mod headers;
mod landing;
mod placeholders;
mod published;

pub use app::{WebApp, WebError};
pub use dashboard::dashboard_router;
pub use docs::docs_router;
pub use published::{NoFunctionName, Published};

use std::sync::Arc;

use axum::routing::get;
use axum::{Json, Router};
use http::HeaderValue;
use http::header::CACHE_CONTROL;
use serde_json::{Value, json};
use tower_http::set_header::SetResponseHeaderLayer;

/// Returns the public configuration of the web app. It contains the anon key, which is public, and no secrets.
pub fn public_config(anon_key: &str, settings: &toml::Table) -> Value {
    // An empty API URL means the origin of the page. The configuration is therefore correct for every host name of the server.
    json!({ "apiUrl": "", "anonKey": anon_key, "settings": settings })
}

/// Returns the route of `/_/config.json`, from which apps load the public configuration if their pages do not contain it.
pub fn config_router(config: Value) -> Router {
    let body = Arc::new(config);
    Router::new()
        .route("/config.json", get(move || async move { Json((*body).clone()) }))
        .layer(SetResponseHeaderLayer::overriding(CACHE_CONTROL, HeaderValue::from_static("no-cache")))
}
