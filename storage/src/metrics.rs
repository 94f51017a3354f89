//! Counters of uploads, for /metrics. Names are those of Supabase's storage server where it has one.

use std::sync::LazyLock;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

/// Uploads of a whole file that were begun.
pub(crate) static UPLOADS_STARTED: LazyLock<Counter> = LazyLock::new(Counter::default);
/// Objects whose row was written: by an upload of a whole file, of parts, a resumable one, or a copy.
pub(crate) static UPLOADS_STORED: LazyLock<Counter> = LazyLock::new(Counter::default);
/// Bytes of these objects.
pub(crate) static UPLOADED_BYTES: LazyLock<Counter> = LazyLock::new(Counter::default);

/// Registers the counters of this crate.
pub fn register(registry: &mut Registry) {
    registry.register("upload_started", "Uploads of whole files that were begun", UPLOADS_STARTED.clone());
    registry.register("upload_success", "Objects that were stored", UPLOADS_STORED.clone());
    registry.register("cloch_uploaded_bytes", "Bytes of the objects that were stored", UPLOADED_BYTES.clone());
}
