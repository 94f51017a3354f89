//! The allow-list of redirect URLs: the site URL and `additional_redirect_urls`.

use std::net::IpAddr;

use regex::Regex;
use url::{Host, Url};

#[derive(Debug)]
pub(crate) struct RedirectUrls {
    site: String,
    site_url: Url,
    globs: Vec<Regex>,
}

impl RedirectUrls {
    pub(crate) fn new(site: &str, globs: &[String]) -> Result<Self, String> {
        let site_url = Url::parse(site).map_err(|error| format!("site_url: {site:?} is not a valid URL ({error})"))?;
        let globs = globs
            .iter()
            .map(|glob| glob_to_regex(glob).map_err(|error| format!("additional_redirect_urls: {glob:?}: {error}")))
            .collect::<Result<_, _>>()?;
        Ok(Self { site: site.to_owned(), site_url, globs })
    }

    /// Returns the site URL as configured (`site_url`).
    pub(crate) fn site(&self) -> &str {
        &self.site
    }

    /// Returns the first of the requested redirect URLs that is allowed, or the site URL if none is allowed. A forbidden URL causes no
    /// error.
    pub(crate) fn first_allowed<'a>(&'a self, candidates: impl IntoIterator<Item = &'a str>) -> String {
        candidates.into_iter().find(|candidate| self.allows(candidate)).unwrap_or(&self.site).to_owned()
    }

    pub(crate) fn allows(&self, target: &str) -> bool {
        if target.is_empty() || target.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
            return false;
        }
        let Ok(url) = Url::parse(target) else {
            return false;
        };
        // Text before `@` is the user name and can mislead human readers about the real host. No legitimate redirect URL contains a user
        // name.
        if !url.username().is_empty() || url.password().is_some() {
            return false;
        }
        if self.is_own_site(&url) && has_written_host(target, &url) {
            return true;
        }
        if is_native_app(&url) && has_written_host(target, &url) {
            return true;
        }
        if !acceptable_host(&url, target) {
            return false;
        }
        let without_fragment = target.split('#').next().unwrap_or_default();
        self.globs.iter().any(|glob| glob.is_match(without_fragment))
    }

    fn is_own_site(&self, url: &Url) -> bool {
        let loopback = self.site_url.host().is_some_and(|host| is_loopback(&host));
        url.scheme() == self.site_url.scheme()
            && url.host().is_some()
            && url.host() == self.site_url.host()
            && (loopback || url.port_or_known_default() == self.site_url.port_or_known_default())
    }
}

/// Whether the redirect URL belongs to a native app that listens on a port of the user's machine (RFC 8252, section 7.3). Only loopback IP
/// addresses match, because a host name may resolve to another machine.
fn is_native_app(url: &Url) -> bool {
    let is_loopback = match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(_)) | None => false,
    };
    is_loopback && url.scheme() == "http"
}

/// Whether the host in the text of the redirect URL is written exactly as the URL parser returns it, except for upper and lower case. False
/// for example for `http://0x7f.1` and `http:host`.
fn has_written_host(target: &str, url: &Url) -> bool {
    let Some(host) = url.host_str() else {
        return false;
    };
    let authority = target.split_once("://").map_or("", |(_, rest)| rest);
    authority.get(..host.len()).is_some_and(|written| written.eq_ignore_ascii_case(host))
        && authority.get(host.len()..).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/', '?', '#']))
}

fn acceptable_host(url: &Url, target: &str) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback() && has_written_host(target, url),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) if matches!(url.scheme(), "http" | "https") => {
            !name.is_empty()
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-')
                && !name.chars().all(|c| c.is_ascii_digit())
                && has_written_host(target, url)
        }
        // Native apps use custom URL schemes, such as com.example.app://callback.
        Some(Host::Domain(_)) | None => {
            !matches!(url.scheme(), "http" | "https" | "javascript" | "data" | "vbscript" | "file")
        }
    }
}

fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback()),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

/// Converts a glob to a regular expression that must match the whole URL. `*` does not match the separators `.` and `/`; `**` does.
fn glob_to_regex(glob: &str) -> Result<Regex, String> {
    let mut regex = String::from("^(?:");
    let mut chars = glob.chars().peekable();
    let mut depth = 0usize;
    while let Some(c) = chars.next() {
        match c {
            '*' if chars.peek() == Some(&'*') => {
                while chars.next_if_eq(&'*').is_some() {}
                regex.push_str(".*");
            }
            '*' => regex.push_str("[^./]*"),
            '?' => regex.push_str("[^./]"),
            '[' => regex.push_str(&class(&mut chars)?),
            '{' => {
                depth += 1;
                regex.push_str("(?:");
            }
            '}' if depth > 0 => {
                depth -= 1;
                regex.push(')');
            }
            ',' if depth > 0 => regex.push('|'),
            '\\' => {
                let escaped = chars.next().ok_or("ends in a backslash")?;
                regex.push_str(&regex::escape(&escaped.to_string()));
            }
            c => regex.push_str(&regex::escape(&c.to_string())),
        }
    }
    if depth > 0 {
        return Err("a { is not closed".into());
    }
    regex.push_str(")$");
    Regex::new(&format!("(?s){regex}")).map_err(|error| error.to_string())
}

