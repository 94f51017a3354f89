//! `cloch start --port N`: addresses of this server that the project's files write with the port of config.toml are those of the port
//! it listens on. Without it, links in mails lead to a port where nobody answers.

use toml::Value;
use url::Url;

use super::{ClochToml, ConfigToml, is_local_url};

/// Replaces the port of config.toml by `port` in the addresses of this server. An address elsewhere stays as it is written.
pub(super) fn follow(file: &mut ConfigToml, cloch: &mut ClochToml, port: u16) {
    let old = file.api.port;
    if old == port {
        return;
    }
    if let Some(moved) = moved(&file.auth.site_url, old, port) {
        file.auth.site_url = moved;
    }
    // Where else users may be sent: a program of the same machine may use the old port.
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

/// The address with the other port, where it is one of this machine with the old port. It is changed as text: it may be a pattern.
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
