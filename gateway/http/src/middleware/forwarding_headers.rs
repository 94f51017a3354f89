//! Removes forwarding headers (`X-Forwarded-*` and similar headers) from requests that do not come from a trusted proxy.

use cloch_sql::caller::forwarding::is_forwarding;
use http::HeaderMap;

pub(super) fn remove(headers: &mut HeaderMap) {
    let found: Vec<_> = headers.keys().filter(|name| is_forwarding(name.as_str())).cloned().collect();
    for name in found {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use regex::Regex;

    use super::*;

    /// Headers with which proxies, clouds and frameworks name a client or a URL. The test checks `is_forwarding` with this list, which was
    /// written independently.
    const KNOWN: &str = "
        x-forwarded-for x-forwarded-host x-forwarded-proto x-forwarded-protocol x-forwarded-scheme x-forwarded-port
        x-forwarded-prefix x-forwarded-path x-forwarded-uri x-forwarded-method x-forwarded-by x-forwarded-server x-forwarded-ssl
        x-forwarded-user x-forwarded-email x-forwarded-client-cert x-forwarded x-real-ip forwarded x-original-url
        x-original-uri x-original-host x-original-forwarded-for x-rewrite-url cf-connecting-ip cf-connecting-ipv6 cf-ipcountry
        cf-visitor true-client-ip x-client-ip fly-client-ip fastly-client-ip client-ip x-cluster-client-ip
        x-envoy-external-address x-appengine-user-ip x-azure-clientip x-remote-user front-end-https x-url-scheme";

    /// Patterns of headers that any client may send, and of headers in responses and in requests to other servers.
    const OF_CLIENTS: &str = "
        ^x-(amz-|metadata$|robots-tag$|upsert$|signature$|client-info$|transformations$|ignore-|http-method-override$)  # storage
        ^x-(jwt-aud|sb-error-code|supabase-api-version|total-count|api-key|request-id)$           # auth, realtime, edge
        ^x-(content-type-options|frame-options|relay-error|cloch-.*|region|powered-by|csrf-token)$ # answers, functions";

    #[test]
    fn every_known_header_of_proxies_is_on_the_list() {
        for name in KNOWN.split_whitespace() {
            assert!(is_forwarding(name), "{name}");
        }
    }

    #[test]
    fn headers_of_ordinary_clients_are_not() {
        let ordinary = "host accept accept-encoding authorization apikey user-agent x-client-info x-upsert content-type
            content-length content-profile cookie connection cache-control referer range tus-resumable upload-offset te
            x-amz-date x-request-id x-api-key x-robots-tag transfer-encoding if-none-match from date";
        for name in ordinary.split_whitespace() {
            assert!(!is_forwarding(name), "{name}");
        }
    }

    #[test]
    fn what_is_no_forwarding_header_stays() {
        let mut headers = HeaderMap::new();
        for name in ["x-forwarded-prefix", "x-client-info", "cf-connecting-ip"] {
            headers.append(name, "1".parse().unwrap());
            headers.append(name, "2".parse().unwrap());
        }
        remove(&mut headers);
        assert_eq!((headers.keys_len(), headers.len()), (1, 2));
    }

    /// Every header name in the source files must be classified: as a header of proxies by `is_forwarding`, or as a header of clients by
    /// `OF_CLIENTS`.
    #[test]
    fn every_header_that_the_sources_name_is_a_proxys_or_a_clients() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut sources = Vec::new();
        for folder in ["gateway", "sql/src", "sql/platform", "storage/src", "functions"] {
            collect(&root.join(folder), &mut sources);
        }
        assert!(sources.len() > 300, "the sources are there: {}", sources.len());
        let header = Regex::new(
            r#"["'`]((?i:x-[a-z0-9][a-z0-9-]*|forwarded|(?:[a-z]+-)*client-ip|(?:[a-z]+-)*connecting-ip|cf-[a-z-]+))["'`]"#,
        )
        .unwrap();
        let of_clients: Vec<Regex> = OF_CLIENTS
            .lines()
            .filter_map(|line| line.split('#').next())
            .map(str::trim)
            .filter(|pattern| !pattern.is_empty())
            .map(|pattern| Regex::new(pattern).unwrap())
            .collect();
        let mut seen = 0;
        for source in sources {
            let text = std::fs::read_to_string(&source).unwrap();
            // Skips test code, whose headers the program does not read.
            let text = text.split("#[cfg(test)]").next().unwrap();
            for found in header.captures_iter(text) {
                let name = found[1].to_ascii_lowercase();
                seen += 1;
                let is_sorted = is_forwarding(&name) || of_clients.iter().any(|pattern| pattern.is_match(&name));
                assert!(is_sorted, "{name} in {}: a proxy's header or any client's?", source.display());
            }
        }
        assert!(seen > 30, "only {seen} headers were found");
    }

    /// Collects the source files of the program, without test files and without the files that contain the header lists.
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "tests" && name != "target" {
                collect(&path, found);
            } else if (name.ends_with(".rs") || name.ends_with(".sql"))
                && !name.contains("test")
                && name != "forwarding.rs"
                && name != "forwarding_headers.rs"
            {
                found.push(path);
            }
        }
    }
}
