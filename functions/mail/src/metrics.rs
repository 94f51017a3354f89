//! Prometheus counters of mail for /metrics. The counters of deliveries have the same names as in Supabase's auth server.

use std::sync::LazyLock;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

pub(crate) static QUEUED: LazyLock<Counter> = LazyLock::new(Counter::default);
/// Number of messages that the mail server has accepted.
pub(crate) static SENT: LazyLock<Counter> = LazyLock::new(Counter::default);
/// Number of failed delivery attempts: the mail server was unreachable, deferred the message, or refused a recipient.
pub(crate) static ERRORS: LazyLock<Counter> = LazyLock::new(Counter::default);
/// Number of messages whose delivery failed permanently.
pub(crate) static FAILED: LazyLock<Counter> = LazyLock::new(Counter::default);

/// Registers the counters of this crate.
pub fn register(registry: &mut Registry) {
    registry.register("cloch_mails_queued", "Mails written into the outbox", QUEUED.clone());
    registry.register("global_auth_email_send_operations", "Mails handed to the mail server", SENT.clone());
    registry.register("global_auth_email_send_errors", "Attempts to hand over a mail that failed", ERRORS.clone());
    registry.register("cloch_mails_failed", "Mails that were given up", FAILED.clone());
}
