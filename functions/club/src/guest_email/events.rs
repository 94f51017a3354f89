//! Reads the events that a letter may mention: the first 20 events of the club's published website content, without the past events.

use cloch_functions::FunctionError;
use sqlx::PgPool;

/// Returns one line for each event, with title, date, time and location, in the order of the website.
pub(super) async fn read(pool: &PgPool) -> Result<Vec<String>, FunctionError> {
    Ok(sqlx::query_scalar("select club.letter_events()").fetch_one(pool).await?)
}
