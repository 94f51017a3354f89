//! Warnings about settings that are valid one by one, but unsafe in combination or without effect. The server logs them when it starts.

use std::borrow::Cow;
use std::path::Path;

use super::Config;
use super::sections::backup_days;

/// Lifetime of codes and links, in seconds, above which a warning is logged.
const MAX_CODE_LIFETIME_SECONDS: u64 = 3600;

/// Grace period of the sweep, in seconds, that is longer than the time between the file and the row of an upload.
const SAFE_GRACE_SECONDS: u64 = 60;

/// A warning about an unsafe combination of settings or a setting without effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Dotted key of the setting to change.
    pub key: Cow<'static, str>,
    /// The risk, and how to avoid it.
    pub message: String,
}

/// Returns the warnings about a configuration: features of `[auth]` that this server lacks, and unsafe combinations. Most rules apply to
/// public servers only.
#[must_use]
pub fn of(config: &Config) -> Vec<Warning> {
    let missing = cloch_auth::missing_features(&config.file.auth).into_iter();
    let mut warnings: Vec<Warning> =
        missing.map(|missing| Warning { key: missing.key.into(), message: missing.message.into() }).collect();
    warnings.extend(open_issuers(config));
    warnings.extend(backup_days(config));
    warnings.extend(read_url(config));
    warnings.extend(declarative_schemas(config));
    warnings.extend(backup_without_target(config));
    warnings.extend(short_grace(config));
    if !config.is_public() {
        warnings.extend(open_to_the_network(config));
        return warnings;
    }
    for rule in [proxies, plain_http, inbox, seed, confirmations, anonymous_sign_ins, code_life] {
        warnings.extend(rule(config));
    }
    warnings
}

fn warn_if(unsafe_: bool, key: &'static str, message: impl FnOnce() -> String) -> Option<Warning> {
    unsafe_.then(|| Warning { key: key.into(), message: message() })
}

fn open_issuers(config: &Config) -> Vec<Warning> {
    let open = cloch_auth::third_party::without_audience(&config.file.auth, &config.cloch.auth.third_party_audience);
    let warning = |name: String| Warning {
        key: format!("auth.third_party.{name}").into(),
        message:
            "tokens that this issuer makes for other applications are accepted too: name your audience in cloch.toml, \
                  [auth] third_party_audience"
                .into(),
    };
    open.into_iter().map(warning).collect()
}

fn open_to_the_network(config: &Config) -> Option<Warning> {
    warn_if(!config.host.is_loopback(), "api.external_url", || {
        format!(
            "{} is reached from other machines, but links in mails lead to {}: name the address that people use",
            config.host, config.external_url,
        )
    })
}

fn backup_days(config: &Config) -> Option<Warning> {
    let real = backup_days::longest(&config.cloch.backup)?;
    let told = backup_days::told(&config.cloch.web.settings)?;
    warn_if(told < real, "web.settings.backupDays", || {
        format!(
            "visitors are told that backups contain deleted data for {told} days, but it is {real} days: remove the key, so that {real} is \
             shown, or shorten [backup.keep]"
        )
    })
}

fn backup_without_target(config: &Config) -> Option<Warning> {
    let backup = &config.cloch.backup;
    warn_if(backup.to.is_none() && backup.encrypt_to.is_some(), "backup.to", || {
        "no backups are made: encrypt_to is set, but not the target".to_owned()
    })
}

fn short_grace(config: &Config) -> Option<Warning> {
    let grace = config.cloch.storage.sweep_grace;
    warn_if(grace < SAFE_GRACE_SECONDS, "storage.sweep_grace", || {
        format!(
            "with {grace} s, the sweep can delete the file of an upload before the upload has written its row: write at least \
             {SAFE_GRACE_SECONDS}"
        )
    })
}

fn read_url(config: &Config) -> Option<Warning> {
    let is_unset = !config.database_is_embedded() && config.cloch.database.names_unset_variable();
    warn_if(is_unset, "database.read_url", || {
        "the variable that it names is not set: the primary answers all reads".to_owned()
    })
}

