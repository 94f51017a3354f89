//! A standby that answers reads of the table REST (`[database] read_url`).
//!
//! A background task ([`watch`]) asks the primary for the position of its log and the standby for what it has replayed, and so knows a time
//! before which everything that was committed can be seen on the standby. A caller who has written through this node after that time
//! ([`written`]), or whose request names a later position (header `cloch-lsn`), is answered by the primary. The batch of a read asks the
//! standby once more, because it may have been promoted or restarted since. Whatever fails on the standby is asked again of the primary.

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

/// Carries a position of the primary's log: of what a response has written, and of what a request must see.
pub const LSN_HEADER: HeaderName = HeaderName::from_static("cloch-lsn");

/// Fails unless the server is a standby that has replayed the log up to `$1`.
const HAS_REPLAYED: &str = "select where (case when pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn \
                            then 'true' else 'the replica is behind' end)::boolean is null";

/// For how long the standby is left alone after a connection to it failed: the watch notices within that time what it is about.
const REST_AFTER_FAILURE: Duration = Duration::from_secs(1);
/// Seconds after its token was issued in which a caller reads from the primary: a new user must see what the sign-up has written, also at
/// another node, whose clock may differ.
const NEW_SESSION_SECONDS: i64 = 5;

/// The settings of a replica.
#[derive(Clone, Debug)]
pub struct ReplicaSettings {
    /// The login to it.
    pub login: Login,
    /// How old its state may be.
    pub max_lag: Duration,
}

/// A replica. Cheap to clone.
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
    /// Until when it is left alone, in milliseconds since `began`.
    rests_until: AtomicU64,
    /// Whether the log has said that reads fail on it.
    is_troubled: AtomicBool,
}

/// What is known of the replica.
#[derive(Clone, Copy, Debug)]
enum View {
    /// It is not used.
    Lost,
    /// It has replayed the log up to `replayed`, and of the positions that were asked for up to `sample`; `None` where that is none of them.
    Serving { sample: Option<Sample>, replayed: Lsn },
}

/// Who reads, and what must be seen.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// The caller whose writes are remembered; `None` where the request alone says what it must see.
    key: Option<Key>,
    /// When the caller's token was issued, in seconds since 1970.
    issued: Option<i64>,
    /// What the request must see.
    lsn: Option<Lsn>,
}

/// Notes, when it is dropped, that a caller may have written.
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
    /// Begins to watch a replica of `primary`, until `shutdown`; it is used as soon as it is known to be one.
    ///
    /// Needs a tokio runtime.
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

    /// The connections to it.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        &self.inner.pool
    }

    /// A write that a request to another API than the table REST may make: any method but those that read, and every call of a function.
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

    /// A write by the caller of a request to the table REST.
    #[must_use]
    pub fn write(&self, caller: &Caller, parts: &Parts) -> Write {
        self.write_by(caller, ClientAddress::of_request(parts))
    }

    fn write_by(&self, caller: &Caller, address: Option<ClientAddress>) -> Write {
        Write { replica: self.clone(), key: self.inner.written.key(caller, address) }
    }

    /// Who reads. A caller without a user is one of many with the same key and network: where such a request names a position, that alone
    /// says what it must see.
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

    /// What the replica must have replayed to answer this reader, where it has.
    ///
    /// # Errors
    /// Why the primary answers instead.
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

    /// Runs the batch of a read on the replica, behind the question whether it has replayed what it must.
    ///
    /// # Errors
    /// As [`crate::client::Connection::run`]; and when the replica gives no connection in time, or is lost meanwhile.
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

    /// Counts how a read ended on the replica. Returns whether that is the answer: otherwise the primary is asked.
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
                tracing::warn!(%error, "read failed on the replica, using the primary");
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

/// The first statement of a read's batch on the replica.
pub fn has_replayed(params: &[Param]) -> BatchStatement<'_> {
    BatchStatement::silent(HAS_REPLAYED, params)
}
