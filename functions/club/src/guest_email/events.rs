//! Reads the events that a letter may mention: those that the club's website announces and that are not over, with the dates of the season.

use cloch_functions::FunctionError;
use sqlx::PgPool;

/// Returns one line for each event, in the order of the website.
pub(super) async fn read(pool: &PgPool) -> Result<Vec<String>, FunctionError> {
    Ok(sqlx::query_scalar("select club.letter_events()").fetch_one(pool).await?)
}
