//! Prometheus counters of uploads for `/metrics`. Counters that Supabase Storage also exports have the same names as in Supabase Storage.

use std::sync::LazyLock;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

/// Number of whole-file uploads that were started.
pub(crate) static UPLOADS_STARTED: LazyLock<Counter> = LazyLock::new(Counter::default);
/// Number of objects whose row was written by a whole-file, multipart or resumable upload or by a copy.
pub(crate) static UPLOADS_STORED: LazyLock<Counter> = LazyLock::new(Counter::default);
/// Total size in bytes of the objects counted by [`UPLOADS_STORED`].
pub(crate) static UPLOADED_BYTES: LazyLock<Counter> = LazyLock::new(Counter::default);

/// Registers the counters of this crate.
pub fn register(registry: &mut Registry) {
    registry.register("upload_started", "Uploads of whole files that were begun", UPLOADS_STARTED.clone());
    registry.register("upload_success", "Objects that were stored", UPLOADS_STORED.clone());
    registry.register("cloch_uploaded_bytes", "Bytes of the objects that were stored", UPLOADED_BYTES.clone());
}
