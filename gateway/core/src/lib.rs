//! Utilities that all crates share and that need no database: secret values, values that are replaced while the program runs, background
//! tasks that are restarted after a panic, threads for long computations, request ids, detection of a full disk, descriptions of
//! certificate errors, glob patterns, fields of the access log, spans of traces, minimum transfer rates of clients, messages about values
//! of a wrong type in TOML files, and the policy for outbound requests.

pub mod bounded_file;
pub mod certificate_error;
pub mod core_id;
pub mod disk_full;
pub mod glob;
pub mod listen;
pub mod live;
pub mod log_fields;
pub mod metrics;
pub mod min_rate;
pub mod outbound;
pub mod programs;
pub mod project_root;
pub mod request_ids;
pub mod sealed_text;
pub mod secret;
pub mod spans;
pub mod supervise;
pub mod tls_provider;
pub mod trace_context;
pub mod workers;
pub mod wrong_type;

pub use live::Live;
pub use secret::Secret;
pub use supervise::supervise;
