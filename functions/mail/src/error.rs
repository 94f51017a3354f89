//! Errors of composing, queueing and delivering mail.

/// Why a mail could not be written, queued or sent.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// A text that is no e-mail address. The error does not repeat the text, which can be anything.
    #[error("not a valid e-mail address")]
    Address,
    /// No recipient, or more than a message may have.
    #[error("a message has between 1 and {} recipients", crate::message::MAX_RECIPIENTS)]
    Recipients,
    /// The configuration of the mail server cannot be used.
    #[error("mail server: {0}")]
    Settings(String),
    /// The message cannot be put into mail format.
    #[error("the message cannot be composed: {0}")]
    Compose(String),
    /// The message cannot be sealed.
    #[error("the system has no randomness")]
    Randomness,
    /// The mail server refused the message or could not be reached; the text is the server's reply.
    #[error("mail server: {0}")]
    Smtp(String),
    /// The outbox cannot be read or written.
    #[error("outbox: {0}")]
    Database(#[from] sqlx::Error),
}
