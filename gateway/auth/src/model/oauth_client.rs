//! `auth.oauth_clients`: OAuth clients, which are applications in which users of this project sign in.

use serde::Serialize;
use sqlx::PgConnection;
use uuid::Uuid;

use super::Time;

/// The separator of columns that contain a list, the same as in GoTrue.
const SEPARATOR: char = ',';

#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) id: Uuid,
    /// SHA-256 hash of the OAuth client's secret, base64url-encoded. Empty for a public client.
    pub(crate) secret_hash: String,
    /// `dynamic` (the client registered itself) or `manual` (an administrator created the client).
    pub(crate) registration_type: String,
    /// `public` (without a secret) or `confidential` (with a secret).
    pub(crate) client_type: String,
    redirect_uris: String,
    grant_types: String,
    pub(crate) name: String,
    pub(crate) uri: String,
    pub(crate) logo_uri: String,
    /// Authentication method of the client: `client_secret_basic`, `client_secret_post` or `none`.
    pub(crate) token_endpoint_auth_method: String,
    pub(crate) created_at: Time,
    pub(crate) updated_at: Time,
}

/// The data of an OAuth client that users see on the consent page.
#[derive(Serialize)]
pub(crate) struct Summary {
    pub(crate) id: Uuid,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) uri: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) logo_uri: String,
}

/// The column values of an OAuth client for an insert or update.
pub(crate) struct Values<'a> {
    pub(crate) id: Uuid,
    pub(crate) secret_hash: &'a str,
    pub(crate) redirect_uris: &'a [String],
    pub(crate) grant_types: &'a [String],
    pub(crate) name: &'a str,
    pub(crate) uri: &'a str,
    pub(crate) logo_uri: &'a str,
    pub(crate) token_endpoint_auth_method: &'a str,
}

impl Client {
    pub(crate) fn is_public(&self) -> bool {
        self.client_type == "public"
    }

    pub(crate) fn redirect_uris(&self) -> Vec<String> {
        list(&self.redirect_uris)
    }

    pub(crate) fn grant_types(&self) -> Vec<String> {
        list(&self.grant_types)
    }

    /// Whether the OAuth client registered a redirect URI. The URIs are compared character by character (RFC 9700, section 4.1.3), except
    /// for the port of a loopback IP address: a native app listens on a port that the operating system chooses (RFC 8252, section 7.3).
    pub(crate) fn has_redirect_uri(&self, uri: &str) -> bool {
        let is_same = |registered: &str| {
            registered == uri
                || without_loopback_port(uri).is_some_and(|own| without_loopback_port(registered) == Some(own))
        };
        !uri.contains(SEPARATOR) && self.redirect_uris.split(SEPARATOR).any(is_same)
    }

    pub(crate) fn may(&self, grant_type: &str) -> bool {
        self.grant_types.split(SEPARATOR).any(|allowed| allowed.trim() == grant_type)
    }

    pub(crate) fn summary(&self) -> Summary {
        Summary { id: self.id, name: self.name.clone(), uri: self.uri.clone(), logo_uri: self.logo_uri.clone() }
    }
}

/// Splits an http URI of a loopback IP address into the part before the port and the part after the port. `None` for other URIs. The name
/// localhost is not supported, because it may resolve to another address (RFC 8252, section 8.3).
fn without_loopback_port(uri: &str) -> Option<(&str, &str)> {
    let (host, rest) =
        ["http://127.0.0.1", "http://[::1]"].iter().find_map(|host| Some((*host, uri.strip_prefix(host)?)))?;
    let rest = match rest.strip_prefix(':') {
        Some(port_and_path) => {
            let path = port_and_path.trim_start_matches(|c: char| c.is_ascii_digit());
            port_and_path.strip_suffix(path)?.parse::<u16>().ok().filter(|port| *port != 0)?;
            path
        }
        None => rest,
    };
    (rest.is_empty() || rest.starts_with(['/', '?'])).then_some((host, rest))
}

