//! `--cli-keys`: uses the well-known API keys that the Supabase CLI gives every local project.

use std::net::IpAddr;

use cloch_core::Secret;
use cloch_sql::caller::cli_keys::{ANON_KEY, JWT_SECRET, PUBLISHABLE_KEY, SECRET_KEY, SERVICE_ROLE_KEY};
use url::Url;

use crate::config::{ConfigError, KeyOverrides, is_local_url};

/// Returns the CLI's well-known keys. Fails unless the server listens on loopback and its external URL is local.
pub(in crate::config) fn overrides(host: IpAddr, external_url: &Url) -> Result<KeyOverrides, ConfigError> {
    if !host.is_loopback() || !is_local_url(external_url) {
        return Err(ConfigError::Variable {
            name: "--cli-keys".into(),
            message: format!(
                "everybody knows these keys, and this server is reached from other machines ({host}, {external_url}): listen on 127.0.0.1, \
                 or give the app the keys of `cloch status`"
            ),
        });
    }
    let secret = |text| Some(Secret::new(text));
    Ok(KeyOverrides {
        jwt_secret: secret(JWT_SECRET),
        anon_key: secret(ANON_KEY),
        service_role_key: secret(SERVICE_ROLE_KEY),
        publishable_key: secret(PUBLISHABLE_KEY),
        secret_key: secret(SECRET_KEY),
        are_the_clis: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_refused_where_others_reach_the_server() {
        let (own, public) = ("http://127.0.0.1:54321".parse().unwrap(), "https://club.example".parse().unwrap());
        for (host, url) in [("0.0.0.0", &own), ("127.0.0.1", &public), ("192.168.1.2", &own)] {
            assert!(overrides(host.parse().unwrap(), url).unwrap_err().to_string().contains("everybody knows"));
        }
        assert!(overrides("127.0.0.1".parse().unwrap(), &own).unwrap().are_the_clis);
        assert!(overrides("::1".parse().unwrap(), &own).is_ok());
    }
}
