//! Sends the mails of the auth API: into the outbox, or to the project's `send_email` hook.

mod hook;
pub(crate) mod limit;
pub(crate) mod send;