/// Parses a glob's character class after its `[`, and returns it as a regular expression. The class consists of characters and ranges; a
/// leading `!` negates it.
fn class(chars: &mut impl Iterator<Item = char>) -> Result<String, String> {
    let mut members: Vec<char> = Vec::new();
    for c in chars {
        if c == ']' && !members.is_empty() {
            let (negated, members) = match members.split_first() {
                Some(('!', rest)) if !rest.is_empty() => ("^", rest),
                _ => ("", members.as_slice()),
            };
            let escaped: String = members
                .iter()
                .map(|c| if *c == '-' || c.is_alphanumeric() { c.to_string() } else { format!("\\{c}") })
                .collect();
            return Ok(format!("[{negated}{escaped}]"));
        }
        members.push(c);
    }
    Err("a [ is not closed".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(globs: &[&str]) -> RedirectUrls {
        let globs: Vec<String> = globs.iter().map(|&glob| glob.into()).collect();
        RedirectUrls::new("https://club.example", &globs).unwrap()
    }

    #[test]
    fn refuses_what_only_looks_like_the_site() {
        let targets = targets(&["https://*.preview.example/**", "http://127.0.0.1:3000/**", "club://callback"]);
        for target in [
            "",
            "/admin",
            "//evil.example",
            "https://evil.example",
            "http://club.example",
            "https://club.example:8443",
            "https://club.example@evil.example",
            "https://user:pass@club.example/",
            "https://club.example.evil.example",
            "https://evil.example\\@club.example",
            "https:\\\\club.example",
            "https:club.example",
            "https:///evil.example",
            "https://club.example%2eevil.example",
            "https://club%2eexample",
            "https://club。example",
            "https://a.b.preview.example/x",
            "https://a.preview.example.evil.example/x",
            "https://evil.example/https://a.preview.example/x",
            "https://evil.example#https://a.preview.example/x",
            "https://a.preview.example",
            "http://2130706433:3000/x",
            "http://0x7f.0.0.1:3000/x",
            "http://127.1:3000/x",
            "http://10.0.0.1/",
            "http://localhost:8400/callback",
            "https://127.0.0.1:8400/",
            "http://127.0.0.1.evil.example/",
            "http://127.0.0.1@evil.example/",
            "http://0177.0.0.1/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::2]/",
            "javascript:alert(1)",
            "data:text/html,x",
            "https://club.example\n.evil.example",
            "https://a.preview.example/\tx",
            " https://club.example",
        ] {
            assert!(!targets.allows(target), "{target:?}");
        }
    }

    #[test]
    fn allows_the_site_and_what_the_list_matches() {
        let targets = targets(&["https://*.preview.example/**", "http://127.0.0.1:3000/**", "club://callback"]);
        for target in [
            "https://club.example",
            "https://club.example/",
            "https://CLUB.example/admin?x=1#y",
            "https://club.example:443/admin",
            "https://a.preview.example/x/y.html",
            "https://a.preview.example/x#fragment",
            "http://127.0.0.1:3000/auth",
            "http://127.0.0.1:8400/callback",
            "http://[::1]:8400/callback",
            "http://127.0.0.5/",
            "club://callback",
        ] {
            assert!(targets.allows(target), "{target:?}");
        }
        assert_eq!(targets.first_allowed(["https://evil.example", "https://club.example/a"]), "https://club.example/a");
        assert_eq!(targets.first_allowed(["https://evil.example"]), "https://club.example");
    }

    #[test]
    fn a_loopback_site_is_allowed_on_every_port() {
        let targets = RedirectUrls::new("http://127.0.0.1:3000", &[]).unwrap();
        assert!(targets.allows("http://127.0.0.1:54321/auth"));
        assert!(!targets.allows("http://localhost:3000/"));
    }

    #[test]
    fn globs_as_the_dashboard_explains_them() {
        let matches = |glob: &str, text: &str| glob_to_regex(glob).unwrap().is_match(text);
        assert!(matches("http://localhost:*/**", "http://localhost:3000/a/b.c"));
        assert!(!matches("http://localhost:3000/*", "http://localhost:3000/a/b"));
        assert!(!matches("http://localhost:3000/*", "http://localhost:3000/a.b"));
        assert!(matches("https://{a,b}.example/[!x]?", "https://b.example/yz"));
        assert!(!matches("https://{a,b}.example/[!x]?", "https://c.example/yz"));
        assert!(matches(r"https://a.example/\*", "https://a.example/*"));
        assert!(glob_to_regex("https://[a").is_err() && glob_to_regex("{a").is_err());
    }
}
