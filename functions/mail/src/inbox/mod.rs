//! The built-in inbox at `/_/inbox`: shows every message in the mail outbox, as pages and as a JSON API for tests.
//!
//! Mails contain sign-in links, so access is limited to the local developer and to holders of the inbox key or the secret key
//! ([`access`]).

mod access;
mod api;
mod content;
mod page;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use crate::Mailer;

/// Returns the routes of the inbox, to be nested under `/_/inbox`.
///
/// | route | response |
/// |---|---|
/// | `GET /` | the list, as a page |
/// | `GET /{id}` | one message, as a page |
/// | `GET /{id}/html`, `/{id}/source`, `/{id}/files/{n}` | its HTML (sandboxed), its MIME source, an attachment |
/// | `POST /{id}/delete`, `POST /delete` | the page's buttons |
/// | `GET /api/messages?to=&limit=` | `{"messages": […]}`, newest first, bodies included |
/// | `GET /api/messages/{id}`, `DELETE /api/messages/{id}` | reads or deletes one message |
/// | `DELETE /api/messages` | deletes all messages except queued ones |
pub fn router(mailer: Mailer) -> Router {
    Router::new()
        .route("/", get(page::list))
        .route("/style.css", get(page::style))
        .route("/delete", post(page::delete_all))
        .route("/{id}", get(page::show))
        .route("/{id}/delete", post(page::delete))
        .route("/{id}/html", get(content::html))
        .route("/{id}/source", get(content::source))
        .route("/{id}/files/{position}", get(content::file))
        .route("/api/messages", get(api::list).delete(api::delete_all))
        .route("/api/messages/{id}", get(api::show).delete(api::delete))
        .layer(from_fn_with_state(mailer.clone(), access::guard))
        .with_state(mailer)
}
