//! Messages that are too large for an engine: rows of an unlogged table, of which the engine carries the id.

use sqlx::PgPool;
use uuid::Uuid;

use super::BusError;

/// Messages that wait in the database for the other nodes.
#[derive(Debug)]
pub(super) struct Stored {
    pool: PgPool,
}

impl Stored {
    pub(super) fn new(pool: PgPool) -> Self {
        Self { pool }
    }

    /// Stores a message, and removes those that every node has read by now.
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

    /// Reads a message; `None` if it was removed.
    pub(super) async fn read(&self, id: Uuid) -> Result<Option<Vec<u8>>, BusError> {
        Ok(sqlx::query_scalar("select message from cloch.bus_messages where id = $1")
            .bind(id)
            .fetch_optional(&self.pool)
            .await?)
    }
}
