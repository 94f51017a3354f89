//! Refresh tokens of format 2, which contain a session id, a counter and a signature, and have no database row. Cloch issues tokens of
//! format 1 (twelve characters, a row in `auth.refresh_tokens`); only sessions of an imported project use format 2.

use base64::Engine;
use base64::engine::general_purpose::{URL_SAFE, URL_SAFE_NO_PAD};
use chrono::Utc;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use sqlx::PgConnection;
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::issue_session::Reuse;
use crate::error::{AuthError, Result};
use crate::model::session::{self, Session};
use crate::settings::Settings;

const VERSION: u8 = 0;
const SIGNATURE_BYTES: usize = 16;
const CHECKSUM_BYTES: usize = 4;

/// The result of exchanging a refresh token: the next refresh token, or a detected reuse. In case of reuse, the transaction must be
/// committed although the request is refused, because the transaction ends the session.
pub(crate) enum Rotation {
    Next(String, Option<Reuse>),
    Stolen,
}

/// A well-formed refresh token of format 2 whose signature is not yet verified.
pub(crate) struct RefreshTokenV2 {
    pub(crate) session: Uuid,
    counter: i64,
    signed: Vec<u8>,
    signature: Vec<u8>,
}

impl RefreshTokenV2 {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (rest, checksum) = bytes.split_last_chunk::<CHECKSUM_BYTES>()?;
        if Sha256::digest(rest).get(..CHECKSUM_BYTES)? != checksum {
            return None;
        }
        let (signed, signature) = rest.split_last_chunk::<SIGNATURE_BYTES>()?;
        let (version, body) = signed.split_first()?;
        let (session, counter) = body.split_first_chunk::<16>()?;
        if *version != VERSION {
            return None;
        }
        Some(Self {
            session: Uuid::from_bytes(*session),
            counter: read_varint(counter)?,
            signed: signed.to_vec(),
            signature: signature.to_vec(),
        })
    }

    pub(crate) fn is_of(&self, session: &Session) -> bool {
        key(session)
            .and_then(|key| sign(&key, &self.signed))
            .is_some_and(|expected| bool::from(expected.ct_eq(&self.signature)))
    }
}

/// Returns the counter of a refresh token of format 2. `None` for a refresh token of format 1.
pub(crate) fn counter(token: &str) -> Option<i64> {
    RefreshTokenV2::parse(token).map(|token| token.counter)
}

/// Returns the refresh token that follows `token`. Also accepts an earlier token in two cases: its counter is one step behind, because the
/// client most likely did not receive the previous response; or the last refresh was less than `refresh_token_reuse_interval` ago. All
/// other earlier tokens count as stolen: if refresh token rotation is enabled, the session ends.
pub(crate) async fn next(
    settings: &Settings,
    tx: &mut PgConnection,
    token: &RefreshTokenV2,
    session: &Session,
) -> Result<Rotation> {
    let current = session.refresh_token_counter.unwrap_or_default();
    let behind = current - token.counter;
    if behind < 0 {
        return Err(AuthError::validation("Invalid Refresh Token: Not Issued By This Server"));
    }
    if behind == 0 {
        session::set_counter(tx, session.id, current + 1).await?;
        return Ok(Rotation::Next(issue(session, current + 1)?, Some(Reuse::None)));
    }
    let interval = i64::try_from(settings.refresh_token_reuse_interval).unwrap_or(0);
    let recent = session
        .last_refreshed()
        .is_some_and(|at| Utc::now().signed_duration_since(at) < chrono::TimeDelta::seconds(interval));
    if behind == 1 || recent {
        let causes = [(recent, "concurrent-refresh"), (behind == 1, "fail-to-save")];
        let causes: Vec<&str> = causes.into_iter().filter(|(holds, _)| *holds).map(|(_, cause)| cause).collect();
        return Ok(Rotation::Next(issue(session, current)?, Some(Reuse::Forgiven(causes.join(",")))));
    }
    if settings.enable_refresh_token_rotation {
        session::delete(tx, session.id).await?;
    }
    Ok(Rotation::Stolen)
}

