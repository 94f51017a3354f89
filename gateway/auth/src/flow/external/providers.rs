//! The table of built-in sign-in providers: endpoints, scopes, and the source of the user's profile.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reads {
    /// The profile consists of the claims of a signed ID token and of the userinfo endpoint.
    IdToken,
    Github,
    Gitlab,
    Discord,
    Facebook,
    /// The profile is the response of the userinfo endpoint of OpenID Connect, for a provider without a discovery document.
    Userinfo,
}

/// A built-in sign-in provider. Relative endpoint paths are joined to the `url` of config.toml or, if config.toml contains no `url`, to
/// `base`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) base: &'static str,
    /// The issuer whose discovery document is loaded. Empty if the issuer equals `base`.
    pub(crate) issuer: &'static str,
    pub(crate) authorization: &'static str,
    pub(crate) token: &'static str,
    pub(crate) userinfo: &'static str,
    pub(crate) scopes: &'static str,
    /// Additional query parameters of the authorization request.
    pub(crate) more: &'static [(&'static str, &'static str)],
    pub(crate) reads: Reads,
}

/// Defaults for a provider that is not in the table: an OpenID Connect issuer whose URL is configured as `url`.
pub(crate) const OPENID: Known = Known {
    base: "",
    issuer: "",
    authorization: "",
    token: "",
    userinfo: "",
    scopes: "openid email profile",
    more: &[],
    reads: Reads::IdToken,
};

const PROVIDERS: [(&str, Known); 9] = [
    ("google", Known { base: "https://accounts.google.com", ..OPENID }),
    (
        "apple",
        Known {
            base: "https://appleid.apple.com",
            scopes: "email name",
            more: &[("response_mode", "form_post")],
            ..OPENID
        },
    ),
    (
        "azure",
        Known {
            base: "https://login.microsoftonline.com/common",
            authorization: "/oauth2/v2.0/authorize",
            token: "/oauth2/v2.0/token",
            userinfo: "https://graph.microsoft.com/oidc/userinfo",
            scopes: "openid email",
            ..OPENID
        },
    ),
    ("linkedin_oidc", Known { base: "https://www.linkedin.com/oauth", scopes: "openid email profile", ..OPENID }),
    (
        "keycloak",
        Known {
            authorization: "/protocol/openid-connect/auth",
            token: "/protocol/openid-connect/token",
            userinfo: "/protocol/openid-connect/userinfo",
            scopes: "profile email openid",
            reads: Reads::Userinfo,
            ..OPENID
        },
    ),
    (
        "github",
        Known {
            base: "https://github.com",
            authorization: "/login/oauth/authorize",
            token: "/login/oauth/access_token",
            userinfo: "https://api.github.com",
            scopes: "user:email",
            reads: Reads::Github,
            ..OPENID
        },
    ),
    (
        "gitlab",
        Known {
            base: "https://gitlab.com",
            authorization: "/oauth/authorize",
            token: "/oauth/token",
            userinfo: "/api/v4/user",
            scopes: "read_user",
            reads: Reads::Gitlab,
            ..OPENID
        },
    ),
    (
        "discord",
        Known {
            base: "https://discord.com",
            authorization: "/api/oauth2/authorize",
            token: "/api/oauth2/token",
            userinfo: "/api/users/@me",
            scopes: "email identify",
            reads: Reads::Discord,
            ..OPENID
        },
    ),
    (
        "facebook",
        Known {
            base: "https://www.facebook.com",
            authorization: "/dialog/oauth",
            token: "https://graph.facebook.com/oauth/access_token",
            userinfo: "https://graph.facebook.com/me?fields=email,first_name,last_name,name,picture",
            scopes: "email",
            reads: Reads::Facebook,
            ..OPENID
        },
    ),
];

/// Returns the issuer of a provider's ID tokens: the configured `url`, or else the issuer of the built-in provider. `None` if the provider
/// issues no ID tokens.
pub(crate) fn token_issuer<'a>(name: &str, url: &'a str) -> Option<&'a str> {
    let known = match known(name) {
        Some(known) if known.reads == Reads::IdToken || name == "facebook" => known.base,
        Some(_) if name == "keycloak" => "",
        Some(_) => return None,
        None => "",
    };
    let issuer = if url.is_empty() { known } else { url.trim_end_matches('/') };
    (!issuer.is_empty()).then_some(issuer)
}

/// Returns the names of the built-in sign-in providers.
pub fn names() -> impl Iterator<Item = &'static str> {
    PROVIDERS.iter().map(|(name, _)| *name)
}

pub(crate) fn known(name: &str) -> Option<Known> {
    PROVIDERS.iter().find(|(known, _)| *known == name).map(|(_, known)| *known)
}
