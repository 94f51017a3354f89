//! Endpoints for sign-in with external providers.

mod authorize;
mod callback;

pub(crate) use authorize::{authorize, link};
pub(crate) use callback::callback;
