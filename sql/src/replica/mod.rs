//! Reads of the table REST API on a standby (`[database] read_url`).
//!
//! A background task ([`watch`]) repeatedly queries the primary's WAL position and the position up to which the standby has replayed the
//! WAL. From the two positions the task derives a time: all data committed before this time is visible on the standby. The primary executes
//! a read in two cases: the caller has written through this node after this time ([`written`]), or the request's header `cloch-lsn`
//! contains a position that the standby has not replayed. The batch of a read on the standby checks the replayed position once more,
//! because the standby may have been promoted or restarted. If a read fails on the standby, it is repeated on the primary.

mod examine;
mod log_end;
mod lsn;
mod outcome;
mod samples;
mod server;
mod watch;
mod written;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use http::request::Parts;
use http::{HeaderName, Method};
use tokio_util::sync::CancellationToken;

pub use examine::{Examined, examine};
pub use log_end::CURRENT_LSN;
pub use lsn::Lsn;
pub use outcome::Fallback;

use crate::caller::{CallerResult, ClientAddress};
use crate::client::{BatchStatement, ClientError, MessageMeter, Param, Pool};
use crate::login::Login;
use crate::{Caller, metrics};
use samples::Sample;
use written::{Key, Written};

/// Header with a WAL position of the primary. In a response: the position after the request's writes. In a request: the position that a
/// standby must have replayed to serve the request.
pub const LSN_HEADER: HeaderName = HeaderName::from_static("cloch-lsn");

/// SQL query that fails unless the server is a standby that has replayed the WAL up to `$1`.
const HAS_REPLAYED: &str = "select where (case when pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn \
                            then 'true' else 'the replica is behind' end)::boolean is null";

/// Time during which the standby is not used after a failed read. Within this time the background task [`watch`] detects a lost standby.
const REST_AFTER_FAILURE: Duration = Duration::from_secs(1);
/// Time in seconds after a token was issued during which the token's caller reads from the primary, because a new user must see the rows
/// that the sign-up wrote. The sign-up may have run on another node, whose clock may differ.
const NEW_SESSION_SECONDS: i64 = 5;

/// Settings of a read replica, a standby that serves reads.
#[derive(Clone, Debug)]
pub struct ReplicaSettings {
    /// Login to the replica.
    pub login: Login,
    /// Maximum age of the replica's data. With older data, the primary serves the reads.
    pub max_lag: Duration,
}

/// Standby that serves reads of the table REST API. Clones share the replica's state.
#[derive(Clone, Debug)]
pub struct Replica {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    pool: Pool,
    settings: ReplicaSettings,
    written: Written,
    view: ArcSwap<View>,
    began: Instant,
    /// End of the pause after a failed read, in milliseconds since the time `began`. During the pause the replica is not used.
    rests_until: AtomicU64,
    /// Whether a failed read on the replica has been logged since the last successful read.
    is_troubled: AtomicBool,
}

#[derive(Clone, Copy, Debug)]
enum View {
    Lost,
    /// The replica can serve reads. `replayed` is the WAL position up to which the replica has replayed the WAL. `sample` is the newest
    /// sampled position of the primary that is not after `replayed`; `None` if all samples are after it.
    Serving {
        sample: Option<Sample>,
        replayed: Lsn,
    },
}

/// Caller of a read, with the data that determines which WAL position the replica must have replayed.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// Key under which the caller's writes are recorded. `None` if the record of writes is not used, because the request contains a WAL
    /// position in the header `cloch-lsn`.
    key: Option<Key>,
    /// Issue time of the caller's token in Unix seconds.
    issued: Option<i64>,
    /// WAL position from the request's header `cloch-lsn`, which the replica must have replayed.
    lsn: Option<Lsn>,
}

/// Guard for a request that may write. When the guard is dropped, it records the current time as the time of the caller's last write.
#[derive(Debug)]
#[must_use]
pub struct Write {
    replica: Replica,
    key: Key,
}

impl Drop for Write {
    fn drop(&mut self) {
        self.replica.inner.written.note(self.key);
    }
}

impl Replica {
    /// Starts the background task that monitors a replica of `primary` until `shutdown`. Reads use the replica as soon as the task has
    /// confirmed that the server is a standby of `primary`.
    ///
    /// Requires a tokio runtime.
    #[must_use]
    pub fn start(primary: Login, settings: ReplicaSettings, pool_size: usize, shutdown: CancellationToken) -> Self {
        let inner = Arc::new(Inner {
            pool: Pool::new(settings.login.clone(), pool_size),
            settings,
            written: Written::new(),
            view: ArcSwap::from_pointee(View::Lost),
            began: Instant::now(),
            rests_until: AtomicU64::new(0),
            is_troubled: AtomicBool::new(false),
        });
        let replica = Self { inner };
        tokio::spawn(watch::run(replica.clone(), primary, shutdown));
        replica
    }

