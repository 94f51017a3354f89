//! Creates the mail service and its settings from the configuration (`[auth.email.smtp]` of config.toml).

use cloch_mail::{Address, Settings, Smtp, TlsMode};

use super::SharedServices;
use crate::config::{Config, ConfigError, Secrets};
use crate::error::CommandError;
use crate::service::Service;

/// Creates the background task that delivers the mails in the outbox.
pub fn service(shared: &SharedServices) -> Service {
    let (mailer, secrets) = (shared.mailer.clone(), shared.secrets.clone());
    Service::default()
        .metrics(cloch_mail::metrics::register)
        .on_change(move |config| Ok(mailer.prepare(keyed_settings(config, &secrets)?)?))
        .task(cloch_mail::worker::run(shared.mailer.clone(), shared.shutdown.clone()))
}

/// Returns the mail settings of this project, including the keys that protect the inbox and encrypt stored mails.
///
/// # Errors
/// When the host of the mail server is missing, the sender's address is missing or invalid, or a key cannot be derived.
pub fn keyed_settings(config: &Config, secrets: &Secrets) -> Result<Settings, CommandError> {
    Ok(Settings { inbox_key: secrets.inbox_key()?, seal_key: secrets.mail_key()?, ..settings(config)? })
}

/// Returns the mail settings of this project without the keys.
///
/// # Errors
/// When the host of the mail server is missing, or the sender's address is missing or invalid.
pub fn settings(config: &Config) -> Result<Settings, ConfigError> {
    let mut settings = Settings {
        sender_name: config.project_id.clone(),
        // On a public server, clients with a local address must not read the inbox, because a proxy may have forwarded their requests.
        local_inbox: config.is_public().then_some(false),
        inbox_is_https: config.external_url.scheme() == "https",
        ..Settings::default()
    };
    let Some(smtp) = config.file.auth.email.smtp.as_ref().filter(|smtp| smtp.enabled) else { return Ok(settings) };
    let refuse = |key: &str, message: String| ConfigError::Value {
        file: config.project.join("config.toml"),
        line: None,
        key: format!("auth.email.smtp.{key}"),
        message,
    };
    if smtp.host.is_empty() {
        return Err(refuse("host", "name the mail server".to_owned()));
    }
    if smtp.admin_email.is_empty() {
        return Err(refuse("admin_email", "is missing: name the address that mails are sent from".to_owned()));
    }
    settings.admin_email =
        smtp.admin_email.parse::<Address>().map_err(|error| refuse("admin_email", error.to_string()))?;
    if !smtp.sender_name.is_empty() {
        settings.sender_name.clone_from(&smtp.sender_name);
    }
    settings.smtp = Some(Smtp {
        user: Some(smtp.user.clone()).filter(|user| !user.is_empty()),
        pass: smtp.pass.clone(),
        tls: TlsMode::Auto,
        ..Smtp::new(&smtp.host, smtp.port)
    });
    Ok(settings)
}
