//! Loads the user's profile from an external sign-in provider, and converts the profile to a common form.

use hmac::{Hmac, KeyInit, Mac};
use http::header::{ACCEPT, USER_AGENT};
use serde_json::{Value, json};
use sha2::Sha256;

use super::providers::Reads;
use super::token_exchange::Tokens;
use super::{Provider, id_token};
use crate::error::{AuthError, Context, Result};
use crate::flow::accounts::object;
use crate::model::Metadata;
use crate::oidc_cache;
use crate::provider_http;
use crate::state::AuthState;

const FAILED: &str = "Error getting user profile from external provider";

#[derive(Clone, Debug, Default)]
pub(crate) struct Profile {
    pub(crate) subject: String,
    pub(crate) emails: Vec<Address>,
    /// The provider's claims about the user, which are stored as the identity's data and merged into the user's metadata.
    pub(crate) claims: Metadata,
}

/// An e-mail address of a profile, and whether the provider has verified the address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) email: String,
    pub(crate) verified: bool,
    pub(crate) primary: bool,
}

impl Profile {
    /// Returns the e-mail address that becomes the account's address: the primary address of the profile, otherwise the last address.
    /// `None` if the profile contains no address.
    pub(crate) fn primary(&self) -> Option<&Address> {
        self.emails.iter().find(|address| address.primary).or_else(|| self.emails.last())
    }

    /// Adds the subject and the primary e-mail address to the profile's claims.
    fn complete(mut self) -> Self {
        self.emails.retain(|address| !address.email.is_empty());
        let primary = self.primary().cloned();
        self.claims.insert("sub".into(), self.subject.as_str().into());
        self.claims.insert("provider_id".into(), self.subject.as_str().into());
        self.claims.insert("email_verified".into(), primary.as_ref().is_some_and(|address| address.verified).into());
        self.claims.insert("phone_verified".into(), false.into());
        if let Some(address) = primary {
            self.claims.insert("email".into(), address.email.into());
        }
        self
    }
}

pub(crate) async fn fetch(state: &AuthState, provider: &Provider<'_>, tokens: &Tokens) -> Result<Profile> {
    let get = async |address: &str| get(state, provider, address, tokens).await;
    let profile = match provider.known.reads {
        Reads::IdToken => return of_id_token(state, provider, tokens).await,
        Reads::Userinfo => {
            let claims = object(get(&provider.userinfo).await?);
            of_provider(provider, claims, &provider.settings.url)
        }
        Reads::Github => {
            let user = get(&format!("{}/user", provider.userinfo)).await?;
            let emails = get(&format!("{}/user/emails", provider.userinfo)).await?;
            github(&user, &emails)
        }
        Reads::Gitlab => gitlab(&get(&provider.userinfo).await?),
        Reads::Discord => discord(&get(&provider.userinfo).await?),
        Reads::Facebook => {
            let proof = appsecret_proof(provider.settings.secret.expose(), &tokens.access_token);
            facebook(&get(&format!("{}&appsecret_proof={proof}", provider.userinfo)).await?)
        }
    };
    check_subject(profile)
}

async fn of_id_token(state: &AuthState, provider: &Provider<'_>, tokens: &Tokens) -> Result<Profile> {
    let document = provider.document.as_ref().ok_or_else(|| AuthError::internal(FAILED, "no OpenID document"))?;
    if tokens.id_token.is_empty() && provider.custom.is_some() && !provider.userinfo.is_empty() {
        // As in GoTrue, a custom provider may omit the ID token from its token response.
        let claims = object(get(state, provider, &provider.userinfo, tokens).await?);
        return check_subject(of_provider(provider, claims, &document.issuer));
    }
    let mut claims = id_token::verify(state, provider, document, &tokens.id_token)
        .await
        .map_err(|error| AuthError::internal(FAILED, error))?;
    if !claims.contains_key("email") && !provider.userinfo.is_empty() {
        let more = object(get(state, provider, &provider.userinfo, tokens).await?);
        // OpenID Connect Core, section 5.3.2: a userinfo response with another subject must not be used.
        if more.get("sub") != claims.get("sub") {
            return Err(AuthError::internal(FAILED, "userinfo is about someone else"));
        }
        for (name, value) in more {
            claims.entry(name).or_insert(value);
        }
    }
    check_subject(of_provider(provider, claims, &document.issuer))
}

fn check_subject(profile: Profile) -> Result<Profile> {
    if profile.subject.is_empty() {
        return Err(AuthError::internal(FAILED, "the profile names no subject"));
    }
    Ok(profile)
}

