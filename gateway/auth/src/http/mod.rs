//! The HTTP endpoints of the auth API: each endpoint has a file of its own.
//!
//! A request passes through these stages: [`request::Incoming`] parses the request, [`authn`] authenticates it, the endpoint's file
//! executes it in one transaction with functions of [`super::flow`], and [`error_response`] writes an error response.

mod admin;
mod authn;
mod bounded_json;
mod captcha;
mod disabled;
mod error_response;
mod external;
mod factors;
mod get_only;
mod invite;
mod logout;
mod magic_link;
mod message_id;
mod meta;
mod min_response_time;
mod oauth_server;
mod passkeys;
mod recover;
mod redirect;
mod request;
mod resend;
mod signup;
mod timeout;
mod token;
mod token_response;
mod trailing_slash;
mod user;
mod verify;

use axum::routing::{delete, get, post, put};
use axum::{Router, middleware};

use crate::state::AuthState;

pub use error_response::unavailable;
use factors::recovery_codes;
pub use oauth_server::discovery_router;

/// Creates the router for paths below /auth/v1. A previous layer must have stored the caller and the client address in the request's
/// extensions.
pub fn router(state: AuthState) -> Router {
    let routes = Router::new()
        .route("/health", get(meta::health))
        .route("/settings", get(meta::settings))
        .route("/.well-known/jwks.json", get(meta::jwks))
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
        .route(
            "/factors/recovery-codes",
            get(recovery_codes::status).post(recovery_codes::generate).delete(recovery_codes::unenroll),
        )
        .route("/factors/recovery-codes/regenerate", post(recovery_codes::regenerate))
        .route("/factors/recovery-codes/verify", post(recovery_codes::verify))
        .route("/factors/{id}", delete(factors::unenroll))
        .route("/factors/{id}/challenge", post(factors::challenge))
        .route("/factors/{id}/verify", post(factors::verify));
    let routes = routes
        .merge(admin_routes())
        .merge(oauth_server::routes(&state))
        .merge(passkeys::routes(&state))
        .merge(disabled::routes())
        .method_not_allowed_fallback(error_response::no_such_method)
        .with_state(state);
    trailing_slash::accept(routes)
        .layer(middleware::from_fn(get_only::refuse_head))
        .layer(middleware::from_fn(timeout::timeout))
        .layer(middleware::from_fn(error_response::write_errors))
}

fn admin_routes() -> Router<AuthState> {
    Router::new()
        .route("/admin/users", get(admin::list::list).post(admin::create::create))
        .route("/admin/users/{id}", get(admin::get).put(admin::update::update).delete(admin::delete::delete))
        .route("/admin/users/{id}/factors", get(admin::factors::list))
        .route("/admin/users/{id}/factors/{factor}", put(admin::factors::update).delete(admin::factors::delete))
        .route("/admin/generate_link", post(admin::generate_link::generate))
        .route("/admin/audit", get(admin::audit::list))
        .route("/admin/custom-providers", get(admin::custom_providers::list).post(admin::custom_providers::create))
        .route(
            "/admin/custom-providers/{identifier}",
            get(admin::custom_providers::get)
                .put(admin::custom_providers::update)
                .delete(admin::custom_providers::delete),
        )
}
