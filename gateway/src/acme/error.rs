//! Errors of obtaining a certificate by ACME. The error messages quote the message of the ACME server (the certificate authority) if it sent
//! a message.

use std::fmt::Write;
use std::path::PathBuf;

use instant_acme::{Error, Problem};

use super::authority::Unreachable;

/// Error of obtaining a certificate by ACME.
#[derive(Debug, thiserror::Error)]
pub enum AcmeError {
    /// The tables `cloch.acme_*` cannot be read or written.
    #[error("the database: {0}")]
    Database(#[from] sqlx::Error),
    /// The file `root_certificate` is unreadable or invalid. Contains the file's path and the reason.
    #[error("cloch.toml: server.acme.root_certificate: {}: {}", .0.display(), .1)]
    Roots(PathBuf, String),
    /// The HTTPS client for the ACME server cannot be created.
    #[error("no client for HTTPS: {0}")]
    Client(String),
    /// The random number generator failed, so a private key cannot be encrypted for storage.
    #[error("no randomness")]
    Randomness,
    /// The ACME server refused a request, or did not respond.
    #[error("{}", said(.0))]
    Protocol(#[from] Error),
    /// The ACME server could not verify control of a domain.
    #[error("{domain}: {sentence}")]
    Name {
        /// Domain whose control the ACME server could not verify.
        domain: String,
        /// The ACME server's message about the domain.
        sentence: String,
    },
    /// The ACME server does not offer the configured challenge type.
    #[error("the authority does not offer this challenge: choose the other one with server.acme.challenge")]
    NotOffered,
    /// A key or certificate signing request could not be created.
    #[error("a key or a request cannot be made: {0}")]
    Key(#[from] rcgen::Error),
    /// The issued certificate is invalid, or the ACME server cancelled the order.
    #[error("the certificate cannot be used: {0}")]
    Certificate(&'static str),
    /// The ACME order took longer than five minutes.
    #[error("the order was not done within five minutes")]
    TimedOut,
}

fn said(error: &Error) -> String {
    match error {
        Error::Api(problem) => sentence(problem),
        other => other.to_string(),
    }
}

impl AcmeError {
    /// Whether the ACME server did not respond or failed internally, so that the request does not count towards the ACME server's rate
    /// limits.
    pub(super) fn is_unanswered(&self) -> bool {
        match self {
            Self::Protocol(Error::Other(error)) => error.is::<Unreachable>(),
            Self::Protocol(Error::Json(_)) | Self::TimedOut => true,
            Self::Protocol(Error::Api(problem)) => problem.status.is_some_and(|status| status >= 500),
            _ => false,
        }
    }

    pub(super) fn is_about_the_account(&self) -> bool {
        let Self::Protocol(Error::Api(problem)) = self else { return false };
        problem.r#type.as_deref().is_some_and(|kind| kind.ends_with("accountDoesNotExist"))
    }
}

/// Formats the message of a problem document (RFC 7807) with its subproblems.
pub(super) fn sentence(problem: &Problem) -> String {
    let kind = problem.r#type.as_deref().unwrap_or("no type");
    let mut text = format!("{} ({kind})", problem.detail.as_deref().unwrap_or("no detail"));
    for part in &problem.subproblems {
        let _ = write!(text, "; {}", part.to_string().trim_start_matches([':', ' ']));
    }
    text
}
