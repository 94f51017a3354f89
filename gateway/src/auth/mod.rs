//! /auth/v1: accounts, sessions and everything by which people prove who they are, as GoTrue's clients know it.
//!
//! Three layers, each of which uses only those below it: [`http`] has one file for each endpoint, reads requests and words answers;
//! [`flow`] is what endpoints have in common (accounts, sessions, codes, mails, hooks, providers); [`model`] holds the rows and
//! statements of schema `auth`. Beside them stand the modules that all layers use and that use none of them.

mod address_limits;
mod client;
mod contact;
mod error;
mod flow;
mod http;
mod mail_templates;
mod model;
mod oidc_cache;
mod password;
mod pkce;
mod redirect_urls;
mod roles;
pub mod settings;
mod state;
#[cfg(test)]
mod tests;

pub use address_limits::AddressLimits;
pub use flow::cleanup;
pub use http::router;
pub use settings::Settings;
pub use state::{AuthState, Setup, SetupError};
