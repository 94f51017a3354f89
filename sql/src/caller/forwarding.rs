//! Forwarding headers, by which a proxy reports the client of a request. These headers are accepted from trusted proxies and removed from
//! all other requests. The list includes headers that Cloch does not use itself, because database functions can read all headers in
//! `request.headers`, and upstreams of `/functions/v1` receive all headers.

const PREFIXES: [&str; 8] =
    ["x-forwarded", "x-original-", "x-rewrite-", "x-real-", "x-envoy-", "x-appengine-", "x-azure-", "cf-"];

const NAMES: [&str; 23] = [
    "forwarded",
    "client-ip",
    "true-client-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-remote-ip",
    "x-remote-addr",
    "x-remote-user",
    "remote-user",
    "x-host",
    "x-http-host-override",
    "x-proxyuser-ip",
    "x-nf-client-connection-ip",
    "x-vercel-forwarded-for",
    "fastly-client-ip",
    "fly-client-ip",
    "do-connecting-ip",
    "incap-client-ip",
    "cdn-src-ip",
    "front-end-https",
    "x-url-scheme",
    "x-scheme",
    "x-arr-ssl",
];

/// Whether a header is a forwarding header, which only a trusted proxy may send. `name` is in lower case.
#[must_use]
pub fn is_forwarding(name: &str) -> bool {
    // The test of the first letter excludes most headers cheaply.
    matches!(name.as_bytes().first(), Some(b'x' | b'c' | b'f' | b't' | b'd' | b'i' | b'r'))
        && (PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || NAMES.contains(&name))
}
