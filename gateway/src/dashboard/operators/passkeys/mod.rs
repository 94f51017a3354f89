//! Passkeys of operators. One takes the place of the password and the one-time code: the authenticator verifies its holder by a PIN, a finger
//! or a face, and answers only to pages of this server.

pub(super) mod ceremony;
pub(super) mod model;
mod sign_in;

pub(super) use ceremony::{Assertion, Purpose, prove};
pub(super) use model::remove_all;
pub(in crate::dashboard) use sign_in::ROUTES as SIGN_IN_ROUTES;
