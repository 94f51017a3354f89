//! Sends the mails of the auth API through the outbox or the project's `send_email` hook.

mod hook;
pub(crate) mod limit;
pub(crate) mod send;
