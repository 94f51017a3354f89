//! POST /admin/users: creates a user.

use axum::Json;
use axum::extract::State;
use cloch_core::Secret;
use serde_json::json;
use sqlx::PgConnection;
use uuid::Uuid;

use super::Attributes;
use crate::error::{AuthError, Context, Result};
use crate::flow::accounts;
use crate::http::authn::Admin;
use crate::http::request::Incoming;
use crate::model::audit::{self, Action};
use crate::model::user::{self, User};
use crate::model::user_confirm;
use crate::model::user_update::{self, NewUser};
use crate::state::AuthState;
use crate::{contact, password};

pub(crate) async fn create(State(state): State<AuthState>, admin: Admin, incoming: Incoming) -> Result<Json<User>> {
    let asked: Attributes = incoming.json()?;
    let banned_until = asked.banned_until();
    let aud = if asked.aud.is_empty() { incoming.audience() } else { asked.aud.clone() };
    let new = describe(&state, &asked, &aud).await?;
    let banned_until = banned_until?;
    let message = "Database error creating new user";
    let mut tx = state.begin().await?;
    let user = match store(&mut tx, &admin, &asked, &new).await {
        Err(error) if error.is_unique_violation() => {
            drop(tx);
            // A concurrent request has created a user with the same e-mail address or phone number, or a user has the requested id.
            // `contacts` returns the error for a taken address or for a taken number.
            contacts(&state, &asked, &aud).await?;
            check_id(&state, new.id).await?;
            return Err(error).context(message);
        }
        stored => stored.context(message)?,
    };
    if let Some(until) = banned_until {
        user_update::ban(&mut tx, user.id, until).await.context(message)?;
    }
    let user = user_update::reload(&mut tx, user.id).await.context(message)?;
    tx.commit().await.context(message)?;
    Ok(Json(user))
}

/// Refuses an id that a user has.
async fn check_id(state: &AuthState, id: Uuid) -> Result<()> {
    let mut connection = state.connection().await?;
    match user::by_id(&mut connection, id).await.context("Database error loading user")? {
        Some(_) => Err(AuthError::unprocessable("user_already_exists", "A user with this id already exists")),
        None => Ok(()),
    }
}

async fn describe(state: &AuthState, asked: &Attributes, aud: &str) -> Result<NewUser> {
    let (email, phone) = contacts(state, asked, aud).await?;
    let given = [(accounts::EMAIL, &email), (accounts::PHONE, &phone)];
    let providers: Vec<_> =
        given.iter().filter(|(_, contact)| !contact.is_empty()).map(|&(provider, _)| provider).collect();
    let mut new = accounts::new_user(aud, &providers, asked.user_metadata.clone().unwrap_or_default());
    (new.email, new.phone) = (email, phone);
    new.encrypted_password = hash(state, asked).await?;
    if !asked.id.is_empty() {
        new.id = asked.id.parse().map_err(|_| AuthError::validation("ID must conform to the uuid v4 format"))?;
        if new.id.is_nil() {
            return Err(AuthError::validation("ID cannot be a nil uuid"));
        }
    }
    Ok(new)
}

/// Returns the normalised e-mail address and phone number of the request (empty if absent). Refuses an address or number that another user
/// has.
async fn contacts(state: &AuthState, asked: &Attributes, aud: &str) -> Result<(String, String)> {
    if asked.email.is_empty() && asked.phone.is_empty() {
        return Err(AuthError::validation("Cannot create a user without either an email or phone"));
    }
    let mut connection = state.connection().await?;
    let (mut email, mut phone) = (String::new(), String::new());
    if !asked.email.is_empty() {
        email = contact::email(&asked.email)?;
        let holder = user::holding_email(&mut connection, &email, aud, None).await;
        if holder.context("Database error checking email")?.is_some() {
            return Err(accounts::email_taken());
        }
    }
    if !asked.phone.is_empty() {
        phone = contact::phone(&asked.phone)?;
        if user::phone_taken(&mut connection, &phone).await.context("Database error checking phone")? {
            return Err(AuthError::unprocessable("phone_exists", "Phone number already registered by another user"));
        }
    }
    Ok((email, phone))
}

/// Returns the hash of the new user's password: the hash in the request, the hash of the password in the request, or the hash of a random
/// password.
async fn hash(state: &AuthState, asked: &Attributes) -> Result<Secret> {
    if let Some(hash) = asked.known_hash()? {
        return Ok(hash);
    }
    match &asked.password {
        Some(password) if password.len() > password::MAX_PASSWORD_BYTES => Err(AuthError::validation(format!(
            "bcrypt: password length exceeds {} bytes",
            password::MAX_PASSWORD_BYTES
        ))),
        Some(password) if !password.is_empty() => state.passwords.hash(password).await,
        _ => password::unknowable(),
    }
}

async fn store(tx: &mut PgConnection, admin: &Admin, asked: &Attributes, new: &NewUser) -> Result<User> {
    let role = if asked.role.is_empty() { accounts::ROLE } else { &asked.role };
    let mut user = user_update::insert(tx, new, role).await?;
    if !user.email.is_empty() {
        let claims = accounts::object(json!({ "email": user.email }));
        accounts::add_identity(tx, user.id, accounts::EMAIL, claims).await?;
    }
    if !user.phone.is_empty() {
        let claims = accounts::object(json!({ "phone": user.phone }));
        accounts::add_identity(tx, user.id, accounts::PHONE, claims).await?;
    }
    let traits = json!({
        "user_id": user.id, "user_email": user.email, "user_phone": user.phone,
        "provider": new.app_metadata.get("provider"),
    });
    audit::by_admin(tx, &admin.role, Action::SIGNED_UP, traits).await?;
    if let Some(data) = &asked.app_metadata {
        accounts::merge_app_metadata(tx, &mut user, data).await?;
    }
    // A missing address or number is not confirmed: it would count as confirmed when it is added later.
    if asked.email_confirm && !new.email.is_empty() {
        user_confirm::confirm_email(tx, user.id).await?;
    }
    if asked.phone_confirm && !new.phone.is_empty() {
        user_confirm::confirm_phone(tx, user.id).await?;
    }
    Ok(user)
}
