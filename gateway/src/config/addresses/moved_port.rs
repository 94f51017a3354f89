//! `cloch start --port N`: replaces the port of config.toml by N in all URLs of this server that the project's settings contain. Without the
//! replacement, links in mails would refer to the old port.

use toml::Value;
use url::Url;

use crate::config::{ClochToml, ConfigToml, is_local_url};

/// Replaces the port of config.toml by `port` in URLs of this server. Other URLs stay unchanged.
pub(in crate::config) fn follow(file: &mut ConfigToml, cloch: &mut ClochToml, port: u16) {
    let old = file.api.port;
    if old == port {
        return;
    }
    if let Some(moved) = moved(&file.auth.site_url, old, port) {
        file.auth.site_url = moved;
    }
    // The URLs with the old port stay in the allow-list of redirects, because another local program may use these URLs.
    let more: Vec<String> =
        file.auth.additional_redirect_urls.iter().filter_map(|text| moved(text, old, port)).collect();
    file.auth.additional_redirect_urls.extend(more);
    for (_, value) in &mut cloch.web.settings {
        if let Value::String(text) = value
            && let Some(moved) = moved(text, old, port)
        {
            *text = moved;
        }
    }
}

/// Returns the URL with the new port if it is a local URL with the old port, otherwise `None`. Replaces the port in the text, so that the
/// rest of the URL, which may be a glob pattern, stays unchanged.
fn moved(text: &str, old: u16, port: u16) -> Option<String> {
    let url = Url::parse(text).ok()?;
    if !matches!(url.scheme(), "http" | "https") || url.port() != Some(old) || !is_local_url(&url) {
        return None;
    }
    Some(text.replacen(&format!(":{old}"), &format!(":{port}"), 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_address_of_this_server_moves() {
        for (written, expected) in [
            ("http://127.0.0.1:54321", Some("http://127.0.0.1:6000")),
            ("http://localhost:54321/**", Some("http://localhost:6000/**")),
            ("http://[::1]:54321/a", Some("http://[::1]:6000/a")),
            ("http://127.0.0.1:3000", None),
            ("https://club.example", None),
            ("https://club.example:54321", None),
            ("app://callback", None),
            ("club@example.org", None),
        ] {
            assert_eq!(moved(written, 54321, 6000).as_deref(), expected, "{written}");
        }
    }
}