/// Warns about declarative schemas in a project without migrations, because only the Supabase CLI turns them into migrations.
fn declarative_schemas(config: &Config) -> Option<Warning> {
    let project = Path::new(&config.project);
    let is_left_out = contains_sql(&project.join("schemas")) && !contains_sql(&project.join("migrations"));
    warn_if(is_left_out, "db.migrations.schema_paths", || {
        "the declarative schemas in schemas/ are not applied, and the project has no migrations: make one of them, with `supabase db diff \
         --file schemas`, or by copying the files in their order into migrations/20260101000000_schemas.sql"
            .into()
    })
}

/// Whether a folder or one of its subfolders contains SQL files.
fn contains_sql(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => contains_sql(&entry.path()),
        Ok(kind) => kind.is_file() && entry.path().extension().is_some_and(|extension| extension == "sql"),
        Err(_) => false,
    })
}

fn proxies(config: &Config) -> Option<Warning> {
    let server = &config.cloch.server;
    // A public server without HTTPS that listens on loopback or has an https URL must be behind a proxy.
    let behind_proxy = server.tls.is_none()
        && (config.host.is_loopback() || config.outside_urls().iter().any(|url| url.scheme() == "https"));
    warn_if(behind_proxy && server.trusted_proxies.is_empty(), "server.trusted_proxies", || {
        "the proxy in front is missing in this list: all its clients count as one address, and share its limits".into()
    })
}

fn plain_http(config: &Config) -> Option<Warning> {
    let url = config.outside_urls().into_iter().find(|url| url.scheme() == "http")?;
    warn_if(true, "api.external_url", || {
        format!("passwords and tokens are sent unencrypted to {url}: put a TLS proxy in front, and write https")
    })
}

fn inbox(config: &Config) -> Option<Warning> {
    let sends = config.file.auth.email.smtp.as_ref().is_some_and(|smtp| smtp.enabled);
    warn_if(!sends, "auth.email.smtp", || {
        "no mail leaves this machine: it stays in the inbox at /_/inbox, which opens with the key of the link below"
            .into()
    })
}

fn seed(config: &Config) -> Option<Warning> {
    warn_if(config.file.db.seed.enabled, "db.seed.enabled", || {
        "a new database is filled with the seed's demonstration data: set it to false".into()
    })
}

fn confirmations(config: &Config) -> Option<Warning> {
    let email = &config.file.auth.email;
    let open = config.file.auth.enable_signup && email.enable_signup;
    warn_if(open && !email.enable_confirmations, "auth.email.enable_confirmations", || {
        "anybody can sign up with anybody's address: set it to true".into()
    })
}

fn anonymous_sign_ins(config: &Config) -> Option<Warning> {
    let auth = &config.file.auth;
    let checked = auth.captcha.as_ref().is_some_and(|captcha| captcha.enabled);
    warn_if(auth.enable_anonymous_sign_ins && !checked, "auth.enable_anonymous_sign_ins", || {
        "programs can make any number of anonymous users: configure [auth.captcha]".into()
    })
}

