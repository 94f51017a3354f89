//! Sign-in with wallets: verifies signed messages of Ethereum (EIP-4361) and Solana (Sign In With Solana).

mod ethereum;
mod message;
mod solana;

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};
use url::Url;

pub(crate) use message::Message;

use crate::error::{AuthError, Result};
use crate::redirect_urls::RedirectUrls;

/// Maximum difference between a sign-in message's `Issued At` and the current time, the same as GoTrue's.
const VALIDITY: TimeDelta = TimeDelta::minutes(10);
/// Time for which a used sign-in message is stored, so that the message cannot be used again. Longer than a message can be valid.
pub(crate) const MEMORY: Duration = Duration::from_secs(2 * 600 + 60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chain {
    Ethereum,
    Solana,
}

impl Chain {
    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::Ethereum, Self::Solana].into_iter().find(|chain| chain.name() == name)
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Ethereum => "ethereum",
            Self::Solana => "solana",
        }
    }

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Ethereum => "Ethereum",
            Self::Solana => "Solana",
        }
    }

    /// Normalises a wallet address to the form in which it identifies an account: lower case for Ethereum, because upper-case letters
    /// encode only an optional checksum.
    pub(crate) fn account(self, address: &str) -> String {
        match self {
            Self::Ethereum => address.to_ascii_lowercase(),
            Self::Solana => address.to_owned(),
        }
    }

    /// Decodes a signature from the text form that wallets of this chain use.
    pub(crate) fn signature(self, text: &str) -> Result<Vec<u8>> {
        match self {
            Self::Ethereum => ethereum::signature(text),
            Self::Solana => solana::signature(text),
        }
    }

    fn has_signed(self, message: &Message<'_>, signature: &[u8]) -> bool {
        match self {
            Self::Ethereum => ethereum::has_signed(message, signature),
            Self::Solana => solana::has_signed(message, signature),
        }
    }
}

/// Refuses a sign-in message that the named wallet did not sign, that belongs to another app, or that is not valid at the current time.
pub(crate) fn check(
    chain: Chain,
    message: &Message<'_>,
    signature: &[u8],
    redirect_urls: &RedirectUrls,
    now: DateTime<Utc>,
) -> Result<()> {
    let title = chain.title();
    let refused = |why: String| Err(AuthError::oauth("invalid_grant", why));
    if !chain.has_signed(message, signature) {
        return refused("Signature does not match address in message".into());
    }
    let is_local = message.uri.host_str() == Some("localhost");
    if message.uri.scheme() != "https" && !is_local {
        return refused(format!("Signed {title} message is using URI which does not use HTTPS"));
    }
    if !redirect_urls.allows(message.uri_text) {
        return refused(format!(
            "Signed {title} message is using URI which is not allowed on this server, message was signed for another app"
        ));
    }
    // The wallet displays the domain, not the URI, so both must belong to the same app.
    let is_own = is_local || redirect_urls.allows(&format!("https://{}/", message.domain));
    if !is_own || !is_at_domain(&message.uri, message.domain) {
        return refused(format!(
            "Signed {title} message is using a Domain that does not match the one in URI which is not allowed on this server"
        ));
    }
    if message.not_before.is_some_and(|from| now < from) {
        return refused(format!("Signed {title} message becomes valid in the future"));
    }
    if message.expiration_time.is_some_and(|end| now > end) {
        return refused(format!("Signed {title} message is expired"));
    }
    let age = now - message.issued_at;
    if age > VALIDITY {
        return refused(format!("{title} message was issued too long ago"));
    }
    if age < -VALIDITY {
        return refused(format!("{title} message was issued too far in the future"));
    }
    Ok(())
}

/// Whether the message's URI belongs to the domain that the wallet displayed to the user.
fn is_at_domain(uri: &Url, domain: &str) -> bool {
    let is_same =
        |named: Url| named.host_str() == uri.host_str() && named.port_or_known_default() == uri.port_or_known_default();
    Url::parse(&format!("{}://{domain}/", uri.scheme())).is_ok_and(is_same)
}

/// Returns the hash under which a used sign-in message is stored.
pub(crate) fn digest(message: &Message<'_>) -> String {
    hex::encode(Sha256::digest(message.raw.as_bytes()))
}

#[cfg(test)]
mod tests;
