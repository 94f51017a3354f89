//! PUT /admin/users/{id}: updates a user.

use axum::Json;
use axum::extract::{Path, State};
use cloch_core::Secret;
use serde_json::json;
use sqlx::PgConnection;

use super::Attributes;
use crate::error::{Context, Result};
use crate::flow::accounts;
use crate::http::authn::Admin;
use crate::http::request::Incoming;
use crate::model::audit::{self, Action};
use crate::model::user::{self, User};
use crate::model::{identity, user_confirm, user_contact, user_update};
use crate::state::AuthState;
use crate::{contact, password};

/// Updates a user without sending confirmations. Attributes that the request does not contain remain unchanged.
pub(crate) async fn update(
    State(state): State<AuthState>,
    admin: Admin,
    Path(id): Path<String>,
    incoming: Incoming,
) -> Result<Json<User>> {
    let user = super::find(&state, &id).await?;
    let mut asked: Attributes = incoming.json()?;
    if !asked.email.is_empty() {
        asked.email = contact::email(&asked.email)?;
    }
    if !asked.phone.is_empty() {
        asked.phone = contact::phone(&asked.phone)?;
    }
    let banned_until = asked.banned_until()?;
    let hash = match &asked.password {
        None => asked.known_hash()?,
        Some(password) => {
            asked.known_hash()?;
            password::check(state.settings(), password)?;
            Some(state.passwords.hash(password).await?)
        }
    };
    let message = "Error updating user";
    let mut tx = state.begin().await?;
    if let Err(error) = apply(&mut tx, &user, &asked, hash.as_ref()).await {
        drop(tx);
        if error.is_unique_violation() {
            check_free(&state, &user, &asked).await?;
        }
        return Err(error).context(message);
    }
    if let Some(until) = banned_until {
        user_update::ban(&mut tx, user.id, until).await.context(message)?;
    }
    let user = user_update::reload(&mut tx, user.id).await.context(message)?;
    let traits = json!({ "user_id": user.id, "user_email": user.email, "user_phone": user.phone });
    audit::by_admin(&mut tx, &admin.role, Action::MODIFIED, traits).await.context(message)?;
    tx.commit().await.context(message)?;
    Ok(Json(user))
}

/// Refuses an address or number that another user has.
async fn check_free(state: &AuthState, user: &User, asked: &Attributes) -> Result<()> {
    let mut connection = state.connection().await?;
    let holder = user::holding_email(&mut connection, &asked.email, &user.aud, Some(user.id)).await;
    if !asked.email.is_empty() && holder.context("Database error checking email")?.is_some() {
        return Err(accounts::email_taken());
    }
    let is_taken = user::phone_taken(&mut connection, &asked.phone).await.context("Database error checking phone")?;
    if !asked.phone.is_empty() && asked.phone != user.phone && is_taken {
        return Err(accounts::phone_taken());
    }
    Ok(())
}

async fn apply(tx: &mut PgConnection, user: &User, asked: &Attributes, hash: Option<&Secret>) -> Result<()> {
    let user = user::by_id_locked(tx, user.id).await?.ok_or(sqlx::Error::RowNotFound)?;
    if !asked.role.is_empty() {
        user_update::set_role(tx, user.id, &asked.role).await?;
    }
    // A missing address or number is not confirmed: it would count as confirmed when it is added later.
    if asked.email_confirm && !(user.email.is_empty() && asked.email.is_empty()) {
        user_confirm::confirm_email(tx, user.id).await?;
    }
    if asked.phone_confirm && !(user.phone.is_empty() && asked.phone.is_empty()) {
        user_confirm::confirm_phone(tx, user.id).await?;
    }
    if let Some(hash) = hash {
        user_update::set_password(tx, user.id, hash, None).await?;
    }
    if !asked.email.is_empty() {
        set_contact(tx, &user, accounts::EMAIL, &asked.email, asked.email_confirm).await?;
        user_contact::set_email(tx, user.id, &asked.email).await?;
    }
    if !asked.phone.is_empty() {
        set_contact(tx, &user, accounts::PHONE, &asked.phone, asked.phone_confirm).await?;
        user_contact::set_phone(tx, user.id, &asked.phone).await?;
    }
    if hash.is_some() || !asked.email.is_empty() || !asked.phone.is_empty() {
        user_contact::drop_issued_codes(tx, user.id).await?;
    }
    let is_first_password = hash.is_some() && !user.has_password();
    let mut user = user_update::reload(tx, user.id).await?;
    if is_first_password {
        accounts::add_identity_of_password(tx, &user).await?;
        user = user_update::reload(tx, user.id).await?;
    }
    if let Some(data) = &asked.app_metadata {
        accounts::merge_app_metadata(tx, &mut user, data).await?;
    }
    if let Some(data) = &asked.user_metadata {
        accounts::merge_user_metadata(tx, &mut user, data).await?;
    }
    Ok(())
}

/// Updates or creates the user's identity for an e-mail address or phone number. An anonymous user becomes permanent if the address or
/// number counts as confirmed.
async fn set_contact(tx: &mut PgConnection, user: &User, provider: &str, contact: &str, verified: bool) -> Result<()> {
    let data = accounts::object(json!({ provider: contact, (format!("{provider}_verified")): verified }));
    match user.identities().iter().find(|identity| identity.provider == provider) {
        Some(identity) => identity::update_data(tx, identity, &data).await?,
        None => {
            accounts::add_identity(tx, user.id, provider, data).await?;
            user_update::refresh_providers(tx, user.id).await?;
        }
    }
    if user.is_anonymous && verified {
        user_update::make_permanent(tx, user.id).await?;
    }
    Ok(())
}
