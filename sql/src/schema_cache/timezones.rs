//! Names of the time zones that PostgreSQL supports. PostgreSQL reads more than a thousand files for this list, which takes more CPU time than all
//! other queries of the schema cache together. The list is therefore queried when the first request names a time zone.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use tokio::sync::OnceCell;

use crate::client::{BatchStatement, ClientError, Pool, Rows};

/// The statement does not stay prepared, because it runs only once.
const QUERY: &str = "/* not kept */ select name from pg_timezone_names";

/// Names of the time zones. Clones share the list, which changes only with the server's software.
#[derive(Debug, Clone, Default)]
pub struct Timezones(Arc<OnceCell<HashSet<String>>>);

impl Timezones {
    /// Returns the names; an empty set before [`Timezones::load`] has succeeded.
    #[must_use]
    pub fn names(&self) -> &HashSet<String> {
        static NONE: LazyLock<HashSet<String>> = LazyLock::new(HashSet::new);
        self.0.get().unwrap_or(&NONE)
    }

    /// Queries the names if they are not known yet. Concurrent calls wait for one query.
    ///
    /// # Errors
    /// Fails if no connection is available or the query fails. The next call then repeats the query.
    pub async fn load(&self, pool: &Pool) -> Result<(), ClientError> {
        self.0.get_or_try_init(|| query(pool)).await.map(drop)
    }
}

async fn query(pool: &Pool) -> Result<HashSet<String>, ClientError> {
    let mut names = Rows::default();
    let mut steps = [
        BatchStatement::silent("select set_config('statement_timeout', '0', true)", &[]),
        BatchStatement { sql: QUERY, params: &[], sink: Some(&mut names) },
    ];
    pool.get().await?.run("", &mut steps).await?;
    Ok(names.rows().iter().filter_map(|row| row.text(0).map(str::to_owned)).collect())
}
