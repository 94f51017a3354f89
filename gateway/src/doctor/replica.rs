//! Checks the standby server that executes reads of the table REST API: whether it follows the primary, and its replication lag.

use std::time::Duration;

use cloch_sql::replica::{Examined, examine as ask};

use super::Finding;
use crate::config::{Config, DatabaseChoice};

/// Timeout for the queries on primary and standby.
const TIMEOUT: Duration = Duration::from_secs(10);
const SUBJECT: &str = "replica";

pub(super) async fn examine(config: &Config) -> Option<Finding> {
    let replica = config.replica.as_ref()?;
    let DatabaseChoice::External(primary) = &config.database else { return None };
    let seen = tokio::time::timeout(TIMEOUT, ask(primary, &replica.login)).await;
    let seen = seen.unwrap_or_else(|_| Err(format!("no answer within {} seconds", TIMEOUT.as_secs())));
    Some(judge(seen, replica.max_lag))
}

fn judge(seen: Result<Examined, String>, max_lag: Duration) -> Finding {
    match seen {
        Ok(Examined::Follows(time)) => {
            Finding::ok(SUBJECT, format!("has replayed what the primary had written, after {} ms", time.as_millis()))
        }
        Ok(Examined::Behind(bytes)) => {
            let remedy = format!(
                "reads stay at the primary where it is more than {} seconds behind (read_max_lag): see whether it replays \
                 (pg_is_wal_replay_paused, pg_stat_replication), and what holds it up",
                max_lag.as_secs()
            );
            Finding::warning(SUBJECT, format!("is {bytes} bytes of log behind the primary"), remedy)
        }
        Err(error) => {
            let remedy = "the primary answers all reads: [database] read_url of cloch.toml must name a streaming standby of CLOCH_DB_URL, \
                          the same database, and a login that may switch to the callers' roles";
            Finding::problem(SUBJECT, error, remedy)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn a_server_that_is_no_replica_is_a_problem_and_one_behind_a_warning() {
        let level = |seen| judge(seen, Duration::from_secs(10)).level;
        assert_eq!(level(Ok(Examined::Follows(Duration::from_millis(3)))), Level::Ok);
        assert_eq!(level(Ok(Examined::Behind(1))), Level::Warning);
        assert_eq!(level(Err("it is no standby".to_owned())), Level::Problem);
    }
}
