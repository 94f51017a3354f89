//! Mail: an outbox in PostgreSQL, delivery over SMTP, and the built-in inbox if no mail server is configured.
//!
//! A sender writes a [`Message`] with [`Mailer::queue`] in the transaction that causes it. With SMTP configured, [`worker`] delivers it later and
//! retries. Without SMTP, the row counts as delivered and [`inbox`] shows it.

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
