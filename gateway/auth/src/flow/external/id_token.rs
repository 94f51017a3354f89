//! Verifies ID tokens of OpenID Connect providers.

use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde_json::Value;

use super::Provider;
use crate::error::{AuthError, Result};
use crate::model::Metadata;
use crate::oidc_cache::{DiscoveryDocument, is_azure};
use crate::state::AuthState;

/// The OAuth error code for an invalid ID token.
pub(crate) const INVALID: &str = "invalid request";

/// Verifies an ID token and returns its claims. Checks the issuer's signature, the expiry, and that one of the provider's client ids is the
/// audience.
pub(crate) async fn verify(
    state: &AuthState,
    provider: &Provider<'_>,
    document: &DiscoveryDocument,
    token: &str,
) -> Result<Metadata> {
    let bad = || AuthError::oauth(INVALID, "Bad ID token");
    let header = jsonwebtoken::decode_header(token).map_err(|_| bad())?;
    // Accepts only signatures with a private key of the issuer. Signatures with a shared secret (HMAC) and unsigned tokens (`none`) are
    // refused.
    let asymmetric = [
        Algorithm::RS256,
        Algorithm::RS384,
        Algorithm::RS512,
        Algorithm::PS256,
        Algorithm::PS384,
        Algorithm::PS512,
        Algorithm::ES256,
        Algorithm::ES384,
        Algorithm::EdDSA,
    ];
    if !asymmetric.contains(&header.alg) {
        return Err(bad());
    }
    let keys = state.oidc_cache.keys(&provider.http(state), document, header.kid.as_deref()).await?;
    let key = match &header.kid {
        Some(kid) => keys.find(kid),
        None => keys.keys.first().filter(|_| keys.keys.len() == 1),
    };
    let key = DecodingKey::from_jwk(key.ok_or_else(bad)?).map_err(|_| bad())?;
    let mut validation = Validation::new(header.alg);
    validation.validate_aud = false;
    validation.set_required_spec_claims(&["exp", "iss", "sub", "aud"]);
    let Value::Object(claims) = jsonwebtoken::decode::<Value>(token, &key, &validation).map_err(|_| bad())?.claims
    else {
        return Err(bad());
    };
    let issuer = claims.get("iss").and_then(Value::as_str).unwrap_or_default();
    if !is_issuer(document, issuer, claims.get("tid").and_then(Value::as_str)) {
        return Err(bad());
    }
    if claims.get("sub").and_then(Value::as_str).is_none_or(str::is_empty) {
        return Err(AuthError::oauth(INVALID, "Missing sub claim in id_token"));
    }
    let audience: Vec<&str> = match claims.get("aud") {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(one)) => vec![one],
        _ => Vec::new(),
    };
    if !provider.settings.client_ids().any(|id| audience.contains(&id)) {
        return Err(AuthError::oauth(INVALID, format!("Unacceptable audience in id_token: {audience:?}")));
    }
    Ok(claims)
}

/// Whether the `iss` claim matches the issuer in the discovery document. Microsoft's common discovery document contains `{tenantid}` in
/// place of the tenant's id.
fn is_issuer(document: &DiscoveryDocument, issuer: &str, tenant: Option<&str>) -> bool {
    if issuer == document.issuer {
        return true;
    }
    is_azure(&document.issuer) && tenant.is_some_and(|tenant| document.issuer.replace("{tenantid}", tenant) == issuer)
}
