//! Parses and validates the fields of a custom provider in an administrator's request.

use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use crate::error::{AuthError, Result};
use crate::flow::external::custom::{OPENID_SCOPE, PREFIX};
use crate::model::Metadata;
use crate::model::custom_provider::{CustomProvider, OAUTH2, OIDC};

/// Maximum length of a custom provider's identifier in characters, as in the column of `auth.custom_oauth_providers`.
const MAX_IDENTIFIER_CHARS: usize = 50;
const MAX_NAME_CHARS: usize = 100;
const MAX_CLIENT_ID_CHARS: usize = 512;
const MAX_SECRET_CHARS: usize = 8192;
/// Maximum number of entries in a list or map of the request.
const MAX_ENTRIES: usize = 100;
/// Maximum length in characters of an entry of a list or map of the request.
const MAX_ENTRY_CHARS: usize = 2048;

/// Query parameters of the provider's authorization request that an administrator cannot configure, because this server sets them.
const RESERVED_PARAMETERS: [&str; 9] = [
    "client_id",
    "client_secret",
    "redirect_uri",
    "response_type",
    "state",
    "code_challenge",
    "code_challenge_method",
    "code_verifier",
    "nonce",
];

/// User attributes that the attribute mapping of a custom provider cannot set.
const PROTECTED_ATTRIBUTES: [&str; 13] = [
    "id",
    "aud",
    "role",
    "app_metadata",
    "created_at",
    "updated_at",
    "confirmed_at",
    "email_confirmed_at",
    "phone_confirmed_at",
    "email_verified",
    "phone_verified",
    "banned_until",
    "is_super_admin",
];

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Params {
    provider_type: String,
    identifier: String,
    name: String,
    client_id: String,
    pub(super) client_secret: String,
    acceptable_client_ids: Option<Vec<String>>,
    scopes: Option<Vec<String>>,
    pkce_enabled: Option<bool>,
    attribute_mapping: Option<Metadata>,
    custom_claims_allowlist: Option<Vec<String>>,
    authorization_params: Option<Metadata>,
    enabled: Option<bool>,
    email_optional: Option<bool>,
    issuer: String,
    discovery_url: String,
    skip_nonce_check: Option<bool>,
    authorization_url: String,
    token_url: String,
    userinfo_url: String,
    jwks_uri: String,
}

impl Params {
    /// Creates a custom provider from the request, without its client secret and its discovery document.
    pub(super) fn new_provider(&self) -> Result<CustomProvider> {
        if ![OIDC, OAUTH2].contains(&self.provider_type.as_str()) {
            return Err(AuthError::validation("provider_type must be either 'oauth2' or 'oidc'"));
        }
        self.check_required()?;
        let now = chrono::Utc::now();
        let mut provider = CustomProvider {
            id: Uuid::new_v4(),
            provider_type: self.provider_type.clone(),
            identifier: self.identifier.clone(),
            name: String::new(),
            client_id: String::new(),
            client_secret: String::new(),
            acceptable_client_ids: Vec::new(),
            scopes: Vec::new(),
            pkce_enabled: true,
            attribute_mapping: Value::Object(Metadata::new()),
            custom_claims_allowlist: Vec::new(),
            authorization_params: Value::Object(Metadata::new()),
            enabled: true,
            email_optional: false,
            issuer: None,
            discovery_url: None,
            skip_nonce_check: false,
            cached_discovery: None,
            authorization_url: None,
            token_url: None,
            userinfo_url: None,
            jwks_uri: None,
            created_at: now,
            updated_at: now,
        };
        self.change(&mut provider)?;
        Ok(provider)
    }

