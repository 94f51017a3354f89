//! Delivers mail over SMTP to the configured mail server.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use lettre::address::Envelope;
use lettre::transport::smtp::AsyncSmtpTransportBuilder;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::transport::smtp::response::Response;
use lettre::transport::smtp::{self, PoolConfig};
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};

use crate::settings::{Smtp, TlsMode};
use crate::{Address, MailError};

/// Error text for a configured user if the mail server does not offer `AUTH`.
const NO_SIGN_IN: &str = "the mail server offers no sign-in: leave out user and pass, or use its port with TLS";

type Connections = AsyncSmtpTransport<Tokio1Executor>;

pub(crate) struct Transport {
    connections: ArcSwap<Connections>,
    make: AsyncSmtpTransportBuilder,
    timeout: Duration,
}

pub(crate) enum Outcome {
    /// The mail server accepted the message. Contains the server's reply.
    Taken(String),
    /// The mail server permanently refused this recipient. Contains the reason.
    Refused(String),
    /// The delivery failed temporarily, because the mail server was unreachable, busy, or misconfigured. Contains the reason.
    Later(String),
}

impl Transport {
    /// Creates the pool of SMTP connections. Opens no connection.
    pub(crate) fn new(settings: &Smtp) -> Result<Self, MailError> {
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&settings.host)
            .port(settings.port)
            .timeout(Some(settings.timeout))
            .tls(tls(settings)?)
            .pool_config(PoolConfig::new().max_size(4).idle_timeout(Duration::from_secs(30)));
        if let Some(user) = &settings.user {
            builder = builder.credentials(Credentials::new(user.clone(), settings.pass.expose().to_owned()));
        }
        let connections = ArcSwap::from_pointee(builder.clone().build());
        Ok(Self { connections, make: builder, timeout: settings.timeout })
    }

    pub(crate) async fn log_in(&self) -> Result<(), MailError> {
        match self.connections.load_full().test_connection().await {
            Ok(true) => Ok(()),
            Ok(false) => Err(MailError::Smtp("the mail server ended the connection".to_owned())),
            Err(error) => Err(MailError::Smtp(describe(&error))),
        }
    }

    /// Delivers a composed message to one recipient. The timeout covers the whole SMTP dialogue, so that a very slow server does not block other
    /// messages.
    pub(crate) async fn deliver(&self, from: &Address, to: &str, message: &[u8]) -> Outcome {
        let envelope = match envelope(from, to) {
            Ok(envelope) => envelope,
            Err(error) => return Outcome::Refused(error.to_string()),
        };
        let connections = self.connections.load_full();
        match tokio::time::timeout(self.timeout, connections.send_raw(&envelope, message)).await {
            Ok(Ok(response)) => Outcome::Taken(said(&response)),
            Ok(Err(error)) if refuses_recipient(&error) => Outcome::Refused(describe(&error)),
            Ok(Err(error)) => Outcome::Later(describe(&error)),
            Err(_) => {
                // The timeout has stopped this delivery in the middle of the SMTP dialogue. The pool must not use this connection again, so
                // the pool is replaced.
                self.connections.store(Arc::new(self.make.clone().build()));
                Outcome::Later(format!("no answer within {} s", self.timeout.as_secs()))
            }
        }
    }
}

/// Connects to a mail server and logs in, to test the settings.
///
/// # Errors
/// If the settings are invalid, or the connection or the login fails.
pub async fn log_in(settings: &Smtp) -> Result<(), MailError> {
    Transport::new(settings)?.log_in().await
}

impl std::fmt::Debug for Transport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Transport(…)")
    }
}

fn tls(settings: &Smtp) -> Result<Tls, MailError> {
    let mode = settings.effective_tls();
    if mode == TlsMode::None {
        return Ok(Tls::None);
    }
    let refused = |error: smtp::Error| MailError::Settings(describe(&error));
    let mut parameters = TlsParameters::builder(settings.host.clone());
    if let Some(path) = &settings.ca_file {
        let pem = std::fs::read(path)
            .map_err(|error| MailError::Settings(format!("certificate file {}: {error}", path.display())))?;
        parameters = parameters.add_root_certificate(Certificate::from_pem(&pem).map_err(refused)?);
    }
    let parameters = parameters.build().map_err(refused)?;
    Ok(match mode {
        TlsMode::Implicit => Tls::Wrapper(parameters),
        TlsMode::Opportunistic => Tls::Opportunistic(parameters),
        _ => Tls::Required(parameters),
    })
}

fn envelope(from: &Address, to: &str) -> Result<Envelope, MailError> {
    let from = crate::compose::mailbox(from.as_str())?.email;
    let to = crate::compose::mailbox(to)?.email;
    Envelope::new(Some(from), vec![to]).map_err(|error| MailError::Compose(error.to_string()))
}

/// Whether the mail server's refusal concerns the recipient. A 5xx status about the login (RFC 4954, section 6) concerns the configuration
/// instead; the message then stays queued until an operator corrects the settings.
fn refuses_recipient(error: &smtp::Error) -> bool {
    const LOGIN: [&str; 4] = ["530", "534", "535", "538"];
    let code = error.status().map(|code| code.to_string());
    error.is_permanent() && !code.is_some_and(|code| LOGIN.contains(&code.as_str()))
}

fn said(response: &Response) -> String {
    let lines: Vec<&str> = response.message().collect();
    format!("{} {}", response.code(), lines.join(" "))
}

/// Returns an SMTP error with its causes in one line of at most 500 characters, for display and storage.
fn describe(error: &smtp::Error) -> String {
    let mut text = error.to_string();
    // The error text of the lettre crate does not name the settings that must be changed.
    if error.is_client() && text.contains("No compatible authentication mechanism") {
        return NO_SIGN_IN.to_owned();
    }
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(500).collect()
}
