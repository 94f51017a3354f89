//! Third-party issuers whose tokens this project accepts: `[auth.third_party.<name>]` of config.toml and `[[auth.issuers]]` of cloch.toml.
//!
//! REST, storage, realtime and functions accept these tokens like the project's own. /auth/v1 refuses them, because they belong to no user
//! of the project.

mod key_loader;

use cloch_sql::caller::issuers::IssuerSettings;
use serde::Deserialize;
use url::Url;

pub use key_loader::run;

use crate::settings::{Settings, ThirdParty};

/// Settings of a third-party OpenID Connect issuer in cloch.toml.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct OtherIssuer {
    /// The `iss` claim of the issuer's tokens. The URL of the discovery document starts with this value.
    pub issuer: String,
    /// The accepted `aud` claims of the issuer's tokens. At least one is required.
    pub audience: Vec<String>,
    /// Database role for the issuer's tokens without a `role` claim. Default: `anon`.
    pub default_role: Option<String>,
    /// URL of the issuer's key set. Used only for an issuer without a discovery document; otherwise, the discovery document contains the
    /// URL.
    pub jwks_uri: Option<String>,
}

const FIREBASE_KEYS: &str = "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com";

/// Returns the settings of all enabled third-party issuers. `audience` contains the accepted `aud` claims for issuers of config.toml; if it
/// is empty, any audience is accepted.
///
/// # Errors
///
/// Returns an error that names the invalid key of the issuer's settings.
pub fn issuers(
    settings: &Settings,
    audience: &[String],
    others: &[OtherIssuer],
) -> Result<Vec<IssuerSettings>, String> {
    let mut all = Vec::new();
    for (name, third) in settings.third_party.iter().filter(|(_, third)| third.enabled) {
        let failed = |why: String| format!("config.toml: auth.third_party.{name}: {why}");
        all.push(of_config(name, third, audience).and_then(checked).map_err(failed)?);
    }
    for other in others {
        let failed = |why: &str| format!("cloch.toml: auth.issuers: {:?}: {why}", other.issuer);
        if other.audience.is_empty() {
            return Err(failed("audience is missing"));
        }
        let issuer = IssuerSettings {
            issuer: other.issuer.clone(),
            audience: other.audience.clone(),
            default_role: other.default_role.clone(),
            jwks_uri: other.jwks_uri.clone(),
        };
        all.push(checked(issuer).map_err(|why| failed(&why))?);
    }
    match all.iter().enumerate().find(|(at, one)| all.iter().take(*at).any(|other| other.issuer == one.issuer)) {
        Some((_, twice)) => Err(format!("auth: the issuer {:?} is configured twice", twice.issuer)),
        None => Ok(all),
    }
}

/// Returns the names of the enabled issuers of config.toml whose tokens are accepted without a check of the audience, so that tokens for
/// any application are accepted.
pub fn without_audience(settings: &Settings, audience: &[String]) -> Vec<String> {
    let switched_on = settings.third_party.iter().filter(|(_, third)| third.enabled);
    switched_on.map(|(name, _)| name.clone()).filter(|name| audience.is_empty() && name != "firebase").collect()
}

fn of_config(name: &str, third: &ThirdParty, audience: &[String]) -> Result<IssuerSettings, String> {
    let given = |key: &str, value: &str| match value {
        "" => Err(format!("{key} is missing")),
        // The value becomes part of a URL, so special characters are refused.
        text if text.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'.' | b'_')) => {
            Ok(text.to_owned())
        }
        _ => Err(format!("{key}: {value:?} is not a valid name")),
    };
    let below = |issuer: String| {
        let jwks_uri = Some(format!("{}/.well-known/jwks.json", issuer.trim_end_matches('/')));
        IssuerSettings { issuer, audience: audience.to_vec(), default_role: None, jwks_uri }
    };
    match name {
        "firebase" => {
            let project = given("project_id", &third.project_id)?;
            Ok(IssuerSettings {
                issuer: format!("https://securetoken.google.com/{project}"),
                audience: vec![project],
                default_role: None,
                jwks_uri: Some(FIREBASE_KEYS.to_owned()),
            })
        }
        "auth0" => {
            let tenant = given("tenant", &third.tenant)?;
            let region = match third.tenant_region.as_str() {
                "" => String::new(),
                region => format!(".{}", given("tenant_region", region)?),
            };
            Ok(below(format!("https://{tenant}{region}.auth0.com/")))
        }
        "aws_cognito" => {
            let pool = given("user_pool_id", &third.user_pool_id)?;
            let region = given("user_pool_region", &third.user_pool_region)?;
            Ok(below(format!("https://cognito-idp.{region}.amazonaws.com/{pool}")))
        }
        "clerk" => Ok(below(format!("https://{}", given("domain", &third.domain)?))),
        "workos" => match third.issuer_url.as_str() {
            "" => Err("issuer_url is missing".to_owned()),
            issuer => Ok(IssuerSettings { jwks_uri: None, ..below(issuer.to_owned()) }),
        },
        _ => Err("only firebase, auth0, aws_cognito, clerk and workos are supported; configure others as [[auth.issuers]] in cloch.toml"
            .into()),
    }
}