fn list(text: &str) -> Vec<String> {
    text.split(SEPARATOR).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

fn joined(items: &[String]) -> String {
    items.join(&SEPARATOR.to_string())
}

macro_rules! select_clients {
    ($connection:expr, $fetch:ident, $rest:tt $(, $value:expr)* $(,)?) => {
        sqlx::query_as!(
            Client,
            r#"select
                 c.id,
                 coalesce(c.client_secret_hash, '') as "secret_hash!",
                 c.registration_type::text as "registration_type!",
                 c.client_type::text as "client_type!",
                 c.redirect_uris,
                 c.grant_types,
                 coalesce(c.client_name, '') as "name!",
                 coalesce(c.client_uri, '') as "uri!",
                 coalesce(c.logo_uri, '') as "logo_uri!",
                 c.token_endpoint_auth_method,
                 c.created_at,
                 c.updated_at
               from auth.oauth_clients c
               where c.deleted_at is null "# + $rest
            $(, $value)*
        )
        .$fetch(&mut *$connection)
        .await
    };
}

pub(crate) async fn by_id(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<Option<Client>> {
    select_clients!(connection, fetch_optional, "and c.id = $1", id)
}

/// Returns a page of OAuth clients, newest first, and the total number of OAuth clients.
pub(crate) async fn page(connection: &mut PgConnection, limit: i64, offset: i64) -> sqlx::Result<(Vec<Client>, i64)> {
    let total = sqlx::query_scalar!(r#"select count(*) as "total!" from auth.oauth_clients where deleted_at is null"#)
        .fetch_one(&mut *connection)
        .await?;
    let clients =
        select_clients!(connection, fetch_all, "order by c.created_at desc, c.id limit $1 offset $2", limit, offset,)?;
    Ok((clients, total))
}

pub(crate) async fn insert(connection: &mut PgConnection, client: &Values<'_>, is_dynamic: bool) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into auth.oauth_clients
           (id, client_secret_hash, registration_type, client_type, redirect_uris, grant_types, client_name, client_uri,
            logo_uri, token_endpoint_auth_method)
         values ($1, nullif($2, ''),
                 (case when $3 then 'dynamic' else 'manual' end)::auth.oauth_registration_type,
                 (case when $2 = '' then 'public' else 'confidential' end)::auth.oauth_client_type,
                 $4, $5, nullif($6, ''), nullif($7, ''), nullif($8, ''), $9)",
        client.id,
        client.secret_hash,
        is_dynamic,
        joined(client.redirect_uris),
        joined(client.grant_types),
        client.name,
        client.uri,
        client.logo_uri,
        client.token_endpoint_auth_method,
    )
    .execute(connection)
    .await
    .map(drop)
}

pub(crate) async fn update(connection: &mut PgConnection, client: &Values<'_>) -> sqlx::Result<()> {
    sqlx::query!(
        "update auth.oauth_clients
         set client_secret_hash = nullif($2, ''), redirect_uris = $3, grant_types = $4, client_name = nullif($5, ''),
             client_uri = nullif($6, ''), logo_uri = nullif($7, ''), token_endpoint_auth_method = $8, updated_at = now()
         where id = $1",
        client.id,
        client.secret_hash,
        joined(client.redirect_uris),
        joined(client.grant_types),
        client.name,
        client.uri,
        client.logo_uri,
        client.token_endpoint_auth_method,
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Marks an OAuth client as deleted, deletes the client's sessions and authorization requests, and revokes the users' consents.
pub(crate) async fn delete(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<()> {
    sqlx::query!(
        "with sessions as (delete from auth.sessions where oauth_client_id = $1),
              requests as (delete from auth.oauth_authorizations where client_id = $1),
              consents as (
                update auth.oauth_consents set revoked_at = greatest(now(), granted_at)
                where client_id = $1 and revoked_at is null
              )
         update auth.oauth_clients set deleted_at = now(), updated_at = now() where id = $1",
        id,
    )
    .execute(connection)
    .await
    .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(redirect_uris: &str) -> Client {
        Client {
            id: Uuid::nil(),
            secret_hash: String::new(),
            registration_type: "manual".into(),
            client_type: "public".into(),
            redirect_uris: redirect_uris.into(),
            grant_types: "authorization_code".into(),
            name: String::new(),
            uri: String::new(),
            logo_uri: String::new(),
            token_endpoint_auth_method: "none".into(),
            created_at: Time::UNIX_EPOCH,
            updated_at: Time::UNIX_EPOCH,
        }
    }

    #[test]
    fn redirect_uris_are_compared_exactly() {
        let client = client("https://app.example/callback,http://127.0.0.1:9/cb");
        for wrong in [
            "",
            "https://app.example/callback/",
            "https://app.example/callback?x=1",
            "https://app.example./callback",
            "https://APP.example/callback",
            "https://app.example/callback,http://127.0.0.1:9/cb",
            "https://app.example:8443/callback",
        ] {
            assert!(!client.has_redirect_uri(wrong), "{wrong}");
        }
        assert!(client.has_redirect_uri("https://app.example/callback"));
        assert!(client.has_redirect_uri("http://127.0.0.1:9/cb"));
    }

    #[test]
    fn a_loopback_address_has_any_port() {
        let client = client("http://127.0.0.1/cb?x=1,http://[::1]:9/cb,http://localhost/cb,https://127.0.0.1/cb");
        for allowed in
            ["http://127.0.0.1:49152/cb?x=1", "http://127.0.0.1/cb?x=1", "http://[::1]:49152/cb", "http://[::1]/cb"]
        {
            assert!(client.has_redirect_uri(allowed), "{allowed}");
        }
        for wrong in [
            "http://127.0.0.1:49152/cb",
            "http://127.0.0.1:49152/cb?x=1&y=2",
            "http://127.0.0.1:49152/CB?x=1",
            "http://127.0.0.1:0/cb?x=1",
            "http://127.0.0.1:65536/cb?x=1",
            "http://127.0.0.1:/cb?x=1",
            "http://127.0.0.1:+80/cb?x=1",
            "http://127.0.0.1:80@evil.example/cb?x=1",
            "http://127.0.0.1@evil.example/cb?x=1",
            "http://127.0.0.1.evil.example/cb?x=1",
            "http://127.0.0.1:80.evil.example/cb?x=1",
            "http://127.0.0.1:49152\\@evil.example/cb?x=1",
            "http://127.0.0.1:49152/cb?x=1#y",
            "http://127.0.0.2:49152/cb?x=1",
            "http://127.1:49152/cb?x=1",
            "HTTP://127.0.0.1:49152/cb?x=1",
            "https://127.0.0.1:49152/cb?x=1",
            "https://127.0.0.1:49152/cb",
            "http://[::1]:49152/cb?x=1",
            "http://[::1]:49152",
            "http://[::2]:49152/cb",
            "http://localhost:49152/cb",
            "http://127.0.0.1:49152/cb?x=1,http://[::1]:9/cb",
        ] {
            assert!(!client.has_redirect_uri(wrong), "{wrong}");
        }
    }
}
