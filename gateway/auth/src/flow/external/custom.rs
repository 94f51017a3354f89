//! Sign-in providers that administrators create at run time, named `custom:<name>` and stored in `auth.custom_oauth_providers`.

use std::borrow::Cow;

use serde_json::Value;

use super::profile::Profile;
use super::providers::{Known, OPENID, Reads};
use super::{Provider, provider_secret};
use crate::error::{AuthError, Context, Result};
use crate::flow::accounts::object;
use crate::model::Metadata;
use crate::model::custom_provider::{self, CustomProvider};
use crate::settings;
use crate::state::AuthState;

pub(crate) const PREFIX: &str = "custom:";
/// The OAuth scope that a client must request to receive an ID token.
pub(crate) const OPENID_SCOPE: &str = "openid";

pub(crate) struct Rules {
    own_scopes: Vec<String>,
    is_oidc: bool,
    pub(crate) pkce_enabled: bool,
    pub(crate) authorization_params: Vec<(String, String)>,
    attribute_mapping: Metadata,
    custom_claims_allowlist: Vec<String>,
}

pub(crate) async fn find(state: &AuthState, name: &str) -> Result<Option<CustomProvider>> {
    let mut connection = state.connection().await?;
    custom_provider::by_identifier(&mut connection, name).await.context("Error finding custom provider")
}

/// Loads an enabled custom provider by name, with its endpoints and settings.
pub(crate) async fn resolve<'a>(state: &'a AuthState, name: &str) -> Result<Provider<'a>> {
    let unsupported = |why: &str| AuthError::validation(format!("Unsupported provider: custom provider {name} {why}"));
    let row = find(state, name).await?.ok_or_else(|| unsupported("not found"))?;
    if row.enabled { of_row(state, row).await } else { Err(unsupported("is disabled")) }
}

/// Converts a row of `auth.custom_oauth_providers` to a provider with endpoints and settings. Loads the discovery document if the provider
/// supports OpenID Connect.
pub(crate) async fn of_row<'a>(state: &'a AuthState, row: CustomProvider) -> Result<Provider<'a>> {
    let secret = provider_secret::open(&state.setup.provider_key, row.id, &row.client_secret)?;
    let is_oidc = row.is_oidc();
    let document = match (row.discovery_address(), &row.issuer) {
        (Some(address), Some(issuer)) => {
            let version = format!("{} {}", row.id, row.updated_at.timestamp_micros());
            Some(state.oidc_cache.document_at(&state.custom_provider_http(), &address, issuer, &version).await?)
        }
        _ => None,
    };
    let ids: Vec<&str> =
        std::iter::once(&row.client_id).chain(&row.acceptable_client_ids).map(String::as_str).collect();
    let own = settings::Provider {
        enabled: true,
        client_id: ids.join(","),
        secret,
        redirect_uri: String::new(),
        // As in GoTrue, the authorization URL is used as the issuer of a provider without OpenID Connect.
        url: row.issuer.clone().or_else(|| row.authorization_url.clone()).unwrap_or_default(),
        skip_nonce_check: row.skip_nonce_check,
        email_optional: row.email_optional,
    };
    let named = |url: &Option<String>| url.clone().unwrap_or_default();
    Ok(Provider {
        name: Cow::Owned(row.identifier.clone()),
        settings: Cow::Owned(own),
        known: Known { reads: if is_oidc { Reads::IdToken } else { Reads::Userinfo }, ..OPENID },
        authorization: document
            .as_ref()
            .map_or_else(|| named(&row.authorization_url), |document| document.authorization_endpoint.clone()),
        token: document.as_ref().map_or_else(|| named(&row.token_url), |document| document.token_endpoint.clone()),
        userinfo: document.as_ref().map_or_else(
            || named(&row.userinfo_url),
            |document| document.userinfo_endpoint.clone().unwrap_or_default(),
        ),
        document,
        custom: Some(Rules::of(row)),
    })
}

impl Rules {
    fn of(row: CustomProvider) -> Self {
        let params = object(row.authorization_params);
        Self {
            is_oidc: row.provider_type == custom_provider::OIDC,
            own_scopes: row.scopes,
            pkce_enabled: row.pkce_enabled,
            authorization_params: params
                .into_iter()
                .filter_map(|(name, value)| Some((name, value.as_str()?.to_owned())))
                .collect(),
            attribute_mapping: object(row.attribute_mapping),
            custom_claims_allowlist: row.custom_claims_allowlist,
        }
    }

