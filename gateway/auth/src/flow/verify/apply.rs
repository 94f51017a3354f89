//! Applies a valid one-time token: confirms an e-mail address or phone number, or completes the change of an address or number.

use cloch_core::Secret;
use serde_json::json;
use sqlx::PgConnection;

use super::find::ValidToken;
use super::{Purpose, Verified};
use crate::client::Client;
use crate::error::{AuthError, Context, Result};
use crate::flow::accounts;
use crate::flow::mail::send;
use crate::mail_templates::MailKind;
use crate::model::audit::{self, Action};
use crate::model::one_time_token::{self, Kind};
use crate::model::user::User;
use crate::model::{Metadata, identity, user_confirm, user_contact, user_update};
use crate::password;
use crate::state::AuthState;

pub(crate) async fn proof(
    state: &AuthState,
    tx: &mut PgConnection,
    found: ValidToken,
    client: &Client,
) -> Result<Verified> {
    let ValidToken { user, purpose, by_current, phone, .. } = found;
    match purpose {
        Purpose::Signup | Purpose::Invite => {
            let user = of_this_client(tx, user.clone(), accounts::EMAIL, client).await?;
            signup(tx, &user).await?;
        }
        Purpose::Recovery | Purpose::MagicLink => recovery(tx, &user).await.context("Database error updating user")?,
        Purpose::EmailChange => {
            if needs_both(state, &user) {
                let kind = if by_current { Kind::EmailChangeTokenCurrent } else { Kind::EmailChangeTokenNew };
                one_time_token::clear(tx, user.id, kind).await?;
                user_confirm::half_confirm_email_change(tx, user.id, by_current).await?;
                return Ok(Verified::HalfConfirmed);
            }
            let new = user.email_change.clone();
            email_change(state, tx, &user, &new, client).await?;
        }
        Purpose::Sms => {
            let user = of_this_client(tx, user.clone(), accounts::PHONE, client).await?;
            audit::by_user(tx, &user, Action::SIGNED_UP, "", Some(json!({ "provider": accounts::PHONE }))).await?;
            user_confirm::confirm_phone(tx, user.id).await.context("Error confirming user")?;
            verify_phone_identity(tx, &user).await?;
        }
        Purpose::PhoneChange => phone_change(state, tx, &user, &phone, client).await?,
        Purpose::Email => return Err(AuthError::validation("Unsupported verification type")),
    }
    Ok(Verified::User(Box::new(user), purpose))
}

fn needs_both(state: &AuthState, user: &User) -> bool {
    // The setting `enable_confirmations` is not checked here, because it applies only to sign-ups.
    state.settings().email.double_confirm_changes && user.email_change_confirm_status == 0 && !user.email.is_empty()
}

/// Returns the account that the code or link confirms. If sign-up requests came from several networks (IPv4 address or IPv6 /64), a
/// stranger may have made the newest request. In this case, the password and data of the newest request are kept only if it came from this
/// client's network.
async fn of_this_client(tx: &mut PgConnection, user: User, provider: &str, client: &Client) -> Result<User> {
    match accounts::pending_sign_up(tx, &user).await? {
        Some(pending) if pending.may_be_anothers(client) => forget_request(tx, &user, provider).await,
        _ => Ok(user),
    }
}

async fn forget_request(tx: &mut PgConnection, user: &User, provider: &str) -> Result<User> {
    accounts::start_over(tx, user, provider, &Secret::default(), &Metadata::new()).await
}

/// Confirms the e-mail address of a sign-up or invitation. Sets a random password for an invited user without a password.
async fn signup(tx: &mut PgConnection, user: &User) -> Result<()> {
    if !user.has_password() && user.invited_at.is_some() {
        let hash = password::unknowable()?;
        user_update::set_password(tx, user.id, &hash, None).await.context("Error storing password")?;
    }
    audit::by_user(tx, user, Action::SIGNED_UP, "", Some(json!({ "provider": accounts::EMAIL }))).await?;
    user_confirm::confirm_email(tx, user.id).await.context("Error confirming user")?;
    verify_identities(tx, user).await
}

/// Marks the user's identities that have the confirmed e-mail address as verified.
async fn verify_identities(tx: &mut PgConnection, user: &User) -> Result<()> {
    let verified = accounts::object(json!({ "email_verified": true }));
    for identity in user.identities() {
        if !user.email.is_empty() && identity.email.as_deref() == Some(user.email.as_str()) {
            identity::update_data(tx, identity, &verified)
                .await
                .context("Error setting email_verified to true on identity")?;
        }
    }
    Ok(())
}

