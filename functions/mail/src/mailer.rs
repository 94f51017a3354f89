//! The mailer, with which other crates send mail.

use std::sync::Arc;

use cloch_core::spans::{Kind, Span};
use cloch_core::{Live, Secret};
use cloch_sql::Database;
use sqlx::{PgConnection, PgExecutor, PgPool};
use tokio::sync::watch;
use uuid::Uuid;

use crate::outbox::{self, Entry};
use crate::smtp::{Outcome, Transport};
use crate::traces::Traces;
use crate::{Address, MailError, Message, Settings, compose, metrics, seal};

/// Queues mail and contains the delivery settings. Clones share the same state.
#[derive(Clone, Debug)]
pub struct Mailer {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    database: Database,
    /// Encryption key for messages with links and codes.
    seal_key: Secret,
    delivery: Live<Delivery>,
    /// Notifies the delivery worker that [`Self::delivery`] was replaced.
    changed: watch::Sender<()>,
    traces: Traces,
}

/// Mail settings, and the connections to the configured mail server.
#[derive(Debug)]
pub(crate) struct Delivery {
    pub(crate) settings: Arc<Settings>,
    /// `None` if messages are delivered to the built-in inbox.
    pub(crate) transport: Option<Transport>,
}

impl Delivery {
    fn new(settings: Settings) -> Result<Self, MailError> {
        let transport = settings.smtp.as_ref().map(Transport::new).transpose()?;
        Ok(Self { settings: Arc::new(settings), transport })
    }
}

impl Mailer {
    /// Creates a mailer for the project's database. Opens no connection.
    ///
    /// # Errors
    /// If the mail server's settings cannot be used, for example because a certificate file cannot be read.
    pub fn new(database: Database, settings: Settings) -> Result<Self, MailError> {
        let seal_key = settings.seal_key.clone();
        let (delivery, changed) = (Live::new(Delivery::new(settings)?), watch::Sender::new(()));
        Ok(Self { inner: Arc::new(Inner { database, seal_key, delivery, changed, traces: Traces::default() }) })
    }

    /// Prepares a change of the mail settings. The new settings take effect when the returned function is called. From then on, queued messages
    /// are delivered with the new settings; deliveries in progress end with the old settings. The encryption key does not change.
    ///
    /// # Errors
    /// The same errors as [`Mailer::new`].
    pub fn prepare(&self, settings: Settings) -> Result<Box<dyn FnOnce() + Send>, MailError> {
        let (delivery, inner) = (Delivery::new(settings)?, Arc::clone(&self.inner));
        Ok(Box::new(move || {
            inner.delivery.set(delivery);
            inner.changed.send_replace(());
        }))
    }

    /// Inserts a message into the outbox in the transaction `executor`. The transaction must use Cloch's own database login, because API roles have
    /// no access to the outbox. The mail is sent after the transaction commits. Returns the id of the message.
    ///
    /// # Errors
    /// If the outbox cannot be written.
    pub async fn queue(&self, executor: impl PgExecutor<'_>, message: &Message) -> Result<Uuid, MailError> {
        let span = Span::begin("mail queue", Kind::Producer);
        let id = outbox::insert(executor, self.seal_key(), message, self.uses_smtp()).await?;
        if let Some(trace) = span.context() {
            self.inner.traces.remember(id, trace);
        }
        metrics::QUEUED.inc();
        tracing::info!(mail.id = %id, mail.kind = %message.kind, mail.recipients = message.to.len(), "mail: message queued");
        Ok(id)
    }

    /// Queues a copy of a message as a new row of the outbox, with the same text and recipients and without attachments. Returns `false` if the
    /// message no longer exists.
    ///
    /// # Errors
    /// If the outbox cannot be written.
    pub async fn repeat(&self, connection: &mut PgConnection, id: Uuid) -> Result<bool, MailError> {
        let queued = outbox::repeat(connection, self.seal_key(), id, self.uses_smtp()).await?;
        if queued {
            metrics::QUEUED.inc();
        }
        Ok(queued)
    }

    /// Sends a test message as [`Mailer::send_now`] does.
    ///
    /// # Errors
    /// If the mail server does not accept the message.
    pub async fn test(&self, address: &str) -> Result<String, MailError> {
        let body = "<p>This message shows that the server can send e-mail. Nothing needs to be done.</p>";
        self.send_now(address.parse()?, "Test message", body).await
    }

    /// Sends a message of the kind `test` at once and returns the mail server's reply. Without a mail server, queues the message for the
    /// built-in inbox.
    ///
    /// # Errors
    /// If the mail server does not accept the message.
    pub async fn send_now(&self, to: Address, subject: &str, html: &str) -> Result<String, MailError> {
        let message = Message::new("test", [to.clone()], subject, html)?;
        let delivery = self.delivery();
        let Some(transport) = &delivery.transport else {
            self.queue(self.pool(), &message).await?;
            return Ok("no mail server is configured: the message is in the built-in inbox at /_/inbox".to_owned());
        };
        let bytes = compose::message(&delivery.settings, &Entry::unsaved(&message), Vec::new())?.formatted();
        match transport.deliver(&delivery.settings.admin_email, to.as_str(), &bytes).await {
            Outcome::Taken(said) => Ok(said),
            Outcome::Refused(said) | Outcome::Later(said) => Err(MailError::Smtp(said)),
        }
    }

    /// Begins a trace span for the delivery of a mail, in the trace of the request that queued the mail. Returns `None` if the trace is not stored.
    pub(crate) fn delivery_span(&self, mail: Uuid) -> Option<Span> {
        self.inner.traces.of(mail).map(|trace| Span::of(trace, "mail deliver", Kind::Consumer))
    }

    /// Whether messages are sent over SMTP, because a mail server is configured.
    #[must_use]
    pub fn uses_smtp(&self) -> bool {
        self.delivery().transport.is_some()
    }

    /// Decrypts the stored subject or body of a message; `part` is `subject`, `html` or `text`. An unencrypted text is returned unchanged.
    #[must_use]
    pub fn opened(&self, id: Uuid, part: &str, stored: String) -> String {
        seal::open(self.seal_key(), id, part, stored)
    }

    pub(crate) fn seal_key(&self) -> &Secret {
        &self.inner.seal_key
    }

    /// Returns the present mail settings.
    #[must_use]
    pub fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.delivery().settings)
    }

    pub(crate) fn delivery(&self) -> Arc<Delivery> {
        self.inner.delivery.get()
    }

    /// Returns a receiver that is notified when the settings are replaced.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.inner.changed.subscribe()
    }

    pub(crate) fn database(&self) -> &Database {
        &self.inner.database
    }

    pub(crate) fn pool(&self) -> &PgPool {
        self.inner.database.admin()
    }
}
