//! Mail: an outbox in PostgreSQL, delivery over SMTP, and the built-in inbox if no mail server is configured.
//!
//! Code that sends a [`Message`] inserts the message into the outbox with [`Mailer::queue`], in the transaction that causes the mail. If a mail
//! server is configured, [`worker`] delivers the message later and retries. Without a mail server, the message counts as delivered and [`inbox`]
//! shows the message.

pub mod address;
mod compose;
mod error;
pub mod inbox;
mod mailer;
pub mod message;
pub mod metrics;
pub mod notifications;
mod outbox;
mod seal;
pub mod settings;
mod smtp;
mod text;
mod traces;
pub mod worker;

pub use address::Address;
pub use error::MailError;
pub use mailer::Mailer;
pub use message::{Attachment, Message};
pub use settings::{Settings, Smtp, TlsMode};
pub use smtp::log_in;
pub use text::from_html as text_from_html;
