//! Bus engine over PostgreSQL's NOTIFY, which needs no additional server. Suitable for up to some thousand messages per second.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cloch_sql::Database;
use sqlx::PgPool;
use sqlx::postgres::{PgListener, PgPoolOptions};
use uuid::Uuid;

use super::large_payload::Stored;
use super::{BusError, Engine};

const CHANNEL: &str = "cloch_bus";
/// Maximum length of a notification's payload in bytes. PostgreSQL allows fewer than 8,000.
const MAX_TEXT_BYTES: usize = 7_900;
/// First character of a payload that contains the id of a stored message ([`Stored`]). Base64 does not contain this character.
const STORED: char = '@';

#[derive(Debug)]
pub(super) struct Notify {
    pool: PgPool,
    listener: PgListener,
    stored: Stored,
    /// Id of a stored message that a notification announced and that is not read yet.
    reading: Option<Uuid>,
}

/// Creates a pool of database connections for the bus. The NOTIFY engine uses one connection to listen and one connection to send.
pub(super) fn pool(database: &Database, connections: u32) -> PgPool {
    let options = PgPoolOptions::new().max_connections(connections).test_before_acquire(false);
    database.admin_login().pool(options, "cloch bus")
}

impl Notify {
    pub(super) async fn connect(database: &Database) -> Result<Self, BusError> {
        let pool = pool(database, 2);
        let mut listener = PgListener::connect_with(&pool).await?;
        listener.listen(CHANNEL).await?;
        Ok(Self { stored: Stored::new(pool.clone()), pool, listener, reading: None })
    }
}

impl Engine for Notify {
    async fn publish(&mut self, messages: Vec<Vec<u8>>) -> Result<(), BusError> {
        let mut texts = Vec::with_capacity(messages.len());
        for message in messages {
            let text = STANDARD.encode(&message);
            texts.push(if text.len() <= MAX_TEXT_BYTES {
                text
            } else {
                format!("{STORED}{}", self.stored.store(&message).await?)
            });
        }
        sqlx::query("select count(pg_notify($1, text)) from unnest($2::text[]) as text")
            .bind(CHANNEL)
            .bind(texts)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    async fn receive(&mut self) -> Result<Vec<u8>, BusError> {
        loop {
            if let Some(id) = self.reading {
                let message = self.stored.read(id).await?;
                self.reading = None;
                if let Some(message) = message {
                    return Ok(message);
                }
            }
            // `None` means that the connection was lost. Notifications that were sent since then are lost too.
            let notification = self.listener.try_recv().await?.ok_or(BusError::Lost)?;
            match notification.payload().strip_prefix(STORED) {
                Some(id) => self.reading = Uuid::try_parse(id).ok(),
                // A payload that is not base64 becomes an empty message, which decryption refuses.
                None => return Ok(STANDARD.decode(notification.payload()).unwrap_or_default()),
            }
        }
    }
}
