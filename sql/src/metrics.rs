//! Prometheus metrics of this crate for /metrics. A metric that PostgREST also has uses PostgREST's name.

use std::sync::LazyLock;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

pub(crate) static TOKEN_LOOKUPS: LazyLock<Counter> = LazyLock::new(Counter::default);
pub(crate) static TOKEN_HITS: LazyLock<Counter> = LazyLock::new(Counter::default);
pub(crate) static TOKEN_EVICTIONS: LazyLock<Counter> = LazyLock::new(Counter::default);

pub(crate) static POOL_WAITING: LazyLock<Gauge> = LazyLock::new(Gauge::default);
pub(crate) static POOL_TIMEOUTS: LazyLock<Counter> = LazyLock::new(Counter::default);

static SCHEMA_CACHE_LOADS: LazyLock<Family<[(&str, &str); 1], Counter>> = LazyLock::new(Family::default);
static SCHEMA_CACHE_SECONDS: LazyLock<Gauge<f64, AtomicU64>> = LazyLock::new(Gauge::default);

static REPLICA_READS: LazyLock<Counter> = LazyLock::new(Counter::default);
static REPLICA_FALLBACKS: LazyLock<Family<[(&str, &str); 1], Counter>> = LazyLock::new(Family::default);
static REPLICA_UP: LazyLock<Gauge> = LazyLock::new(Gauge::default);
static REPLICA_LAG_SECONDS: LazyLock<Gauge<f64, AtomicU64>> = LazyLock::new(Gauge::default);
static REPLICA_LAG_BYTES: LazyLock<Gauge> = LazyLock::new(Gauge::default);

/// Counts a load of the schema cache. `seconds` is the duration of the load; `None` if the load failed.
pub(crate) fn count_schema_load(seconds: Option<f64>) {
    let status = if seconds.is_some() { "SUCCESS" } else { "FAIL" };
    SCHEMA_CACHE_LOADS.get_or_create(&[("status", status)]).inc();
    if let Some(seconds) = seconds {
        SCHEMA_CACHE_SECONDS.set(seconds);
    }
}

pub(crate) fn count_replica_read() {
    REPLICA_READS.inc();
}

/// Counts a read that the primary executes although a replica is configured.
pub fn count_replica_fallback(reason: &'static str) {
    REPLICA_FALLBACKS.get_or_create(&[("reason", reason)]).inc();
}

/// Updates the metrics of the replica: whether the replica is in use, the age of its data, and the bytes of WAL that it has not replayed.
/// `None` keeps the previous value.
pub(crate) fn set_replica(is_used: bool, age: Option<Duration>, bytes: Option<u64>) {
    REPLICA_UP.set(i64::from(is_used));
    if let Some(age) = age {
        REPLICA_LAG_SECONDS.set(age.as_secs_f64());
    }
    if let Some(bytes) = bytes {
        REPLICA_LAG_BYTES.set(i64::try_from(bytes).unwrap_or(i64::MAX));
    }
}

/// Registers the metrics of the replica.
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

/// Registers the metrics of this crate.
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
}
