//! Access control of `/metrics` on the public port. Clients with the secret key have access. With `access = "local"`, clients on this
//! machine have access without a key.

use cloch_http::is_operator;
use cloch_sql::caller::{self, ApiKeys};
use http::request::Parts;

use crate::config::MetricsAccess;

/// Whether a client may read the metrics with this request.
pub(super) fn admits(access: MetricsAccess, keys: &ApiKeys, parts: &Parts) -> bool {
    match access {
        MetricsAccess::Off => false,
        MetricsAccess::Key => is_operator(keys, &parts.headers),
        // If a request from this machine contains a key, the key is also checked, so that `cloch status --url` detects a wrong key.
        MetricsAccess::Local => {
            is_operator(keys, &parts.headers) || (caller::is_local(parts) && !parts.headers.contains_key("apikey"))
        }
    }
}

#[cfg(test)]
mod tests {
    use cloch_core::Secret;
    use cloch_sql::caller::ClientAddress;
    use http::Request;

    use super::*;

    fn keys() -> ApiKeys {
        ApiKeys {
            anon: Secret::new("a.n.on"),
            service_role: Secret::new("s.r.v"),
            publishable: Secret::new("sb_publishable_x"),
            secret: Secret::new("sb_secret_y"),
            issued: caller::IssuedKeys::default(),
        }
    }

    fn admitted(access: MetricsAccess, address: &str, headers: &[(&str, &str)]) -> bool {
        let mut builder = Request::builder().uri("/metrics").header("host", "127.0.0.1:54321");
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        let mut parts = builder.body(()).unwrap().into_parts().0;
        parts.extensions.insert(ClientAddress(address.parse().unwrap()));
        admits(access, &keys(), &parts)
    }

    #[test]
    fn strangers_are_refused() {
        for access in [MetricsAccess::Off, MetricsAccess::Key, MetricsAccess::Local] {
            assert!(!admitted(access, "192.0.2.7", &[]), "{access:?}");
            assert!(!admitted(access, "192.0.2.7", &[("apikey", "sb_publishable_x")]), "{access:?}");
            assert!(!admitted(access, "192.0.2.7", &[("authorization", "Bearer a.n.on")]), "{access:?}");
            assert!(!admitted(access, "127.0.0.1", &[("x-forwarded-for", "192.0.2.7")]), "{access:?}");
        }
        assert!(!admitted(MetricsAccess::Key, "127.0.0.1", &[]), "a proxy on this machine looks local");
        assert!(!admitted(MetricsAccess::Off, "127.0.0.1", &[("apikey", "sb_secret_y")]));
    }

    #[test]
    fn the_operator_is_answered() {
        for access in [MetricsAccess::Key, MetricsAccess::Local] {
            assert!(admitted(access, "192.0.2.7", &[("authorization", "Bearer sb_secret_y")]));
            assert!(admitted(access, "192.0.2.7", &[("authorization", "Bearer s.r.v")]));
            assert!(admitted(access, "192.0.2.7", &[("apikey", "sb_secret_y")]));
        }
        assert!(admitted(MetricsAccess::Local, "127.0.0.1", &[]));
        assert!(!admitted(MetricsAccess::Local, "127.0.0.1", &[("apikey", "a.n.on")]), "a key that is sent is checked");
        assert!(admitted(MetricsAccess::Local, "127.0.0.1", &[("apikey", "s.r.v")]));
    }
}
