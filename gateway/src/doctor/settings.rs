//! Checks the keys and settings, and reports what the server would refuse or warn about when it starts.

use cloch_sql::caller::token::Verifier;
use std::sync::Arc;

use super::Finding;
use crate::config::{Config, Secrets, warnings};
use crate::error::text;
use crate::setup;

/// Checks the settings that the server checks when it starts, before it opens the database.
pub(super) fn files(config: &Config) -> Finding {
    match setup::checks::settings(config).and_then(|()| setup::tls::check(config)) {
        Ok(()) => Finding::ok("configuration", config.project.join("config.toml").display().to_string()),
        Err(error) => {
            Finding::problem("configuration", text(&*error), "correct the setting: the server does not start before")
        }
    }
}

/// Returns warnings about settings without effect, and about unsafe combinations of settings, for example of TLS and proxy headers.
pub(super) fn warnings(config: &Config) -> Vec<Finding> {
    let mut findings: Vec<Finding> = config
        .warnings
        .iter()
        .map(|warning| Finding::warning("configuration", warning.clone(), "remove or correct the key"))
        .collect();
    findings.extend(
        warnings::of(config)
            .into_iter()
            .map(|warning| Finding::warning("settings", warning.message, format!("the setting is {}", warning.key))),
    );
    findings
}

/// Checks that the API keys are signed with the project's JWT secret.
pub(crate) fn keys(config: &Config) -> Finding {
    let file = config.secrets_file();
    if config.has_cluster() && !file.exists() {
        let seen = format!("{} is missing beside a database that was made with it", file.display());
        return Finding::problem("keys", seen, "restore it from a backup: without it sessions and secrets are lost");
    }
    if let Err(error) = setup::checks::signing_keys_of_file(config) {
        return Finding::problem(
            "keys",
            text(&*error),
            "correct the path or the file: the server does not start before",
        );
    }
    let loaded = match Secrets::load(&file) {
        Ok(Some(secrets)) => secrets.overridden(config.effective_keys()),
        Ok(None) => return Finding::ok("keys", "made at the first start"),
        Err(error) => Err(error),
    };
    let secrets = match loaded {
        Ok(secrets) => secrets,
        Err(error) => return Finding::problem("keys", error.to_string(), "restore the file from a backup"),
    };
    let ring = match setup::checks::signing_keys(config, &secrets) {
        Ok(ring) => Verifier::new(Arc::new(ring)),
        Err(error) => return Finding::problem("keys", text(&*error), "restore secrets.toml from a backup"),
    };
    for (name, key) in [("anon", &secrets.anon_key), ("service_role", &secrets.service_role_key)] {
        if let Err(error) = ring.verify(key) {
            let seen = format!("the {name} key is not valid under the project's JWT secret: {error}");
            return Finding::problem("keys", seen, remedy_for_keys(config));
        }
    }
    Finding::ok("keys", "signed with the project's secret")
}

/// Returns the remedy for invalid keys. The server signs API keys that are missing in secrets.toml when it starts. The operator must
/// correct API keys that config.toml or the environment sets.
fn remedy_for_keys(config: &Config) -> String {
    let own = &config.key_overrides;
    match own.jwt_secret.is_some() || own.anon_key.is_some() || own.service_role_key.is_some() {
        true => "key and secret must be set together (CLOCH_JWT_SECRET, CLOCH_ANON_KEY, CLOCH_SERVICE_ROLE_KEY, or [auth] of \
                 config.toml); without any of them they are made"
            .to_owned(),
        false => format!(
            "remove the lines anon_key and service_role_key from {}, and start again: both are signed anew",
            config.secrets_file().display()
        ),
    }
}
