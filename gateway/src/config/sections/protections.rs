//! Warns about keys of config.toml that protect a hosted Supabase project and have no effect in Cloch. The warning contains the missing
//! protection.

use toml::Value;

use crate::config::TomlFile;

/// A key without effect: `asks` is whether its value enables the protection, `would_have` completes the sentence of the warning.
struct Protection {
    key: &'static str,
    asks: fn(&Value) -> bool,
    would_have: &'static str,
}

const PROTECTIONS: [Protection; 5] = [
    Protection {
        key: "db.ssl_enforcement.enabled",
        asks: is_on,
        would_have: "refused connections to the database without TLS. Cloch's own database listens on 127.0.0.1 alone; with CLOCH_DB_URL, close \
                     yours with hostssl in pg_hba.conf",
    },
    Protection {
        key: "db.network_restrictions.enabled",
        asks: is_on,
        would_have: "limited the networks that reach the database. Cloch's own database listens on 127.0.0.1 alone; with CLOCH_DB_URL, limit \
                     yours in pg_hba.conf or by a firewall",
    },
    Protection {
        key: "api.tls.enabled",
        asks: is_on,
        would_have: "encrypted requests to the API. HTTPS is [server] tls of cloch.toml (docs/operations/certificate.md)",
    },
    Protection {
        key: "db.root_key",
        asks: is_text,
        would_have: "been the key of the vault's secrets. Their key here is in the data folder's secrets.toml",
    },
    Protection {
        key: "auth.sms.twilio.content_sid",
        asks: is_text,
        would_have: "restricted messages to a template approved by Twilio. The text of [auth.sms] template is sent",
    },
];

/// Returns a warning for each key that enables a protection which Cloch does not have.
pub(in crate::config) fn without_effect(source: &TomlFile) -> Vec<String> {
    let asked = PROTECTIONS
        .iter()
        .filter(|protection| source.value(protection.key).is_some_and(|value| (protection.asks)(&value)));
    asked
        .map(|Protection { key, would_have, .. }| {
            source.located(key, &format!("{key} has no effect: it would have {would_have}"))
        })
        .collect()
}

fn is_on(value: &Value) -> bool {
    value.as_bool() == Some(true)
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}
