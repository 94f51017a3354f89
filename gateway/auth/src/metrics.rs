//! Prometheus counters of issued sessions and of password hashes. The metrics of password hashes have the same names as in Supabase's auth
//! server.

use std::sync::LazyLock;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

type ByLabel = Family<[(&'static str, String); 1], Counter>;

static SESSIONS: LazyLock<ByLabel> = LazyLock::new(Family::default);
static HASHES_SUBMITTED: LazyLock<Counter> = LazyLock::new(Counter::default);
static HASHES_COMPLETED: LazyLock<Counter> = LazyLock::new(Counter::default);
static COMPARES_SUBMITTED: LazyLock<Counter> = LazyLock::new(Counter::default);
static COMPARES_COMPLETED: LazyLock<Counter> = LazyLock::new(Counter::default);

/// Counts an issued access token and refresh token. `method` is the authentication method, as in the session's `amr` claim.
pub(crate) fn count_session(method: &str) {
    SESSIONS.get_or_create(&[("method", method.to_owned())]).inc();
}

/// The kind of a password computation: the hash of a new password, or the comparison of a password with a hash. Each computation is counted
/// as submitted when it enters the queue of the worker threads, and as completed when it ends. If the computation's request is cancelled,
/// the computation is counted only as submitted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Hashing {
    New,
    Compare,
}

impl Hashing {
    pub(crate) fn submitted(self) {
        match self {
            Self::New => HASHES_SUBMITTED.inc(),
            Self::Compare => COMPARES_SUBMITTED.inc(),
        };
    }

    pub(crate) fn completed(self) {
        match self {
            Self::New => HASHES_COMPLETED.inc(),
            Self::Compare => COMPARES_COMPLETED.inc(),
        };
    }
}

/// Registers the Prometheus counters of this crate.
pub fn register(registry: &mut Registry) {
    registry.register("cloch_sessions_issued", "Pairs of tokens issued, by method", SESSIONS.clone());
    let counters = [
        ("gotrue_generate_from_password_submitted", "Passwords to hash", &HASHES_SUBMITTED),
        ("gotrue_generate_from_password_completed", "Passwords hashed", &HASHES_COMPLETED),
        ("gotrue_compare_hash_and_password_submitted", "Passwords to compare with a hash", &COMPARES_SUBMITTED),
        ("gotrue_compare_hash_and_password_completed", "Passwords compared with a hash", &COMPARES_COMPLETED),
    ];
    for (name, help, counter) in counters {
        registry.register(name, help, Counter::clone(counter));
    }
}