async fn verify_phone_identity(tx: &mut PgConnection, user: &User) -> Result<()> {
    let verified = accounts::object(json!({ "phone": user.phone, "phone_verified": true }));
    for identity in user.identities().iter().filter(|identity| identity.provider == accounts::PHONE) {
        identity::update_data(tx, identity, &verified).await.context("Error confirming user")?;
    }
    Ok(())
}

/// Completes an account recovery. Access to the mailbox also confirms the e-mail address of an unconfirmed account. A stranger may have
/// signed up with the address, so the password and data of a pending sign-up are removed.
async fn recovery(tx: &mut PgConnection, user: &User) -> Result<()> {
    user_confirm::spend_recovery(tx, user.id).await?;
    if user.is_confirmed() {
        audit::by_user(tx, user, Action::LOGIN, "", None).await?;
        return Ok(());
    }
    if accounts::pending_sign_up(tx, user).await?.is_some() {
        forget_request(tx, user, accounts::EMAIL).await?;
    }
    audit::by_user(tx, user, Action::SIGNED_UP, "", Some(json!({ "provider": accounts::EMAIL }))).await?;
    user_confirm::confirm_email(tx, user.id).await.map_err(AuthError::from)
}

/// Completes an e-mail address change: updates the user and the user's e-mail identity.
pub(crate) async fn email_change(
    state: &AuthState,
    tx: &mut PgConnection,
    user: &User,
    new: &str,
    client: &Client,
) -> Result<()> {
    audit::by_user(tx, user, Action::MODIFIED, "", None).await?;
    if accounts::pending_sign_up(tx, user).await?.is_some() {
        let stripped = forget_request(tx, &User { email: new.to_owned(), ..user.clone() }, accounts::EMAIL).await?;
        user_contact::set_email(tx, user.id, new).await.map_err(taken)?;
        user_confirm::confirm_email(tx, user.id).await.context("Error confirm email")?;
        let proved = accounts::object(json!({ "email": new, "email_verified": true }));
        for identity in stripped.identities() {
            identity::update_data(tx, identity, &proved).await.context("Error confirm email")?;
        }
        return Ok(());
    }
    let proved = accounts::object(json!({ "email": new, "email_verified": true }));
    match user.identities().iter().find(|identity| identity.provider == accounts::EMAIL) {
        Some(identity) => identity::update_data(tx, identity, &proved).await.context("Error confirm email")?,
        None => accounts::add_identity(tx, user.id, accounts::EMAIL, proved).await.map(drop)?,
    }
    user_confirm::apply_email_change(tx, user.id, new).await.map_err(taken)?;
    user_update::refresh_providers(tx, user.id).await.context("Database error updating user")?;
    if user.email.is_empty() || user.email == new {
        return Ok(());
    }
    let changed = User { email: new.to_owned(), ..user.clone() };
    let more = [("OldEmail", user.email.as_str())];
    send::notification(state, tx, MailKind::EmailChanged, &changed, &user.email, &more, client).await;
    Ok(())
}

/// Converts a unique violation to the error for an e-mail address or phone number that another user has taken in the meantime.
fn taken(error: sqlx::Error) -> AuthError {
    match error.as_database_error() {
        Some(refusal) if refusal.is_unique_violation() => accounts::email_taken(),
        _ => AuthError::internal("Error confirm email", error),
    }
}

/// Completes a phone number change: updates the user and the user's phone identity.
pub(crate) async fn phone_change(
    state: &AuthState,
    tx: &mut PgConnection,
    user: &User,
    new: &str,
    client: &Client,
) -> Result<()> {
    audit::by_user(tx, user, Action::MODIFIED, "", None).await?;
    let proved = accounts::object(json!({ "phone": new, "phone_verified": true }));
    let existing = user.identities().iter().find(|identity| identity.provider == accounts::PHONE);
    match existing {
        Some(identity) => identity::update_data(tx, identity, &proved).await.context("Error confirming user")?,
        None => accounts::add_identity(tx, user.id, accounts::PHONE, proved).await.map(drop)?,
    }
    user_confirm::apply_phone_change(tx, user.id, new).await.map_err(|error| match taken(error) {
        AuthError::Internal { cause, .. } => AuthError::Internal { message: "Error confirming user".into(), cause },
        _ => accounts::phone_taken(),
    })?;
    user_update::refresh_providers(tx, user.id).await.context("Database error updating user")?;
    if !user.phone.is_empty() && user.phone != new {
        let more = [("Phone", new), ("OldPhone", user.phone.as_str())];
        send::notification(state, tx, MailKind::PhoneChanged, user, &user.email, &more, client).await;
    }
    if existing.is_none() {
        let more = [("Provider", accounts::PHONE)];
        send::notification(state, tx, MailKind::IdentityLinked, user, &user.email, &more, client).await;
    }
    Ok(())
}
