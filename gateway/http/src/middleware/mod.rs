//! Middleware for every request, with one task per file. [`super::pipeline`] determines the order in which it runs.

pub(super) mod access_log;
pub(super) mod authenticate;
pub(super) mod cli_key;
pub(super) mod client_ip;
pub(super) mod cors;
pub(super) mod file_host;
mod forwarding_headers;
pub(super) mod health;
pub(super) mod host;
pub(super) mod merged_slashes;
pub(super) mod outage;
pub(super) mod panic;
pub(super) mod refusal_delay;
pub(super) mod refused_requests;
pub(super) mod request_id;
pub(super) mod retry_after;
pub(super) mod security_headers;
