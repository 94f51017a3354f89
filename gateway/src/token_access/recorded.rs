//! Determines which operations are recorded in the audit log: all changes, and reads of keys, code or logs. Other reads (settings, lists,
//! health) are only in the access log, because they are so frequent that they would hide the important entries.

use http::Method;

/// Read requests that are recorded. Each entry consists of a part of the path of a GET request to `/v1`, and the name of the `/mcp` tool
/// that reads the same data.
const READS: [(&str, &str); 3] =
    [("/api-keys", "get_publishable_keys"), ("/body", "get_edge_function"), ("/analytics/", "get_logs")];

/// Whether the audit log contains a request to `/v1`.
pub(crate) fn is_recorded_request(method: &Method, path: &str) -> bool {
    let only_reads = method == Method::GET || method == Method::HEAD;
    !only_reads || READS.iter().any(|(part, _)| path.contains(part))
}

/// Whether the audit log contains a call of a tool of `/mcp`. `only_reads`: whether the tool's annotations declare the tool as read-only.
pub(crate) fn is_recorded_tool(name: &str, only_reads: bool) -> bool {
    !only_reads || recorded_tools().any(|tool| tool == name)
}

/// Returns the names of the read-only tools whose calls the audit log contains.
pub(crate) fn recorded_tools() -> impl Iterator<Item = &'static str> {
    READS.iter().map(|(_, tool)| *tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_and_reads_of_keys_code_and_logs_are_recorded() {
        for path in ["/projects/abc/api-keys", "/projects/abc/functions/f/body", "/projects/abc/analytics/endpoints/x"]
        {
            assert!(is_recorded_request(&Method::GET, path) && is_recorded_request(&Method::HEAD, path), "{path}");
        }
        assert!(is_recorded_request(&Method::POST, "/projects/abc/database/query"));
        assert!(!is_recorded_request(&Method::GET, "/projects/abc/functions"));
        for tool in ["get_logs", "get_edge_function", "get_publishable_keys"] {
            assert!(is_recorded_tool(tool, true), "{tool}");
        }
        assert!(is_recorded_tool("apply_migration", false) && !is_recorded_tool("list_tables", true));
    }
}
