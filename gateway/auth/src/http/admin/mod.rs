//! /admin: endpoints with which the project's own servers manage users.

pub(crate) mod audit;
pub(crate) mod create;
pub(crate) mod custom_providers;
pub(crate) mod delete;
pub(crate) mod factors;
pub(crate) mod generate_link;
pub(crate) mod list;
pub(crate) mod pagination;
pub(crate) mod passkeys;
pub(crate) mod update;

use axum::Json;
use axum::extract::{Path, State};
use cloch_core::Secret;
use serde::Deserialize;

use super::authn::Admin;
use crate::error::{AuthError, Context, Result};
use crate::model::user::{self, User};
use crate::model::{Metadata, Time};
use crate::password;
use crate::settings::GoDuration;
use crate::state::AuthState;

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Attributes {
    id: String,
    aud: String,
    role: String,
    email: String,
    phone: String,
    password: Option<String>,
    password_hash: String,
    email_confirm: bool,
    phone_confirm: bool,
    user_metadata: Option<Metadata>,
    app_metadata: Option<Metadata>,
    ban_duration: String,
}

impl Attributes {
    /// Returns the password hash in the request. Refuses a hash that this server cannot compare with a password, and a request that
    /// contains both a hash and a password.
    fn known_hash(&self) -> Result<Option<Secret>> {
        match (&self.password, self.password_hash.as_str()) {
            (_, "") => Ok(None),
            (Some(_), _) => Err(AuthError::validation("Only a password or a password hash should be provided")),
            (None, hash) if password::is_known_form(hash) => Ok(Some(Secret::new(hash))),
            (None, _) => Err(AuthError::validation(
                "The password hash has an unknown form: only bcrypt, argon2 and scrypt are known",
            )),
        }
    }

    /// Returns the requested end of the user's ban. `None` if the request does not change the ban, `Some(None)` if it lifts the ban.
    fn banned_until(&self) -> Result<Option<Option<Time>>> {
        match self.ban_duration.as_str() {
            "" => Ok(None),
            "none" => Ok(Some(None)),
            text => {
                // As in GoTrue, a negative duration sets an end in the past.
                let (sign, length) = match text.strip_prefix('-') {
                    Some(rest) if !rest.starts_with('+') => (-1, rest),
                    _ => (1, text),
                };
                let duration = GoDuration::parse(length)
                    .map_err(|error| AuthError::validation(format!("invalid format for ban duration: {error}")))?;
                if duration.get().is_zero() {
                    return Ok(Some(None));
                }
                let until = chrono::TimeDelta::from_std(duration.get())
                    .ok()
                    .and_then(|duration| chrono::Utc::now().checked_add_signed(duration * sign))
                    .ok_or_else(|| AuthError::validation("invalid format for ban duration: it is too long"))?;
                Ok(Some(Some(until)))
            }
        }
    }
}

pub(crate) async fn get(State(state): State<AuthState>, _: Admin, Path(id): Path<String>) -> Result<Json<User>> {
    find(&state, &id).await.map(Json)
}

pub(crate) async fn find(state: &AuthState, id: &str) -> Result<User> {
    let id = id.parse().map_err(|_| AuthError::not_found("validation_failed", "user_id must be an UUID"))?;
    let mut connection = state.connection().await?;
    user::by_id(&mut connection, id)
        .await
        .context("Database error loading user")?
        .ok_or_else(|| AuthError::not_found("user_not_found", "User not found"))
}
