//! The scopes of the OAuth server, and functions that process space-separated lists of scopes (RFC 6749, section 3.3).

pub(crate) const OPENID: &str = "openid";
pub(crate) const PROFILE: &str = "profile";
pub(crate) const EMAIL: &str = "email";
pub(crate) const PHONE: &str = "phone";

pub(crate) const SUPPORTED: [&str; 5] = [OPENID, PROFILE, EMAIL, PHONE, "offline_access"];

/// The scope of a request without a `scope` parameter, the same as GoTrue's.
pub(crate) const DEFAULT: &str = EMAIL;

fn items(scopes: &str) -> impl Iterator<Item = &str> {
    scopes.split_ascii_whitespace()
}

pub(crate) fn has(scopes: &str, scope: &str) -> bool {
    items(scopes).any(|item| item == scope)
}

pub(crate) fn covers(granted: &str, asked: &str) -> bool {
    items(asked).all(|scope| has(granted, scope))
}

/// Returns the first unsupported scope of a space-separated list. `None` if all scopes are supported. An empty list is not supported: the
/// result for it is an empty string.
pub(crate) fn unsupported(scopes: &str) -> Option<&str> {
    if items(scopes).next().is_none() {
        return Some("");
    }
    items(scopes).find(|scope| !SUPPORTED.contains(scope))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_scopes_are_supported() {
        assert_eq!(unsupported("openid admin"), Some("admin"));
        assert_eq!(unsupported(" "), Some(""));
        assert_eq!(unsupported("openid  email"), None);
    }

    #[test]
    fn a_grant_covers_its_parts() {
        assert!(covers("openid email", "email"));
        assert!(!covers("openid email", "email phone"));
        assert!(!has("openid email", "mail"));
    }
}
