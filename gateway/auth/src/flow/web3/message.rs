//! Parses the message that a wallet signs: EIP-4361 for Ethereum, and the same format for Solana.

use chrono::{DateTime, Utc};
use url::Url;

use super::Chain;
use crate::error::{AuthError, Result};

/// Minimum size of a signed message in bytes.
const MIN_BYTES: usize = 64;
const MAX_BYTES: usize = 20 * 1024;
/// Minimum number of lines in a signed message.
const MIN_LINES: usize = 6;

/// A parsed sign-in message. The fields `Nonce`, `Request ID` and `Resources` are not stored.
pub(crate) struct Message<'a> {
    pub(crate) raw: &'a str,
    pub(crate) domain: &'a str,
    /// The wallet's address, as written in the message.
    pub(crate) address: &'a str,
    pub(crate) statement: Option<&'a str>,
    pub(crate) uri: Url,
    pub(crate) uri_text: &'a str,
    pub(crate) chain_id: &'a str,
    pub(crate) issued_at: DateTime<Utc>,
    pub(crate) expiration_time: Option<DateTime<Utc>>,
    pub(crate) not_before: Option<DateTime<Utc>>,
}

#[derive(Default)]
struct Fields<'a> {
    uri: Option<(Url, &'a str)>,
    version: &'a str,
    chain_id: &'a str,
    issued_at: Option<DateTime<Utc>>,
    expiration_time: Option<DateTime<Utc>>,
    not_before: Option<DateTime<Utc>>,
}

impl<'a> Message<'a> {
    /// Parses a sign-in message. The error for an invalid message names the invalid line, as in GoTrue.
    pub(crate) fn parse(chain: Chain, raw: &'a str) -> Result<Self> {
        if raw.len() < MIN_BYTES {
            return Err(AuthError::validation("message is too short"));
        }
        if raw.len() > MAX_BYTES {
            return Err(AuthError::validation("message must not exceed 20KB"));
        }
        let prefix = if chain == Chain::Ethereum { "siwe" } else { "siws" };
        Self::read(chain, raw).map_err(|why| AuthError::validation(format!("{prefix}: {why}")))
    }

    fn read(chain: Chain, raw: &'a str) -> std::result::Result<Self, String> {
        let lines: Vec<&str> = raw.split('\n').collect();
        let [first, second, third, fourth, fifth, _, ..] = lines.as_slice() else {
            return Err(format!("message needs at least {MIN_LINES} lines"));
        };
        let suffix = format!(" wants you to sign in with your {} account:", chain.title());
        let Some(domain) = first.strip_suffix(&suffix) else {
            return Err(format!("message first line does not end in {suffix:?}"));
        };
        let domain = domain.trim();
        if !is_domain(domain) {
            return Err("domain in first line of message is not valid".into());
        }
        let address = second.trim();
        if !is_address(chain, address) {
            return Err(match chain {
                Chain::Ethereum => "wallet address is not a valid Ethereum address".into(),
                Chain::Solana => "wallet address is not in base58 format".into(),
            });
        }
        if !third.is_empty() {
            return Err("third line must be empty".into());
        }
        let has_statement = !fourth.is_empty() && fifth.is_empty();
        let fields = Fields::read(chain, &lines, if has_statement { 5 } else { 3 })?;
        fields.message(raw, domain, address, has_statement.then_some(*fourth))
    }
}

