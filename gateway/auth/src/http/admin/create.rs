//! POST /admin/users: creates a user.

use axum::Json;
use axum::extract::State;
use cloch_core::Secret;
use serde_json::json;
use sqlx::PgConnection;

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
            // A concurrent request has created a user with the same e-mail address or phone number. `contacts` returns the error for a
            // taken address or for a taken number.
            contacts(&state, &asked, &aud).await?;
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
    match (&asked.password, asked.password_hash.as_str()) {
        (Some(_), hash) if !hash.is_empty() => {
            Err(AuthError::validation("Only a password or a password hash should be provided"))
        }
        (Some(password), _) if password.len() > password::MAX_PASSWORD_BYTES => Err(AuthError::validation(format!(
            "bcrypt: password length exceeds {} bytes",
            password::MAX_PASSWORD_BYTES
        ))),
        (Some(password), _) if !password.is_empty() => state.passwords.hash(password).await,
        (_, "") => password::unknowable(),
        (_, hash) if password::is_known_form(hash) => Ok(Secret::new(hash)),
        _ => Err(AuthError::internal("Error creating user", "the password hash has an unknown form")),
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
    if asked.email_confirm {
        user_confirm::confirm_email(tx, user.id).await?;
    }
    if asked.phone_confirm {
        user_confirm::confirm_phone(tx, user.id).await?;
    }
    Ok(user)
}