    /// Returns the connection pool of the replica.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        &self.inner.pool
    }

    /// For a request to any API except the table REST API, returns a guard that records a write of the caller when the guard is dropped.
    /// Returns `None` for a request that cannot write: GET, HEAD and OPTIONS, unless the request calls an edge function.
    #[must_use]
    pub fn write_of(&self, method: &Method, path: &str, extensions: &http::Extensions) -> Option<Write> {
        let is_read = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
        let may_write = !is_read || path.starts_with("/functions/v1/");
        if !may_write || path.starts_with("/rest/v1/") {
            return None;
        }
        let caller = extensions.get::<CallerResult>()?.as_ref().ok()?;
        Some(self.write_by(caller, extensions.get().copied()))
    }

    /// Returns a guard for a request to the table REST API. When the guard is dropped, it records a write of the caller.
    pub fn write(&self, caller: &Caller, parts: &Parts) -> Write {
        self.write_by(caller, ClientAddress::of_request(parts))
    }

    fn write_by(&self, caller: &Caller, address: Option<ClientAddress>) -> Write {
        Write { replica: self.clone(), key: self.inner.written.key(caller, address) }
    }

    /// Returns the caller of a read, with the data that determines which WAL position the replica must have replayed. Callers without a
    /// user share the record of writes with all callers of the same role and network (an IPv4 address or an IPv6 /64). If a request of such
    /// a caller has the header `cloch-lsn`, the header's position replaces this record.
    #[must_use]
    pub fn reader(&self, caller: &Caller, parts: &Parts) -> Reader {
        let lsn = parts.headers.get(LSN_HEADER).and_then(|value| value.to_str().ok()?.parse().ok());
        let is_user = caller.claim("sub").is_some();
        let key = || self.inner.written.key(caller, ClientAddress::of_request(parts));
        Reader {
            key: (is_user || lsn.is_none()).then(key),
            issued: caller.claims().get("iat").and_then(serde_json::Value::as_i64),
            lsn,
        }
    }

    /// Returns the WAL position that the replica must have replayed before it executes a read of `reader`.
    ///
    /// # Errors
    /// Returns the reason why the primary must execute the read.
    pub fn admit(&self, reader: &Reader) -> Result<Lsn, Fallback> {
        let now = Instant::now();
        if self.inner.rests(now) {
            return Err(Fallback::Lost);
        }
        let View::Serving { sample, replayed } = **self.inner.view.load() else { return Err(Fallback::Lost) };
        let sample = sample.ok_or(Fallback::Behind)?;
        if now.saturating_duration_since(sample.at) > self.inner.settings.max_lag {
            return Err(Fallback::Behind);
        }
        let has_written = reader.key.is_some_and(|key| self.inner.written.is_after(key, sample.at));
        let is_new =
            reader.issued.is_some_and(|issued| issued.saturating_add(NEW_SESSION_SECONDS) > sample.unix_seconds);
        match reader.lsn {
            _ if has_written || is_new => Err(Fallback::Written),
            Some(lsn) if lsn > replayed => Err(Fallback::Written),
            lsn => Ok(lsn.unwrap_or_default().max(sample.lsn)),
        }
    }

    /// Executes the batch of a read on the replica. The batch must begin with the statement [`has_replayed`].
    ///
    /// # Errors
    /// See [`crate::client::Connection::run`]. Also fails if no connection is available in time, or if the replica is lost during the read.
    pub async fn run(
        &self,
        caller: &Caller,
        meter: Arc<dyn MessageMeter>,
        steps: &mut [BatchStatement<'_>],
    ) -> Result<(), ClientError> {
        let checkout = outcome::checkout(&self.inner.pool, caller);
        let mut connection = checkout.await?;
        connection.set_meter(meter)?;
        tokio::select! {
            biased;
            outcome = connection.run_on_standby(caller.role(), steps) => outcome,
            () = self.inner.settings.login.availability.loss() => {
                Err(ClientError::Lost("the replica does not answer".to_owned()))
            }
        }
    }

    /// Counts the result of a read on the replica in the metrics. Returns whether the result is final; otherwise the read must run on the
    /// primary.
    #[must_use]
    pub fn is_answered(&self, outcome: &Result<(), ClientError>) -> bool {
        let error = match outcome {
            Ok(()) => {
                metrics::count_replica_read();
                if self.inner.is_troubled.load(Ordering::Relaxed) {
                    self.inner.is_troubled.store(false, Ordering::Relaxed);
                }
                return true;
            }
            Err(error) => error,
        };
        let Some(reason) = Fallback::of(error) else {
            metrics::count_replica_read();
            return true;
        };
        metrics::count_replica_fallback(reason.as_str());
        if reason == Fallback::Lost {
            self.inner.rest(Instant::now());
            if !self.inner.is_troubled.swap(true, Ordering::Relaxed) {
                tracing::warn!(%error, "read replica: connection of a read to the replica lost, reads use the primary for a while");
            }
        }
        false
    }
}

impl Inner {
    fn rests(&self, now: Instant) -> bool {
        self.millis(now) < self.rests_until.load(Ordering::Relaxed)
    }

    fn rest(&self, now: Instant) {
        self.rests_until.store(self.millis(now + REST_AFTER_FAILURE), Ordering::Relaxed);
    }

    fn millis(&self, time: Instant) -> u64 {
        u64::try_from(time.saturating_duration_since(self.began).as_millis()).unwrap_or(u64::MAX)
    }
}

/// Returns the statement with which the batch of a read on the replica begins. The statement fails if the replica has not replayed the
/// required WAL position, which is its parameter.
#[must_use]
pub fn has_replayed(params: &[Param]) -> BatchStatement<'_> {
    BatchStatement::silent(HAS_REPLAYED, params)
}
