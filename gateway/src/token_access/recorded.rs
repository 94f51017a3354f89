//! Operations that are recorded in the audit log: changes, and reads of keys, code or logs. Other reads (settings, lists, health) are only
//! in the access log, because their number would hide the important entries.

use http::Method;

/// Reads that are recorded: a part of the path of GET requests below `/v1`, and the tool of `/mcp` that reads the same.
const READS: [(&str, &str); 3] =
    [("/api-keys", "get_publishable_keys"), ("/body", "get_edge_function"), ("/analytics/", "get_logs")];

/// Whether a request to `/v1` is recorded.
pub(crate) fn is_recorded_request(method: &Method, path: &str) -> bool {
    let only_reads = method == Method::GET || method == Method::HEAD;
    !only_reads || READS.iter().any(|(part, _)| path.contains(part))
}
