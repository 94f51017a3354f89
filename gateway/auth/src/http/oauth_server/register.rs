//! POST /oauth/clients/register: dynamic registration of OAuth clients (RFC 7591), if the project allows it.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use uuid::Uuid;

use crate::error::{AuthError, Result};
use crate::flow::oauth_server::client_metadata::{ClientMetadata, Refusal};
use crate::flow::oauth_server::codes;
use crate::flow::rate_limit::{self, Limit};
use crate::http::request::Incoming;
use crate::model::Time;
use crate::model::oauth_client::{self, Client, Values};
use crate::state::AuthState;

/// Maximum number of client registrations per hour from all addresses together, because each registration inserts a database row.
const MAX_REGISTRATIONS_PER_HOUR: i32 = 500;
const HOUR_SECONDS: f64 = 3600.0;

#[derive(Serialize)]
pub(super) struct Registered {
    client_id: Uuid,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_secret: Option<String>,
    /// Always zero, which means that the client secret does not expire. `None` for a client without a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    client_secret_expires_at: Option<u8>,
    client_id_issued_at: i64,
    client_type: String,
    redirect_uris: Vec<String>,
    token_endpoint_auth_method: String,
    grant_types: Vec<String>,
    response_types: [&'static str; 1],
    #[serde(skip_serializing_if = "String::is_empty")]
    client_name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    client_uri: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    logo_uri: String,
    registration_type: String,
    created_at: Time,
    updated_at: Time,
}

impl Registered {
    pub(super) fn new(client: Client, secret: Option<String>) -> Self {
        Self {
            client_id: client.id,
            client_secret_expires_at: secret.as_ref().map(|_| 0),
            client_secret: secret,
            client_id_issued_at: client.created_at.timestamp(),
            redirect_uris: client.redirect_uris(),
            grant_types: client.grant_types(),
            client_type: client.client_type,
            token_endpoint_auth_method: client.token_endpoint_auth_method,
            response_types: ["code"],
            client_name: client.name,
            client_uri: client.uri,
            logo_uri: client.logo_uri,
            registration_type: client.registration_type,
            created_at: client.created_at,
            updated_at: client.updated_at,
        }
    }

    /// Converts a registration to its response. No other response contains the client secret.
    pub(super) fn created(self) -> Response {
        let mut response = (StatusCode::CREATED, Json(self)).into_response();
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

pub(crate) async fn register(State(state): State<AuthState>, incoming: Incoming) -> Result<Response> {
    if !state.settings().oauth_server.allow_dynamic_registration {
        return Err(AuthError::forbidden(
            "oauth_dynamic_client_registration_disabled",
            "Dynamic client registration is not enabled",
        ));
    }
    rate_limit::check(&state, Limit::OauthRegister, &incoming.client).await?;
    let metadata: ClientMetadata =
        incoming.json().map_err(|error| AuthError::oauth("invalid_client_metadata", error.message().to_owned()))?;
    check(&metadata).map_err(|refusal| match refusal {
        Refusal::RedirectUri(message) => AuthError::oauth("invalid_redirect_uri", message),
        Refusal::Metadata(message) => AuthError::oauth("invalid_client_metadata", message),
    })?;
    let mut connection = state.connection().await?;
    if !rate_limit::take(&mut connection, "auth/oauth-register", MAX_REGISTRATIONS_PER_HOUR, HOUR_SECONDS).await? {
        return Err(AuthError::too_many("over_request_rate_limit", "Request rate limit reached"));
    }
    drop(connection);
    insert(&state, &metadata, true).await.map(Registered::created)
}

/// Validates the metadata of a new OAuth client. The redirect URIs are required.
pub(super) fn check(metadata: &ClientMetadata) -> Result<(), Refusal> {
    if metadata.redirect_uris.is_none() {
        return Err(Refusal::RedirectUri("redirect_uris is required".into()));
    }
    metadata.check()
}

/// Stores a new OAuth client. Generates a client secret unless the client is public.
pub(super) async fn insert(state: &AuthState, metadata: &ClientMetadata, is_dynamic: bool) -> Result<Registered> {
    let secret = (!metadata.is_public()).then(codes::random);
    let id = Uuid::new_v4();
    let values = Values {
        id,
        secret_hash: &secret.as_deref().map(codes::hash_of_secret).unwrap_or_default(),
        redirect_uris: metadata.redirect_uris.as_deref().unwrap_or_default(),
        grant_types: &metadata.grant_types(),
        name: metadata.client_name.as_deref().unwrap_or_default(),
        uri: metadata.client_uri.as_deref().unwrap_or_default(),
        logo_uri: metadata.logo_uri.as_deref().unwrap_or_default(),
        token_endpoint_auth_method: metadata.auth_method(),
    };
    let mut tx = state.begin().await?;
    oauth_client::insert(&mut tx, &values, is_dynamic).await?;
    let client = oauth_client::by_id(&mut tx, id).await?.ok_or(sqlx::Error::RowNotFound)?;
    tx.commit().await?;
    Ok(Registered::new(client, secret))
}
