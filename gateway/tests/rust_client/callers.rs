//! The callers of the API: each has a key, usually a token, and the role and claims that PostgreSQL sees.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use postgrest::{Builder, Postgrest};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::program::Program;

const PASSWORD_VERSION: &str = "00000000-0000-4000-8000-00000000000c";

/// A caller of the table REST.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) role: String,
    /// Claims in `request.jwt.claims`.
    pub(crate) claims: Value,
    /// Schema of the caller's requests.
    pub(crate) schema: String,
    tables: Postgrest,
    token: Option<String>,
}

impl Caller {
    fn new(program: &Program, key: &str, token: Option<String>, claims: Value) -> Self {
        let tables = Postgrest::new(format!("{}/rest/v1", program.url)).insert_header("apikey", key);
        let role = claims["role"].as_str().unwrap().to_owned();
        Self { role, claims, schema: "public".to_owned(), tables, token }
    }

    /// Returns the same caller with another schema.
    pub(crate) fn with_schema(&self, schema: &str) -> Self {
        Self { schema: schema.to_owned(), tables: self.tables.clone().schema(schema), ..self.clone() }
    }

    /// Builds a request to a table or view.
    pub(crate) fn table(&self, name: &str) -> Builder {
        self.authorized(self.tables.from(name))
    }

    /// Builds a call of a database function.
    pub(crate) fn rpc(&self, name: &str, arguments: &str) -> Builder {
        self.authorized(self.tables.rpc(name, arguments))
    }

    fn authorized(&self, builder: Builder) -> Builder {
        match &self.token {
            Some(token) => builder.auth(token),
            None => builder,
        }
    }
}

/// All callers of the suite.
pub(crate) struct Callers {
    /// A visitor with the legacy key, a JWT.
    pub(crate) anon: Caller,
    /// A visitor with the publishable key, who enters the club's awards: may insert, and may not read.
    pub(crate) entrant: Caller,
    /// An account without a role of the club.
    pub(crate) stranger: Caller,
    pub(crate) admin: Caller,
    pub(crate) judge: Caller,
    /// A judge whose token was issued before the password was replaced.
    pub(crate) former_judge: Caller,
    pub(crate) service: Caller,
    /// A caller whose token has a wrong signature.
    pub(crate) forger: Caller,
}

impl Callers {
    pub(crate) async fn of(program: &Program) -> Self {
        let account = async |email: &str| {
            let token = program.account(email).await;
            let claims = claims_of(&token);
            Caller::new(program, program.key("ANON_KEY"), Some(token), claims)
        };
        let (stranger, admin) = (account("stranger@example.org").await, account("admin@example.org").await);
        let id = admin.claims["sub"].as_str().unwrap();
        program
            .execute(&format!(
                "insert into public.user_roles (user_id, role) values ('{id}', 'admin');
                 insert into club.judging_password (hash, version) values ('none', '{PASSWORD_VERSION}');"
            ))
            .await;
        let signed = |claims: Value, secret: &str| {
            let token = token(&claims, secret);
            Caller::new(program, program.key("ANON_KEY"), Some(token), claims)
        };
        let judge = |version: &str| json!({ "role": "judge", "password_version": version, "exp": 4_000_000_000_u64 });
        let secret = program.key("JWT_SECRET");
        let service_key = program.key("SERVICE_ROLE_KEY");
        Self {
            anon: Caller::new(program, program.key("ANON_KEY"), None, json!({ "role": "anon" })),
            entrant: Caller::new(program, program.key("PUBLISHABLE_KEY"), None, json!({ "role": "anon" })),
            judge: signed(judge(PASSWORD_VERSION), secret),
            former_judge: signed(judge("00000000-0000-4000-8000-00000000000d"), secret),
            service: Caller::new(program, service_key, Some(service_key.to_owned()), claims_of(service_key)),
            forger: signed(judge(PASSWORD_VERSION), "a secret that is not the project's"),
            stranger,
            admin,
        }
    }
}

/// Returns the claims of a JWT, without verifying it.
fn claims_of(token: &str) -> Value {
    let payload = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap()
}

/// Signs a JWT (HS256).
fn token(claims: &Value, secret: &str) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let text = format!("{}.{}", part(&json!({ "alg": "HS256", "typ": "JWT" })), part(claims));
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(text.as_bytes());
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
}
