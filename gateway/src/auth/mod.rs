//! /auth/v1: accounts, sessions and everything by which people prove who they are, as GoTrue's clients know it.
//!
//! A request passes through these stages: [`request::Incoming`] reads it, [`authn`] says who it acts for, one file for each
//! endpoint decides, [`models`] speaks to PostgreSQL in one transaction, and [`error`] words what was refused.

mod accounts;
mod address;
mod admin;
mod authn;
mod captcha;
pub mod cleanup;
mod disabled;
mod error;
mod external;
mod factors;
mod grant;
mod hooks;
mod invite;
mod limits;
mod logout;
mod magic_link;
mod mail;
mod message_request;
mod models;
mod otp;
mod pace;
mod password;
mod pkce;
mod public;
mod recover;
mod redirect;
mod request;
mod resend;
pub mod settings;
mod signup;
mod sms;
mod state;
#[cfg(test)]
mod tests;
mod token;
mod user;
mod verify;

use axum::middleware;
use axum::routing::{delete, get, post, put};
use axum::{Json, Router};
use serde_json::{Value, json};

pub use limits::AddressLimits;
pub use settings::Settings;
pub use state::{AuthState, Setup, SetupError};

/// The audience of this project's users.
pub(crate) const AUDIENCE: &str = "authenticated";

/// The routes below /auth/v1. Nest it where requests already carry a caller and a client address.
pub fn router(state: AuthState) -> Router {
    let routes = Router::new()
        .route("/health", get(public::health))
        .route("/settings", get(public::settings))
        .route("/.well-known/jwks.json", get(public::jwks))
        .route("/signup", post(signup::signup))
        .route("/token", post(token::token))
        .route("/verify", get(verify::get).post(verify::post))
        .route("/recover", post(recover::recover))
        .route("/otp", post(magic_link::otp))
        .route("/magiclink", post(magic_link::magic_link))
        .route("/resend", post(resend::resend))
        .route("/logout", post(logout::logout))
        .route("/user", get(user::get).put(user::change))
        .route("/reauthenticate", get(user::reauthenticate))
        .route("/invite", post(invite::invite))
        .route("/authorize", get(external::authorize))
        .route("/callback", get(external::callback).post(external::callback))
        .route("/user/identities/authorize", get(external::link))
        .route("/user/identities/{id}", delete(user::unlink))
        .route("/factors", post(factors::enroll))
        .route("/factors/{id}", delete(factors::unenroll))
        .route("/factors/{id}/challenge", post(factors::challenge))
        .route("/factors/{id}/verify", post(factors::verify));
    routes
        .merge(admin_routes())
        .merge(disabled::routes())
        .fallback(error::no_such_path)
        .layer(middleware::from_fn(error::timely))
        .layer(middleware::from_fn(error::worded))
        .with_state(state)
}

fn admin_routes() -> Router<AuthState> {
    Router::new()
        .route("/admin/users", get(admin::list::list).post(admin::create::create))
        .route("/admin/users/{id}", get(admin::get).put(admin::update::update).delete(admin::delete::delete))
        .route("/admin/users/{id}/factors", get(admin::factors::list))
        .route("/admin/users/{id}/factors/{factor}", put(admin::factors::update).delete(admin::factors::delete))
        .route("/admin/generate_link", post(admin::generate_link::generate))
        .route("/admin/audit", get(admin::audit::list))
}

/// What is answered where a text message may have been sent.
pub(crate) fn message_id(id: Option<&str>) -> Json<Value> {
    Json(match id {
        Some(id) => json!({ "message_id": id }),
        None => json!({}),
    })
}
