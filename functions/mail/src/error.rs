//! Errors of composing, queueing and delivering mail.

/// A failed composition, queueing or delivery of a mail.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// A text that is no e-mail address. The error does not repeat the text, which can be anything.
    #[error("not a valid e-mail address")]
    Address,
    /// No recipient, or more than [`MAX_RECIPIENTS`](crate::message::MAX_RECIPIENTS).
    #[error("a message has between 1 and {} recipients", crate::message::MAX_RECIPIENTS)]
    Recipients,
    /// Unusable settings of the mail server.
    #[error("mail server: {0}")]
    Settings(String),
    /// A message that cannot be encoded as a mail.
    #[error("the message cannot be composed: {0}")]
    Compose(String),
    /// A message that cannot be encrypted for the database.
    #[error("the system has no randomness")]
    Randomness,
    /// A refusal by the mail server, or a failed connection. The text is the server's reply.
    #[error("mail server: {0}")]
    Smtp(String),
    /// A failed read or write in the outbox.
    #[error("outbox: {0}")]
    Database(#[from] sqlx::Error),
}
