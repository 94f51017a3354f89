//! Passkeys of operators. A passkey replaces password and one-time code: the authenticator checks the identity of its holder by PIN,
//! fingerprint or face, and signs only challenges from pages of this server.

pub(super) mod ceremony;
pub(super) mod model;
mod sign_in;

pub(super) use ceremony::{Assertion, Purpose, prove};
pub(super) use model::remove_all;
pub(in crate::dashboard) use sign_in::ROUTES as SIGN_IN_ROUTES;
