//! Errors of composing, queueing and delivering mail.

/// A failure to compose, queue or deliver a mail.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// A text is not an e-mail address. The error does not contain the text, because the text is arbitrary input.
    #[error("not a valid e-mail address")]
    Address,
    /// A message has no recipient, or more than [`MAX_RECIPIENTS`](crate::message::MAX_RECIPIENTS).
    #[error("a message has between 1 and {} recipients", crate::message::MAX_RECIPIENTS)]
    Recipients,
    /// The settings of the mail server are unusable.
    #[error("mail server: {0}")]
    Settings(String),
    /// A message cannot be encoded as a mail.
    #[error("the message cannot be composed: {0}")]
    Compose(String),
    /// A message cannot be encrypted for the database, because no random bytes are available.
    #[error("the system has no randomness")]
    Randomness,
    /// The mail server refused the message, or the connection failed. Contains the server's reply or the connection error.
    #[error("mail server: {0}")]
    Smtp(String),
    /// A query on the mail outbox failed.
    #[error("outbox: {0}")]
    Database(#[from] sqlx::Error),
}