/// Checks that the URLs of an issuer use https ([`check_address`]). Returns the issuer unchanged.
fn checked(issuer: IssuerSettings) -> Result<IssuerSettings, String> {
    check_address("issuer", &issuer.issuer)?;
    issuer.jwks_uri.as_deref().map_or(Ok(()), |address| check_address("jwks_uri", address))?;
    Ok(issuer)
}

/// Refuses an issuer's URL without https, except on the local machine, because an attacker in the network could replace the public keys.
fn check_address(key: &str, address: &str) -> Result<(), String> {
    let refused = |why: &str| format!("{key} {address:?} {why}");
    let url = Url::parse(address).map_err(|_| refused("is no URL: begin with https://"))?;
    let is_local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    if url.scheme() == "https" || (url.scheme() == "http" && is_local) {
        Ok(())
    } else {
        Err(refused("has to begin with https://"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(config: &str) -> Result<Vec<(String, Vec<String>)>, String> {
        let settings: Settings = toml::from_str(config).unwrap();
        let all = issuers(&settings, &["ours".to_owned()], &[])?;
        Ok(all.into_iter().map(|issuer| (issuer.issuer, issuer.audience)).collect())
    }

    #[test]
    fn refuses_what_cannot_work() {
        for config in [
            "[third_party.firebase]\nenabled = true",
            "[third_party.auth0]\nenabled = true\ntenant = \"a/b\"",
            "[third_party.aws_cognito]\nenabled = true\nuser_pool_id = \"p\"",
            "[third_party.workos]\nenabled = true\nissuer_url = \"http://id.example\"",
            "[third_party.other]\nenabled = true",
        ] {
            assert!(of(config).is_err(), "{config}");
        }
        let open = OtherIssuer { issuer: "https://id.example".into(), ..OtherIssuer::default() };
        assert!(issuers(&Settings::default(), &[], std::slice::from_ref(&open)).unwrap_err().contains("audience"));
        let named = OtherIssuer { audience: vec!["a".into()], ..open };
        assert!(issuers(&Settings::default(), &[], &[named.clone(), named.clone()]).unwrap_err().contains("twice"));
        let wrong = OtherIssuer { jwks_uri: Some("id.example/keys".into()), ..named };
        assert_eq!(
            issuers(&Settings::default(), &[], &[wrong]).unwrap_err(),
            "cloch.toml: auth.issuers: \"https://id.example\": jwks_uri \"id.example/keys\" is no URL: begin with https://"
        );
    }

    #[test]
    fn issuers_are_named_as_their_tokens_name_them() {
        let ours = vec!["ours".to_owned()];
        for (config, issuer, audience) in [
            (
                "[third_party.firebase]\nenabled = true\nproject_id = \"p-1\"",
                "https://securetoken.google.com/p-1",
                vec!["p-1".to_owned()],
            ),
            (
                "[third_party.auth0]\nenabled = true\ntenant = \"t\"\ntenant_region = \"eu\"",
                "https://t.eu.auth0.com/",
                ours.clone(),
            ),
            (
                "[third_party.aws_cognito]\nenabled = true\nuser_pool_id = \"eu_x\"\nuser_pool_region = \"eu-west-1\"",
                "https://cognito-idp.eu-west-1.amazonaws.com/eu_x",
                ours.clone(),
            ),
            ("[third_party.clerk]\nenabled = true\ndomain = \"c.example\"", "https://c.example", ours.clone()),
            (
                "[third_party.workos]\nenabled = true\nissuer_url = \"https://w.example/x\"",
                "https://w.example/x",
                ours.clone(),
            ),
        ] {
            assert_eq!(of(config).unwrap(), [(issuer.to_owned(), audience)]);
            assert_eq!(of(&config.replace("true", "false")).unwrap(), []);
        }
        let open: Settings = toml::from_str("[third_party.clerk]\nenabled = true\ndomain = \"c\"").unwrap();
        assert_eq!(without_audience(&open, &[]), ["clerk"]);
        assert_eq!(without_audience(&open, &ours), [""; 0]);
    }
}