pub(crate) fn of_provider(provider: &Provider<'_>, claims: Metadata, issuer: &str) -> Profile {
    let settings = &provider.settings;
    match (&provider.custom, provider.known.reads) {
        (Some(custom), _) => {
            let mapped = custom.mapped(&with_tenants_word(claims.clone(), issuer, settings));
            let mut profile = openid(&Value::Object(mapped), issuer);
            custom.keep_claims(&claims, &mut profile);
            profile
        }
        (None, Reads::Userinfo) => openid(&Value::Object(claims), issuer),
        (None, _) => openid(&Value::Object(with_tenants_word(claims, issuer, settings)), issuer),
    }
}

/// Sets `email_verified` for Microsoft accounts. A Microsoft tenant can set any address for its users. Therefore, an address counts as
/// verified only if the settings name one tenant or the token confirms the address (claim `xms_edov`).
fn with_tenants_word(mut claims: Metadata, issuer: &str, settings: &crate::settings::Provider) -> Metadata {
    if oidc_cache::is_azure(issuer) {
        let vouched = match claims.get("xms_edov").unwrap_or(&Value::Null) {
            Value::Bool(vouched) => *vouched,
            Value::String(text) => text == "1" || text == "true",
            Value::Number(number) => number.as_i64() == Some(1),
            _ => {
                let open = ["common", "organizations", "consumers"];
                let is_open = |part: &str| open.contains(&part) || part.starts_with('{');
                !settings.url.is_empty() && !settings.url.split('/').any(is_open)
            }
        };
        claims.insert("email_verified".into(), vouched.into());
    }
    claims
}

async fn get(state: &AuthState, provider: &Provider<'_>, address: &str, tokens: &Tokens) -> Result<Value> {
    let request = provider
        .http(state)
        .get(address)?
        .bearer_auth(&tokens.access_token)
        .header(ACCEPT, "application/json")
        .header(USER_AGENT, "Cloch");
    let reply = request.send().await.context(FAILED)?.error_for_status().context(FAILED)?;
    provider_http::read_json(reply).await.context(FAILED)
}