    fn check_required(&self) -> Result<()> {
        let needed = |is_there: bool, what: &'static str| match is_there {
            true => Ok(()),
            false => Err(AuthError::validation(what)),
        };
        needed(!self.identifier.is_empty(), "identifier is required")?;
        let Some(name) = self.identifier.strip_prefix(PREFIX) else {
            return Err(super::unnamed(&self.identifier));
        };
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b':');
        let ends = name.as_bytes().last().is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        if !ends || !name.bytes().all(is_plain) || self.identifier.len() > MAX_IDENTIFIER_CHARS {
            let message = "identifier may have small letters, digits, - and :, ends with a letter or digit, and has at most 50 characters";
            return Err(AuthError::validation(message));
        }
        needed(!self.name.is_empty(), "name is required")?;
        needed(!self.client_id.is_empty(), "client_id is required")?;
        needed(!self.client_secret.is_empty(), "client_secret is required")?;
        if self.provider_type == OIDC {
            return needed(!self.issuer.is_empty(), "issuer is required for OIDC providers");
        }
        needed(!self.authorization_url.is_empty(), "authorization_url is required for OAuth2 providers")?;
        needed(!self.token_url.is_empty(), "token_url is required for OAuth2 providers")?;
        needed(!self.userinfo_url.is_empty(), "userinfo_url is required for OAuth2 providers")
    }

    /// Updates a custom provider with the fields of the request. As in GoTrue, an empty string counts as absent, and fields that belong
    /// only to the other provider type (`oauth2` or `oidc`) are ignored.
    pub(super) fn change(&self, provider: &mut CustomProvider) -> Result<()> {
        self.check()?;
        let text = |target: &mut String, value: &str| {
            if !value.is_empty() {
                value.clone_into(target);
            }
        };
        text(&mut provider.name, &self.name);
        text(&mut provider.client_id, &self.client_id);
        let list = |target: &mut Vec<String>, value: &Option<Vec<String>>| {
            if let Some(value) = value {
                target.clone_from(value);
            }
        };
        list(&mut provider.acceptable_client_ids, &self.acceptable_client_ids);
        list(&mut provider.scopes, &self.scopes);
        list(&mut provider.custom_claims_allowlist, &self.custom_claims_allowlist);
        if let Some(mapping) = &self.attribute_mapping {
            provider.attribute_mapping = Value::Object(mapping.clone());
        }
        if let Some(params) = &self.authorization_params {
            provider.authorization_params = Value::Object(params.clone());
        }
        let switch = |target: &mut bool, value: Option<bool>| *target = value.unwrap_or(*target);
        switch(&mut provider.pkce_enabled, self.pkce_enabled);
        switch(&mut provider.enabled, self.enabled);
        switch(&mut provider.email_optional, self.email_optional);
        let address = |target: &mut Option<String>, value: &str| {
            if !value.is_empty() {
                *target = Some(value.to_owned());
            }
        };
        if provider.is_oidc() {
            address(&mut provider.issuer, &self.issuer);
            address(&mut provider.discovery_url, &self.discovery_url);
            switch(&mut provider.skip_nonce_check, self.skip_nonce_check);
            if !provider.scopes.iter().any(|scope| scope == OPENID_SCOPE) {
                provider.scopes.insert(0, OPENID_SCOPE.to_owned());
            }
        } else {
            address(&mut provider.authorization_url, &self.authorization_url);
            address(&mut provider.token_url, &self.token_url);
            address(&mut provider.userinfo_url, &self.userinfo_url);
            address(&mut provider.jwks_uri, &self.jwks_uri);
        }
        Ok(())
    }

    /// Whether the request changes the URL of the discovery document, so that the document must be loaded again.
    pub(super) fn names_issuer(&self) -> bool {
        !self.issuer.is_empty() || !self.discovery_url.is_empty()
    }

    pub(super) fn addresses(&self) -> impl Iterator<Item = &str> {
        let all = [
            &self.issuer,
            &self.discovery_url,
            &self.authorization_url,
            &self.token_url,
            &self.userinfo_url,
            &self.jwks_uri,
        ];
        all.into_iter().map(String::as_str).filter(|address| !address.is_empty())
    }

    fn check(&self) -> Result<()> {
        let refused = |why: String| Err(AuthError::validation(why));
        for (field, value, most) in [
            ("name", &self.name, MAX_NAME_CHARS),
            ("client_id", &self.client_id, MAX_CLIENT_ID_CHARS),
            ("client_secret", &self.client_secret, MAX_SECRET_CHARS),
        ] {
            if value.chars().count() > most {
                return refused(format!("{field} has at most {most} characters"));
            }
        }
        let mut ids = std::iter::once(&self.client_id).chain(self.acceptable_client_ids.iter().flatten());
        if ids.any(|id| id.contains(',')) {
            return refused("client ids must not contain a comma".into());
        }
        for (field, list) in [
            ("acceptable_client_ids", &self.acceptable_client_ids),
            ("scopes", &self.scopes),
            ("custom_claims_allowlist", &self.custom_claims_allowlist),
        ] {
            check_list(field, list.iter().flatten())?;
        }
        self.check_authorization_params()?;
        self.check_attribute_mapping()
    }

    fn check_authorization_params(&self) -> Result<()> {
        let params = self.authorization_params.iter().flatten();
        check_list("authorization_params", params.clone().map(|(name, _)| name))?;
        for (name, value) in params {
            if RESERVED_PARAMETERS.contains(&name.as_str()) {
                return Err(AuthError::validation(format!("Cannot override reserved OAuth parameter: {name}")));
            }
            let Some(value) = value.as_str() else {
                return Err(AuthError::validation(format!("Authorization parameter {name:?} must be a string")));
            };
            if value.chars().count() > MAX_ENTRY_CHARS {
                return Err(AuthError::validation(format!("Authorization parameter {name:?} is too long")));
            }
        }
        Ok(())
    }

    fn check_attribute_mapping(&self) -> Result<()> {
        let mapping = self.attribute_mapping.iter().flatten();
        check_list("attribute_mapping", mapping.clone().map(|(target, _)| target))?;
        for (target, source) in mapping {
            if PROTECTED_ATTRIBUTES.contains(&target.as_str()) {
                return Err(AuthError::validation(format!("Cannot map to protected system field: {target}")));
            }
            if source.to_string().len() > MAX_ENTRY_CHARS {
                return Err(AuthError::validation(format!("the source of {target} is too long")));
            }
        }
        Ok(())
    }
}

/// Refuses a list of the request with too many entries, or with an empty or too long entry.
fn check_list<'a>(field: &str, texts: impl Iterator<Item = &'a String>) -> Result<()> {
    for (at, text) in texts.enumerate() {
        if at >= MAX_ENTRIES {
            return Err(AuthError::validation(format!("{field} has at most {MAX_ENTRIES} entries")));
        }
        if text.trim().is_empty() {
            return Err(AuthError::validation(format!("{field} entries must be non-empty strings")));
        }
        if text.chars().count() > MAX_ENTRY_CHARS {
            return Err(AuthError::validation(format!("{field} entries have at most {MAX_ENTRY_CHARS} characters")));
        }
    }
    Ok(())
}