fn code_life(config: &Config) -> Option<Warning> {
    let life = config.file.auth.email.otp_expiry;
    warn_if(life > MAX_CODE_LIFETIME_SECONDS, "auth.email.otp_expiry", || {
        format!(
            "codes and links of mails hold for {life} seconds: 600 are advised, and {MAX_CODE_LIFETIME_SECONDS} at most"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Flags;

    /// Returns the keys of the warnings for a project with this config.toml and cloch.toml.
    fn keys(config: &str, cloch: &str, host: Option<&str>) -> Vec<String> {
        let project = std::env::temp_dir().join(format!("cloch-warnings-{}", uuid::Uuid::new_v4().simple()));
        std::fs::create_dir_all(&project).unwrap();
        std::fs::write(project.join("config.toml"), config).unwrap();
        std::fs::write(project.join("cloch.toml"), cloch).unwrap();
        let flags = Flags { project: Some(project.clone()), host: host.map(str::to_owned), ..Flags::default() };
        let config = Config::read(&flags, |_| None).unwrap();
        std::fs::remove_dir_all(project).unwrap();
        of(&config).into_iter().map(|warning| warning.key.into_owned()).collect()
    }

    const SAFE: &str = "
        [api]
        external_url = \"https://club.example\"
        [db.seed]
        enabled = false
        [auth]
        site_url = \"https://club.example\"
        [auth.email]
        enable_confirmations = true
        otp_expiry = 600
        [auth.email.smtp]
        host = \"smtp.example.org\"
        admin_email = \"club@example.org\"
    ";
    const PROXY: &str = "[server]\ntrusted_proxies = [\"127.0.0.1/32\"]\n";

    #[test]
    fn each_unsafe_setting_of_a_public_server_is_named() {
        assert_eq!(keys(SAFE, "", None), ["server.trusted_proxies"]);
        let without = |line: &str, other: &str| {
            assert!(SAFE.contains(line), "{line}");
            keys(&SAFE.replace(line, other), PROXY, None)
        };
        assert_eq!(without("external_url = \"https", "external_url = \"http"), ["api.external_url"]);
        assert_eq!(without("[auth.email.smtp]", "[auth.email.smtp]\nenabled = false"), ["auth.email.smtp"]);
        assert_eq!(without("enabled = false", "enabled = true"), ["db.seed.enabled"]);
        assert_eq!(without("enable_confirmations = true", ""), ["auth.email.enable_confirmations"]);
        assert_eq!(
            without("[auth.email]", "enable_anonymous_sign_ins = true\n[auth.email]"),
            ["auth.enable_anonymous_sign_ins"]
        );
        assert_eq!(without("otp_expiry = 600", "otp_expiry = 86400"), ["auth.email.otp_expiry"]);
    }

    #[test]
    fn what_is_switched_on_and_missing_is_named_at_every_server() {
        assert_eq!(keys("[auth.web3.bitcoin]\nenabled = true", "", None), ["auth.web3.bitcoin.enabled"]);
    }

    #[test]
    fn declarative_schemas_without_migrations_are_named() {
        let project = std::env::temp_dir().join(format!("cloch-warnings-{}", uuid::Uuid::new_v4().simple()));
        std::fs::create_dir_all(project.join("schemas/public")).unwrap();
        std::fs::create_dir_all(project.join("migrations")).unwrap();
        std::fs::write(project.join("config.toml"), "").unwrap();
        let read = || {
            let flags = Flags { project: Some(project.clone()), ..Flags::default() };
            of(&Config::read(&flags, |_| None).unwrap())
        };
        assert!(read().is_empty());
        std::fs::write(project.join("schemas/public/notes.sql"), "create table notes (id int);").unwrap();
        let warnings = read();
        assert!(
            warnings.len() == 1 && warnings.iter().all(|one| one.message.contains("schemas/ are not applied")),
            "{warnings:?}"
        );
        std::fs::write(project.join("migrations/1_notes.sql"), "create table notes (id int);").unwrap();
        assert!(read().is_empty(), "the migrations contain the tables");
        std::fs::remove_dir_all(project).unwrap();
    }

    #[test]
    fn a_site_outside_makes_a_server_public() {
        let site = "[db.seed]\nenabled = false\n[auth]\nsite_url = \"https://club.example\"\n[auth.email]\nenable_confirmations = true\n";
        assert_eq!(keys(site, "", None), ["server.trusted_proxies", "auth.email.smtp"]);
        assert_eq!(
            keys("[auth]\nexternal_url = \"https://auth.example/auth/v1\"", PROXY, None).first().map(String::as_str),
            Some("auth.email.smtp")
        );
    }

    #[test]
    fn safe_settings_and_development_are_not_warned_about() {
        assert_eq!(keys(SAFE, PROXY, None), [""; 0]);
        assert_eq!(keys(SAFE, "[server]\ntls = \"acme\"\n", None), [""; 0], "HTTPS of its own has no proxy in front");
        assert_eq!(keys("", "", None), [""; 0]);
        assert_eq!(keys("", "", Some("0.0.0.0")), ["api.external_url"]);
    }
}