fn text(value: &Value, name: &str) -> String {
    match value.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// Parses a boolean claim. Also accepts the string `"true"`, which some providers send.
fn is_true(value: &Value, name: &str) -> bool {
    value.get(name).is_some_and(|value| value.as_bool() == Some(true) || value.as_str() == Some("true"))
}

fn with_claims(subject: String, emails: Vec<Address>, claims: Value) -> Profile {
    let mut claims = object(claims);
    claims.retain(|_, value| value.as_str() != Some("") && !value.is_null());
    Profile { subject, emails, claims }.complete()
}

/// Returns a profile without an e-mail address, for example of a wallet's owner.
pub(crate) fn without_address(subject: String, custom_claims: Value) -> Profile {
    with_claims(subject, Vec::new(), json!({ "custom_claims": custom_claims }))
}

fn openid(claims: &Value, issuer: &str) -> Profile {
    let address = claims.get("email").and_then(Value::as_str).unwrap_or_default();
    let email = Address { email: address.to_owned(), verified: is_true(claims, "email_verified"), primary: true };
    let standard = [
        "name",
        "family_name",
        "given_name",
        "middle_name",
        "nickname",
        "preferred_username",
        "profile",
        "picture",
        "website",
        "gender",
        "birthdate",
        "zoneinfo",
        "locale",
    ];
    let mut data: Metadata = standard.into_iter().map(|name| (name.to_owned(), text(claims, name).into())).collect();
    data.insert("iss".into(), issuer.into());
    data.insert("full_name".into(), text(claims, "name").into());
    data.insert("avatar_url".into(), text(claims, "picture").into());
    data.insert("user_name".into(), text(claims, "preferred_username").into());
    if let Some(domain) = claims.get("hd").and_then(Value::as_str) {
        data.insert("custom_claims".into(), json!({ "hd": domain }));
    }
    with_claims(text(claims, "sub"), vec![email], Value::Object(data))
}

fn github(user: &Value, emails: &Value) -> Profile {
    let emails = emails.as_array().into_iter().flatten().map(|entry| Address {
        email: text(entry, "email"),
        verified: is_true(entry, "verified"),
        primary: is_true(entry, "primary"),
    });
    let name = match text(user, "name") {
        name if name.is_empty() => text(user, "login"),
        name => name,
    };
    let claims = json!({
        "iss": "https://api.github.com", "name": name, "full_name": name,
        "user_name": text(user, "login"), "preferred_username": text(user, "login"),
        "avatar_url": text(user, "avatar_url"),
    });
    with_claims(text(user, "id"), emails.collect(), claims)
}

fn gitlab(user: &Value) -> Profile {
    let email = Address {
        email: text(user, "email"),
        verified: user.get("confirmed_at").is_some_and(Value::is_string),
        primary: true,
    };
    let claims = json!({
        "iss": "https://gitlab.com", "name": text(user, "name"), "full_name": text(user, "name"),
        "picture": text(user, "avatar_url"), "avatar_url": text(user, "avatar_url"),
        "user_name": text(user, "username"),
    });
    with_claims(text(user, "id"), vec![email], claims)
}

fn discord(user: &Value) -> Profile {
    let id = text(user, "id");
    let email = Address { email: text(user, "email"), verified: is_true(user, "verified"), primary: true };
    let avatar = match text(user, "avatar") {
        none if none.is_empty() => String::new(),
        hash => {
            let kind = if hash.starts_with("a_") { "gif" } else { "png" };
            format!("https://cdn.discordapp.com/avatars/{id}/{hash}.{kind}")
        }
    };
    let claims = json!({
        "iss": "https://discord.com/api", "name": text(user, "username"), "full_name": text(user, "username"),
        "picture": avatar, "avatar_url": avatar, "custom_claims": { "global_name": user.get("global_name") },
    });
    with_claims(id, vec![email], claims)
}

fn facebook(user: &Value) -> Profile {
    // Facebook returns only addresses that it has confirmed.
    let email = Address { email: text(user, "email"), verified: !text(user, "email").is_empty(), primary: true };
    let picture = user.pointer("/picture/data").map(|picture| text(picture, "url")).unwrap_or_default();
    let claims = json!({
        "iss": "https://graph.facebook.com", "name": text(user, "name"), "full_name": text(user, "name"),
        "nickname": text(user, "alias"), "picture": picture, "avatar_url": picture,
    });
    with_claims(text(user, "id"), vec![email], claims)
}

fn appsecret_proof(secret: &str, token: &str) -> String {
    Hmac::<Sha256>::new_from_slice(secret.as_bytes())
        .map(|mut mac| {
            mac.update(token.as_bytes());
            hex::encode(mac.finalize().into_bytes())
        })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings;

    #[test]
    fn an_address_is_verified_only_where_the_provider_says_so() {
        let verified = |profile: Profile| profile.primary().unwrap().verified;
        assert!(!verified(openid(&json!({"sub": "1", "email": "a@b.example"}), "https://x")));
        assert!(!verified(openid(
            &json!({"sub": "1", "email": "a@b.example", "email_verified": "false"}),
            "https://x"
        )));
        assert!(verified(openid(&json!({"sub": "1", "email": "a@b.example", "email_verified": "true"}), "https://x")));
        assert!(!verified(gitlab(&json!({"id": 1, "email": "a@b.example", "confirmed_at": null}))));
        assert!(!verified(discord(&json!({"id": "1", "email": "a@b.example", "verified": false}))));
    }

    #[test]
    fn a_tenant_of_microsoft_cannot_claim_any_address() {
        let issuer = "https://login.microsoftonline.com/9188040d/v2.0";
        let verified = |claims: Value, url: &str| {
            let settings = settings::Provider { url: url.into(), ..settings::Provider::default() };
            let claims = with_tenants_word(object(claims), issuer, &settings);
            openid(&Value::Object(claims), issuer).primary().unwrap().verified
        };
        let claims = json!({"sub": "1", "email": "victim@b.example", "email_verified": true});
        assert!(!verified(claims.clone(), ""));
        assert!(!verified(claims.clone(), "https://login.microsoftonline.com/common"));
        assert!(!verified(claims.clone(), "https://login.microsoftonline.com/organizations/v2.0"));
        assert!(!verified(claims.clone(), "https://login.microsoftonline.com/{tenantid}/v2.0"));
        assert!(verified(claims, "https://login.microsoftonline.com/0f1e2d3c"));
        assert!(verified(json!({"sub": "1", "email": "a@b.example", "xms_edov": true}), ""));
    }

    #[test]
    fn github_has_many_addresses_and_one_is_primary() {
        let emails = json!([
            {"email": "old@b.example", "verified": false, "primary": false},
            {"email": "a@b.example", "verified": true, "primary": true},
        ]);
        let profile = github(&json!({"id": 7, "login": "ann", "avatar_url": "https://x/y"}), &emails);
        assert_eq!((profile.subject.as_str(), profile.primary().unwrap().email.as_str()), ("7", "a@b.example"));
        assert_eq!(profile.claims["name"], "ann");
        assert_eq!(profile.claims["email_verified"], true);
    }
}
