//! Operators of the dashboard: accounts, links, sessions and passkeys.

mod account;
pub(super) mod limits;
mod links;
mod manage;
mod own_passkeys;
mod passkeys;
mod proof;
mod session;
mod sign_in;
mod welcome;

pub(super) use account::ROUTES as ACCOUNT_ROUTES;
pub use links::{first_link, link_for, make_first_link};
pub(super) use manage::ROUTES;
pub(super) use own_passkeys::ROUTES as PASSKEY_ROUTES;
pub(super) use passkeys::SIGN_IN_ROUTES as PASSKEY_SIGN_IN_ROUTES;
pub(super) use session::Session;
pub(super) use sign_in::ROUTES as SESSION_ROUTES;
pub(super) use welcome::ROUTES as WELCOME_ROUTES;
