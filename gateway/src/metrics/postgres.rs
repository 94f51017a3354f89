//! Metrics of PostgreSQL and of the mail queue: whether PostgreSQL is reachable, its size, connections, replication slots and oldest
//! transaction, and the number of queued mails.

use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use cloch_sql::Database;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use sqlx::Row;
use sqlx::postgres::PgRow;

/// Timeout of all queries of a scrape together. Prometheus's own timeout for a scrape is ten seconds by default.
const TIMEOUT: Duration = Duration::from_secs(5);

type Value = Gauge<f64, AtomicU64>;

/// SQL query that returns the values of all gauges in one row. The amount of WAL that a replication slot retains is the distance between
/// its restart position and the current WAL position. On a standby, this amount is 0, because a standby writes no WAL.
const NUMBERS: &str = "select
    pg_database_size(current_database())::float8 as size,
    current_setting('max_connections')::float8 as max_connections,
    coalesce((select extract(epoch from max(clock_timestamp() - xact_start)) from pg_stat_activity
              where backend_type = 'client backend' and pid <> pg_backend_pid()), 0)::float8 as oldest_transaction,
    (select count(*) from pg_replication_slots)::float8 as slots,
    (select count(*) from pg_replication_slots where not active)::float8 as idle_slots,
    coalesce((select max(case when pg_is_in_recovery() then 0
                              else pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) end)
              from pg_replication_slots), 0)::float8 as slot_bytes,
    (select count(*) from cloch.mail_outbox where state = 'queued')::float8 as mails";

/// For each gauge: its column in [`NUMBERS`], the metric's name, and the help text.
const GAUGES: [(&str, &str, &str); 7] = [
    ("size", "cloch_postgres_size_bytes", "Size of the database"),
    ("max_connections", "cloch_postgres_max_connections", "Most connections that PostgreSQL takes"),
    ("oldest_transaction", "cloch_postgres_oldest_transaction_seconds", "Age of the oldest open transaction"),
    ("slots", "cloch_postgres_replication_slots", "Replication slots"),
    ("idle_slots", "cloch_postgres_replication_slots_idle", "Replication slots that nobody reads"),
    ("slot_bytes", "cloch_postgres_slot_retained_bytes", "Log that the slot furthest behind keeps on the disk"),
    ("mails", "cloch_mails_waiting", "Mails in the outbox that are not handed over yet"),
];

#[derive(Debug)]
pub(super) struct Postgres {
    database: Database,
    measured: Option<Instant>,
    up: Gauge,
    values: Vec<(&'static str, Value)>,
    connections: Family<[(&'static str, String); 1], Gauge>,
}

impl Postgres {
    pub(super) fn new(database: Database, registry: &mut Registry) -> Self {
        let (up, connections) = (Gauge::default(), Family::default());
        registry.register("cloch_postgres_up", "1 if PostgreSQL has answered at this scrape", up.clone());
        registry.register("cloch_postgres_connections", "Connections of clients by state", connections.clone());
        let register = |(column, name, help): (&'static str, &'static str, &'static str)| {
            let value = Value::default();
            registry.register(name, help, value.clone());
            (column, value)
        };
        let values = GAUGES.into_iter().map(register).collect();
        Self { database, measured: None, up, values, connections }
    }

    /// Queries PostgreSQL. If the query fails, `cloch_postgres_up` becomes 0, and the other metrics keep their last values.
    pub(super) async fn measure(&mut self) {
        self.measured = Some(Instant::now());
        let outcome = tokio::time::timeout(TIMEOUT, self.ask()).await;
        let failure = match outcome {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some(format!("no answer within {} seconds", TIMEOUT.as_secs())),
        };
        self.up.set(i64::from(failure.is_none()));
        if let Some(error) = failure {
            tracing::debug!(error, "metrics: querying PostgreSQL failed");
        }
    }

    /// Queries PostgreSQL if the last query is at least `max_age` old. If the connection to PostgreSQL is already known to be lost, sets
    /// `cloch_postgres_up` to 0 and runs no query.
    pub(super) async fn measure_again(&mut self, max_age: Duration) {
        if self.database.admin_login().availability.is_lost() {
            self.up.set(0);
        } else if self.measured.is_none_or(|last| last.elapsed() >= max_age) {
            self.measure().await;
        }
    }

    #[cfg(test)]
    pub(super) async fn close(&self) {
        self.database.admin().close().await;
    }

    async fn ask(&self) -> sqlx::Result<()> {
        let pool = self.database.admin();
        let row = sqlx::query(NUMBERS).fetch_one(pool).await?;
        for (column, value) in &self.values {
            value.set(row.try_get(*column)?);
        }
        let states = sqlx::query(
            "select coalesce(state, 'unknown'), count(*) from pg_stat_activity
             where backend_type = 'client backend' group by 1",
        );
        let states: Vec<PgRow> = states.fetch_all(pool).await?;
        self.connections.clear();
        for row in states {
            self.connections.get_or_create(&[("state", row.try_get(0)?)]).set(row.try_get(1)?);
        }
        Ok(())
    }
}