impl<'a> Fields<'a> {
    fn read(chain: Chain, lines: &[&'a str], from: usize) -> std::result::Result<Self, String> {
        let mut fields = Self::default();
        let (mut resources, mut seen) = (None, Vec::new());
        for (at, line) in lines.iter().enumerate().skip(from) {
            let line = line.trim();
            match (&mut resources, line.strip_prefix("- ")) {
                (Some(count), Some(resource)) => {
                    Url::parse(resource.trim()).map_err(|_| format!("Resource at position {count} has invalid URI"))?;
                    *count += 1;
                    continue;
                }
                _ => resources = None,
            }
            match line {
                "" => {}
                "Resources:" => resources = Some(0),
                line => {
                    let (key, value) =
                        line.split_once(':').ok_or_else(|| format!("encountered unparsable line at index {at}"))?;
                    // A repeated field is refused (EIP-4361 allows each field once). Otherwise, a wallet could display one of the values
                    // while the server uses another.
                    if seen.contains(&key) {
                        return Err(format!("{key} is specified twice"));
                    }
                    seen.push(key);
                    fields.set(chain, key, value.trim())?;
                }
            }
        }
        Ok(fields)
    }

    fn set(&mut self, chain: Chain, key: &str, value: &'a str) -> std::result::Result<(), String> {
        match key {
            "URI" => self.uri = Some((Url::parse(value).map_err(|_| "URI is not valid")?, value)),
            "Version" => self.version = value,
            "Chain ID" if is_network(chain, value) => self.chain_id = value,
            "Chain ID" => return Err("Chain ID is not valid".into()),
            "Issued At" => self.issued_at = Some(time(key, value)?),
            "Expiration Time" => self.expiration_time = Some(time(key, value)?),
            "Not Before" => self.not_before = Some(time(key, value)?),
            "Nonce" | "Request ID" => {}
            // An unknown field is refused, because it may restrict the meaning of the signed message.
            _ => return Err(format!("the field {key:?} is not known")),
        }
        Ok(())
    }

    fn message(
        self,
        raw: &'a str,
        domain: &'a str,
        address: &'a str,
        statement: Option<&'a str>,
    ) -> std::result::Result<Message<'a>, String> {
        if self.version != "1" {
            return Err(format!("Version value is not supported, expected 1 got {:?}", self.version));
        }
        let issued_at = self.issued_at.ok_or("Issued At is not specified")?;
        let (uri, uri_text) = self.uri.ok_or("URI is not specified")?;
        if self.expiration_time.is_some_and(|end| issued_at > end) {
            return Err("Issued At is after Expiration Time".into());
        }
        if self.not_before.zip(self.expiration_time).is_some_and(|(from, end)| from > end) {
            return Err("Not Before is after Expiration Time".into());
        }
        Ok(Message {
            raw,
            domain,
            address,
            statement,
            uri,
            uri_text,
            chain_id: self.chain_id,
            issued_at,
            expiration_time: self.expiration_time,
            not_before: self.not_before,
        })
    }
}

fn time(key: &str, value: &str) -> std::result::Result<DateTime<Utc>, String> {
    DateTime::parse_from_rfc3339(value)
        .map(|time| time.to_utc())
        .map_err(|_| format!("{key} is not a valid ISO8601 timestamp"))
}

fn is_address(chain: Chain, text: &str) -> bool {
    match chain {
        Chain::Ethereum => text
            .strip_prefix("0x")
            .is_some_and(|digits| digits.len() == 40 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())),
        Chain::Solana => (32..=44).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_alphanumeric()),
    }
}

/// Whether the text is a valid chain id. Ethereum's chain ids are numbers (EIP-155); Solana's are names and optional.
fn is_network(chain: Chain, text: &str) -> bool {
    match chain {
        Chain::Ethereum => text.parse::<i64>().is_ok_and(|number| number > 0),
        Chain::Solana => {
            matches!(text, "" | "solana:mainnet" | "solana:devnet" | "solana:testnet" | "solana:localnet")
        }
    }
}

/// Whether the text is a host name of at least two labels or localhost, with an optional port.
fn is_domain(text: &str) -> bool {
    let (host, port) = match text.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (text, None),
    };
    if port.is_some_and(|port| !(1..=5).contains(&port.len()) || !port.bytes().all(|digit| digit.is_ascii_digit())) {
        return false;
    }
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let Some((labels, last)) = host.rsplit_once('.') else { return host == "localhost" };
    labels.split('.').all(is_label) && last.len() >= 2 && last.bytes().all(|c| c.is_ascii_alphabetic())
}
