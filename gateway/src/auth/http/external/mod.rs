//! Sign-in through other providers: the way of a browser to a provider and back.

mod authorize;
mod callback;

pub(crate) use authorize::{authorize, link};
pub(crate) use callback::callback;
