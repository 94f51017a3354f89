//! Bus messages that exceed the size limit of the bus engine (NOTIFY or NATS). Such a message is stored in an unlogged table, and the engine
//! carries only the id of its row.

use sqlx::PgPool;
use uuid::Uuid;

use super::BusError;

/// Table of large bus messages, which the other nodes read by id.
#[derive(Debug)]
pub(super) struct Stored {
    pool: PgPool,
}

impl Stored {
    pub(super) fn new(pool: PgPool) -> Self {
        Self { pool }
    }

    /// Stores a message and returns its id. Deletes messages older than one minute, because by then every node has read them.
    pub(super) async fn store(&self, message: &[u8]) -> Result<Uuid, BusError> {
        let id = Uuid::new_v4();
        sqlx::query(
            "with old as (delete from cloch.bus_messages where stored_at < now() - interval '1 minute')
             insert into cloch.bus_messages (id, message) values ($1, $2)",
        )
        .bind(id)
        .bind(message)
        .execute(&self.pool)
        .await?;
        Ok(id)
    }

    /// Reads a stored message by its id. `None` if the message was deleted.
    pub(super) async fn read(&self, id: Uuid) -> Result<Option<Vec<u8>>, BusError> {
        Ok(sqlx::query_scalar("select message from cloch.bus_messages where id = $1")
            .bind(id)
            .fetch_optional(&self.pool)
            .await?)
    }
}
