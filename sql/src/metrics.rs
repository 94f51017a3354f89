//! Counters of this crate, for /metrics. Names are PostgREST's where it has one.

use std::sync::LazyLock;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// Tokens looked up in the cache of verified tokens.
pub(crate) static TOKEN_LOOKUPS: LazyLock<Counter> = LazyLock::new(Counter::default);
/// Tokens that were found there.
pub(crate) static TOKEN_HITS: LazyLock<Counter> = LazyLock::new(Counter::default);
/// Tokens that were removed to make room for others.
pub(crate) static TOKEN_EVICTIONS: LazyLock<Counter> = LazyLock::new(Counter::default);

/// Requests that wait for a connection of one of this crate's pools.
pub(crate) static POOL_WAITING: LazyLock<Gauge> = LazyLock::new(Gauge::default);
/// Requests that waited in vain.
pub(crate) static POOL_TIMEOUTS: LazyLock<Counter> = LazyLock::new(Counter::default);

/// Loads of the schema cache by their outcome.
static SCHEMA_CACHE_LOADS: LazyLock<Family<[(&str, &str); 1], Counter>> = LazyLock::new(Family::default);
/// Seconds that the last load took.
static SCHEMA_CACHE_SECONDS: LazyLock<Gauge<f64, AtomicU64>> = LazyLock::new(Gauge::default);

/// Statements of the table REST that took longer than `[server] slow_statement`.
pub static SLOW_STATEMENTS: LazyLock<Counter> = LazyLock::new(Counter::default);

/// Reads of the table REST that the replica has answered.
static REPLICA_READS: LazyLock<Counter> = LazyLock::new(Counter::default);
/// Reads that the primary has answered although there is a replica, by the reason.
static REPLICA_FALLBACKS: LazyLock<Family<[(&str, &str); 1], Counter>> = LazyLock::new(Family::default);
/// What was last known of the replica.
static REPLICA_UP: LazyLock<Gauge> = LazyLock::new(Gauge::default);
static REPLICA_LAG_SECONDS: LazyLock<Gauge<f64, AtomicU64>> = LazyLock::new(Gauge::default);
static REPLICA_LAG_BYTES: LazyLock<Gauge> = LazyLock::new(Gauge::default);

/// Counts a load of the schema cache; `seconds` is `None` for one that failed.
pub(crate) fn count_schema_load(seconds: Option<f64>) {
    let status = if seconds.is_some() { "SUCCESS" } else { "FAIL" };
    SCHEMA_CACHE_LOADS.get_or_create(&[("status", status)]).inc();
    if let Some(seconds) = seconds {
        SCHEMA_CACHE_SECONDS.set(seconds);
    }
}

/// Counts a read that the replica has answered.
pub(crate) fn count_replica_read() {
    REPLICA_READS.inc();
}

/// Counts a read that the primary answers although there is a replica.
pub fn count_replica_fallback(reason: &'static str) {
    REPLICA_FALLBACKS.get_or_create(&[("reason", reason)]).inc();
}

/// Notes whether the replica is used, the age of its state, and how much of the log it has not replayed. What is not known stays as it was.
pub(crate) fn set_replica(is_used: bool, age: Option<Duration>, bytes: Option<u64>) {
    REPLICA_UP.set(i64::from(is_used));
    if let Some(age) = age {
        REPLICA_LAG_SECONDS.set(age.as_secs_f64());
    }
    if let Some(bytes) = bytes {
        REPLICA_LAG_BYTES.set(i64::try_from(bytes).unwrap_or(i64::MAX));
    }
}

/// Registers what is counted of the replica, where there is one.
pub fn register_replica(registry: &mut Registry) {
    registry.register("cloch_replica_up", "1 if the replica answers reads", REPLICA_UP.clone());
    registry.register("cloch_replica_lag_seconds", "Age of the replica's state", REPLICA_LAG_SECONDS.clone());
    registry.register("cloch_replica_lag_bytes", "Log that the replica has not replayed", REPLICA_LAG_BYTES.clone());
    registry.register(
        "cloch_replica_reads",
        "Reads of the table REST that the replica has answered",
        REPLICA_READS.clone(),
    );
    registry.register(
        "cloch_replica_fallbacks",
        "Reads that the primary has answered although there is a replica, by reason",
        REPLICA_FALLBACKS.clone(),
    );
}

/// Registers the counters of this crate.
pub fn register(registry: &mut Registry) {
    registry.register(
        "pgrst_jwt_cache_requests",
        "Tokens looked up in the cache of verified tokens",
        TOKEN_LOOKUPS.clone(),
    );
    registry.register("pgrst_jwt_cache_hits", "Tokens found in the cache of verified tokens", TOKEN_HITS.clone());
    registry.register("pgrst_jwt_cache_evictions", "Tokens removed from that cache", TOKEN_EVICTIONS.clone());
    registry.register("pgrst_db_pool_waiting", "Requests that wait for a database connection", POOL_WAITING.clone());
    registry.register(
        "pgrst_db_pool_timeouts",
        "Requests that got no database connection in time",
        POOL_TIMEOUTS.clone(),
    );
    registry.register("pgrst_schema_cache_loads", "Loads of the schema cache", SCHEMA_CACHE_LOADS.clone());
    registry.register(
        "pgrst_schema_cache_query_time_seconds",
        "Duration of the last load of the schema cache",
        SCHEMA_CACHE_SECONDS.clone(),
    );
    registry.register(
        "cloch_slow_statements",
        "Statements of the table REST that took longer than slow_statement",
        SLOW_STATEMENTS.clone(),
    );
}