/// Increases the session's refresh token counter by two, and returns the refresh token with the new counter. After an increase by one, the
/// previous refresh token would remain valid, because the server accepts a token whose counter is one step behind. `None` for sessions with
/// refresh tokens of format 1.
pub(crate) async fn skip(tx: &mut PgConnection, session: &Session) -> Result<Option<String>> {
    let (Some(_), Some(counter)) = (&session.refresh_token_hmac_key, session.refresh_token_counter) else {
        return Ok(None);
    };
    session::set_counter(tx, session.id, counter + 2).await?;
    issue(session, counter + 2).map(Some)
}

fn issue(session: &Session, counter: i64) -> Result<String> {
    let mut bytes = vec![VERSION];
    bytes.extend_from_slice(session.id.as_bytes());
    write_varint(&mut bytes, counter);
    let signature = key(session).and_then(|key| sign(&key, &bytes)).ok_or_else(|| {
        AuthError::internal("Failed to get session's refresh token key", "the session's key cannot be read")
    })?;
    bytes.extend(signature);
    let checksum = Sha256::digest(&bytes);
    bytes.extend(checksum.iter().take(CHECKSUM_BYTES));
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

fn key(session: &Session) -> Option<Vec<u8>> {
    let text = session.refresh_token_hmac_key.as_deref()?;
    URL_SAFE_NO_PAD.decode(text).or_else(|_| URL_SAFE.decode(text)).ok().filter(|key| !key.is_empty())
}

fn sign(key: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    mac.update(bytes);
    Some(mac.finalize().into_bytes().iter().take(SIGNATURE_BYTES).copied().collect())
}

/// Decodes a variable-length integer: seven bits per byte, least significant first (Go's `binary.Uvarint`). `None` if the integer is
/// incomplete or too large, or if further bytes follow.
fn read_varint(bytes: &[u8]) -> Option<i64> {
    let (last, front) = bytes.split_last()?;
    if bytes.len() > 9 || last & 0x80 != 0 || front.iter().any(|byte| byte & 0x80 == 0) {
        return None;
    }
    let number = bytes.iter().rev().fold(0u64, |number, byte| (number << 7) | u64::from(byte & 0x7f));
    i64::try_from(number).ok()
}

fn write_varint(bytes: &mut Vec<u8>, number: i64) {
    let mut left = number.cast_unsigned();
    while left >= 0x80 {
        bytes.push((left & 0x7f) as u8 | 0x80);
        left >>= 7;
    }
    bytes.push((left & 0x7f) as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(key: &[u8]) -> Session {
        Session {
            id: Uuid::new_v4(),
            user_id: Uuid::new_v4(),
            created_at: Utc::now(),
            refreshed_at: None,
            not_after: None,
            aal: "aal1".into(),
            tag: String::new(),
            oauth_client_id: None,
            scopes: None,
            refresh_token_hmac_key: Some(URL_SAFE_NO_PAD.encode(key)),
            refresh_token_counter: Some(0),
            amr: sqlx::types::Json(Vec::new()),
        }
    }

    #[test]
    fn refuses_another_key_and_every_changed_byte() {
        let session = session(&[1; 32]);
        let token = issue(&session, 300).unwrap();
        assert!(!RefreshTokenV2::parse(&token).unwrap().is_of(&self::session(&[2; 32])));
        let bytes = URL_SAFE_NO_PAD.decode(&token).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(RefreshTokenV2::parse(&URL_SAFE_NO_PAD.encode(changed)).is_none(), "byte {at}");
        }
    }

    #[test]
    fn reads_what_it_writes() {
        let session = session(&[1; 32]);
        for counter in [0, 1, 127, 128, 300, i64::from(u32::MAX)] {
            let token = RefreshTokenV2::parse(&issue(&session, counter).unwrap()).unwrap();
            assert!(token.is_of(&session));
            assert_eq!((token.session, token.counter), (session.id, counter));
        }
    }
}
