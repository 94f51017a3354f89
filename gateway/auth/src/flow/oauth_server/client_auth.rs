//! Authenticates OAuth clients at the token, revocation and introspection endpoints (RFC 6749, section 2.3).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::codes;
use crate::error::{AuthError, Result};
use crate::model::oauth_client::{self, Client};
use crate::state::AuthState;

pub(crate) struct Credentials {
    client_id: String,
    secret: String,
    method: &'static str,
}

impl Credentials {
    /// Parses the OAuth client's credentials from the `Authorization` header or from the fields of the body. Refuses a request with
    /// credentials in both places.
    pub(crate) fn read(authorization: &str, client_id: &str, secret: &str) -> Result<Self> {
        let is_basic = authorization.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("basic "));
        if !is_basic {
            let method = if secret.is_empty() { "none" } else { "client_secret_post" };
            return match client_id {
                "" => Err(invalid("client_id is required")),
                _ => Ok(Self { client_id: client_id.to_owned(), secret: secret.to_owned(), method }),
            };
        }
        let malformed = || invalid("invalid basic auth encoding");
        let encoded = authorization.get(6..).unwrap_or_default().trim();
        let text =
            STANDARD.decode(encoded).ok().and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(malformed)?;
        let (id, password) = text.split_once(':').ok_or_else(malformed)?;
        let credentials =
            Self { client_id: form_decoded(id), secret: form_decoded(password), method: "client_secret_basic" };
        if !secret.is_empty() || (!client_id.is_empty() && client_id != credentials.client_id) {
            return Err(AuthError::oauth("invalid_request", "Only one way of client authentication may be used"));
        }
        Ok(credentials)
    }

    /// Authenticates the OAuth client with the authentication method that the client registered. Returns the client.
    pub(crate) async fn authenticate(&self, state: &AuthState) -> Result<Client> {
        let wrong = || invalid("Invalid client credentials");
        let id = self.client_id.parse().map_err(|_| wrong())?;
        let client = oauth_client::by_id(&mut *state.connection().await?, id).await?.ok_or_else(wrong)?;
        if client.token_endpoint_auth_method != self.method {
            return Err(invalid("Invalid client authentication method"));
        }
        if client.is_public() || codes::is_secret(&self.secret, &client.secret_hash) {
            Ok(client)
        } else {
            Err(wrong())
        }
    }
}

/// Decodes the client id or secret of a Basic header. The OAuth client form-encodes both before it joins them with a colon (RFC 6749,
/// section 2.3.1).
fn form_decoded(text: &str) -> String {
    let spaces = text.replace('+', " ");
    percent_encoding::percent_decode_str(&spaces).decode_utf8_lossy().into_owned()
}

fn invalid(why: &'static str) -> AuthError {
    AuthError::oauth_unauthorized("invalid_client", why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(authorization: &str, id: &str, secret: &str) -> Option<(String, String, &'static str)> {
        let read = Credentials::read(authorization, id, secret).ok()?;
        Some((read.client_id, read.secret, read.method))
    }

    #[test]
    fn refuses_nothing_and_two_ways_at_once() {
        let basic = format!("Basic {}", STANDARD.encode("a:b"));
        for (authorization, id, secret) in [
            ("", "", ""),
            ("", "", "s"),
            ("Basic ?", "", ""),
            ("Basic YQ==", "", ""),
            (&basic, "a", "b"),
            (&basic, "c", ""),
        ] {
            assert_eq!(read(authorization, id, secret), None, "{authorization} {id} {secret}");
        }
    }

    #[test]
    fn reads_each_method() {
        let basic = format!("basic {}", STANDARD.encode("a%3Ab:c+d"));
        assert_eq!(read(&basic, "a:b", ""), Some(("a:b".into(), "c d".into(), "client_secret_basic")));
        assert_eq!(read("", "a", "b"), Some(("a".into(), "b".into(), "client_secret_post")));
        assert_eq!(read("Bearer x", "a", ""), Some(("a".into(), String::new(), "none")));
    }
}
