//! The bus by PostgreSQL's NOTIFY: nothing has to be installed. Right up to some thousand messages a second.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cloch_sql::Database;
use sqlx::PgPool;
use sqlx::postgres::{PgListener, PgPoolOptions};
use uuid::Uuid;

use super::large_payload::Stored;
use super::{BusError, Engine};

/// The channel of the notifications.
const CHANNEL: &str = "cloch_bus";
/// Bytes of a notification's text; PostgreSQL allows fewer than 8,000.
const MAX_TEXT_BYTES: usize = 7_900;
/// Marks the id of a stored message; base64 does not contain it.
const STORED: char = '@';

/// The engine.
#[derive(Debug)]
pub(super) struct Notify {
    pool: PgPool,
    listener: PgListener,
    stored: Stored,
    /// A notification whose stored message is being read.
    reading: Option<Uuid>,
}

/// One connection listens, the other sends.
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
            // `None`: the connection was lost, and with it the notifications sent meanwhile.
            let notification = self.listener.try_recv().await?.ok_or(BusError::Lost)?;
            match notification.payload().strip_prefix(STORED) {
                Some(id) => self.reading = Uuid::try_parse(id).ok(),
                // What is not base64 is as forged as what is not sealed.
                None => return Ok(STANDARD.decode(notification.payload()).unwrap_or_default()),
            }
        }
    }
}
