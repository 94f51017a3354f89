//! Why there is no new certificate, in the authority's words where it has any.

use std::fmt::Write;
use std::path::PathBuf;

use instant_acme::{Error, Problem};

use super::authority::Unreachable;

/// Why there is no new certificate.
#[derive(Debug, thiserror::Error)]
pub enum AcmeError {
    /// The tables cannot be read or written.
    #[error("the database: {0}")]
    Database(#[from] sqlx::Error),
    /// The file of `root_certificate`.
    #[error("cloch.toml: server.acme.root_certificate: {}: {}", .0.display(), .1)]
    Roots(PathBuf, String),
    /// There is no client for HTTPS.
    #[error("no client for HTTPS: {0}")]
    Client(String),
    /// Nothing can be sealed.
    #[error("no randomness")]
    Randomness,
    /// The authority refuses, or does not answer.
    #[error("{}", said(.0))]
    Protocol(#[from] Error),
    /// The authority looked at a name and did not find this server.
    #[error("{domain}: {sentence}")]
    Name {
        /// The name.
        domain: String,
        /// The authority's words.
        sentence: String,
    },
    /// The authority cannot be shown what the settings say.
    #[error("the authority does not offer this challenge: choose the other one with server.acme.challenge")]
    NotOffered,
    /// A key or a request for a certificate could not be made.
    #[error("a key or a request cannot be made: {0}")]
    Key(#[from] rcgen::Error),
    /// What the authority made.
    #[error("the certificate cannot be used: {0}")]
    Certificate(&'static str),
    /// The order took too long.
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
    /// Whether the authority did not answer as one, so that nothing was counted against this server.
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

/// What the authority says, in its words.
pub(super) fn sentence(problem: &Problem) -> String {
    let kind = problem.r#type.as_deref().unwrap_or("no type");
    let mut text = format!("{} ({kind})", problem.detail.as_deref().unwrap_or("no detail"));
    for part in &problem.subproblems {
        let _ = write!(text, "; {}", part.to_string().trim_start_matches([':', ' ']));
    }
    text
}