    /// Returns the scopes of an authorization request at the provider: the scopes that the app requested, or otherwise the provider's
    /// configured scopes. Adds `openid` for OpenID Connect providers.
    pub(super) fn scopes(&self, named: &str) -> String {
        let mut scopes: Vec<&str> = named.split_ascii_whitespace().collect();
        if scopes.is_empty() {
            scopes = self.own_scopes.iter().map(String::as_str).collect();
        }
        if self.is_oidc && !scopes.contains(&OPENID_SCOPE) {
            scopes.insert(0, OPENID_SCOPE);
        }
        scopes.join(" ")
    }

    /// Renames the provider's claims to the claim names of this server. A string in the attribute mapping is the name of a claim of the
    /// provider. Any other value in the mapping is copied as a constant.
    pub(super) fn mapped(&self, claims: &Metadata) -> Metadata {
        let mut mapped = claims.clone();
        for (target, source) in &self.attribute_mapping {
            let value = match source {
                Value::String(name) => claims.get(name),
                literal => Some(literal),
            };
            if let Some(value) = value {
                mapped.insert(target.clone(), value.clone());
            }
        }
        // The provider's `email_verified` applies only to the provider's claim `email`. If the attribute mapping takes the address from
        // another claim, `email_verified` is set to false.
        if mapped.get("email") != claims.get("email") {
            mapped.insert("email_verified".into(), false.into());
        }
        mapped
    }

    /// Copies the claims on the provider's allowlist, without mapping, to the profile's `custom_claims`.
    pub(super) fn keep_claims(&self, claims: &Metadata, profile: &mut Profile) {
        let kept =
            self.custom_claims_allowlist.iter().filter_map(|name| Some((name.clone(), claims.get(name)?.clone())));
        let mut all = profile.claims.get("custom_claims").cloned().map(object).unwrap_or_default();
        all.extend(kept);
        if !all.is_empty() {
            profile.claims.insert("custom_claims".into(), all.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rules(mapping: Value, allowlist: &[&str], is_oidc: bool) -> Rules {
        Rules {
            own_scopes: vec!["email".into(), "openid".into()],
            is_oidc,
            pkce_enabled: true,
            authorization_params: Vec::new(),
            attribute_mapping: object(mapping),
            custom_claims_allowlist: allowlist.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    #[test]
    fn an_address_from_another_claim_is_not_verified() {
        let claims =
            object(json!({"sub": 7, "email": "a@b.example", "email_verified": true, "upn": "victim@b.example"}));
        let mapped = rules(json!({"email": "upn"}), &[], false).mapped(&claims);
        assert_eq!((&mapped["email"], &mapped["email_verified"]), (&json!("victim@b.example"), &json!(false)));
        for mapping in [json!({}), json!({"email": "email"}), json!({"email": "missing"})] {
            assert_eq!(rules(mapping, &[], false).mapped(&claims)["email_verified"], json!(true));
        }
        let literal = rules(json!({"email": ["victim@b.example"]}), &[], false).mapped(&claims);
        assert_eq!(literal["email_verified"], json!(false));
    }

    #[test]
    fn only_listed_claims_are_kept() {
        let claims = object(json!({"sub": "1", "groups": ["a"], "secret": "s", "nothing": null}));
        let mut profile = Profile::default();
        rules(json!({}), &["groups", "absent"], true).keep_claims(&claims, &mut profile);
        assert_eq!(profile.claims["custom_claims"], json!({"groups": ["a"]}));
        let mut profile = Profile::default();
        rules(json!({}), &[], true).keep_claims(&claims, &mut profile);
        assert!(profile.claims.is_empty());
    }

    #[test]
    fn an_app_may_name_the_scopes() {
        let scopes = |named: &str, is_oidc| rules(json!({}), &[], is_oidc).scopes(named);
        assert_eq!(scopes("", true), "email openid");
        assert_eq!(scopes("read:user  groups", true), "openid read:user groups");
        assert_eq!(scopes("read:user", false), "read:user");
    }
}
