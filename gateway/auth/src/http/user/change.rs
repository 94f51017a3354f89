//! PUT /user: changes the signed-in user's e-mail address, phone number, password or metadata.

use axum::Json;
use axum::extract::State;
use cloch_core::Secret;
use serde::Deserialize;
use sqlx::PgConnection;

use super::password;
use crate::contact;
use crate::error::{AuthError, Context, Result};
use crate::flow::mail::send;
use crate::flow::message_count::MessageCount;
use crate::flow::rate_limit::{self, Limit};
use crate::flow::{accounts, code_guesses, sms, verify};
use crate::http::authn::SignedIn;
use crate::http::request::Incoming;
use crate::mail_templates::MailKind;
use crate::model::audit::{self, Action};
use crate::model::user::{self, User};
use crate::model::{Metadata, flow_state, user_contact, user_update};
use crate::pkce::ChallengeParams;
use crate::state::AuthState;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    email: String,
    phone: String,
    password: Option<String>,
    nonce: String,
    current_password: String,
    data: Option<Metadata>,
    app_metadata: Option<Metadata>,
    channel: String,
    #[serde(flatten)]
    challenge: ChallengeParams,
}

impl Params {
    fn new_email(&self, user: &User) -> Option<&str> {
        Some(self.email.as_str()).filter(|email| !email.is_empty() && *email != user.email)
    }

    fn new_phone(&self, user: &User) -> Option<&str> {
        Some(self.phone.as_str()).filter(|phone| !phone.is_empty() && *phone != user.phone)
    }

    fn new_password(&self) -> Option<&str> {
        self.password.as_deref().filter(|password| !password.is_empty())
    }
}

pub(crate) async fn change(
    State(state): State<AuthState>,
    signed_in: SignedIn,
    incoming: Incoming,
) -> Result<Json<User>> {
    rate_limit::check(&state, Limit::User, &incoming.client).await?;
    let mut params: Params = incoming.json()?;
    check_form(&state, &mut params)?;
    check_rights(&signed_in, &params)?;
    check_taken(&state, &signed_in.user, &params).await?;
    let hash = match &params.password {
        Some(new) => Some(password::admit(&state, &signed_in, new, &params.nonce, &params.current_password).await?),
        None => None,
    };
    let mut tx = state.begin_sending().await?;
    let user = user::by_id_locked(&mut tx, signed_in.user.id)
        .await?
        .ok_or_else(|| AuthError::forbidden("user_not_found", "User from sub claim in JWT does not exist"))?;
    let user = apply(&state, &mut tx, &signed_in, user, &params, hash, &incoming).await?;
    audit::by_user(&mut tx, &user, Action::MODIFIED, "", None).await.context("Error recording audit log entry")?;
    let user = user_update::reload(&mut tx, user.id).await?;
    tx.commit().await?;
    Ok(Json(user))
}

fn check_form(state: &AuthState, params: &mut Params) -> Result<()> {
    if !params.email.is_empty() {
        params.email = contact::email(&params.email)?;
    }
    if !params.phone.is_empty() {
        params.phone = contact::phone(&params.phone)?;
        sms::check_channel(state.settings(), &params.channel)?;
    }
    match &params.password {
        Some(password) => crate::password::check(state.settings(), password),
        None => Ok(()),
    }
}

fn check_rights(signed_in: &SignedIn, params: &Params) -> Result<()> {
    let user = &signed_in.user;
    if params.app_metadata.is_some() && user.role != "admin" {
        return Err(AuthError::forbidden("not_admin", "Updating app_metadata requires admin privileges"));
    }
    let changes_login =
        params.new_password().is_some() || params.new_email(user).is_some() || params.new_phone(user).is_some();
    let has_aal2 = signed_in.session.as_ref().is_some_and(|session| session.has_aal2());
    if changes_login && user.has_verified_factor() && !has_aal2 {
        return Err(AuthError::unauthorized(
            "insufficient_aal",
            "AAL2 session is required to update email or password when MFA is enabled.",
        ));
    }
    let addressless = params.email.is_empty() && params.phone.is_empty();
    if user.is_anonymous && params.new_password().is_some() && addressless {
        return Err(AuthError::unprocessable(
            "validation_failed",
            "Updating password of an anonymous user without an email or phone is not allowed",
        ));
    }
    if user.is_sso_user && (changes_login || !params.nonce.is_empty()) {
        return Err(AuthError::unprocessable(
            "user_sso_managed",
            "Updating email, phone, password of a SSO account only possible via SSO",
        ));
    }
    Ok(())
}

async fn check_taken(state: &AuthState, user: &User, params: &Params) -> Result<()> {
    let mut connection = state.connection().await?;
    if let Some(email) = params.new_email(user) {
        let holder = user::holding_email(&mut connection, email, &user.aud, Some(user.id)).await;
        if holder.context("Database error checking email")?.is_some() {
            return Err(accounts::email_taken());
        }
    }
    if let Some(phone) = params.new_phone(user)
        && user::phone_taken(&mut connection, phone).await.context("Database error checking phone")?
    {
        return Err(accounts::phone_taken());
    }
    Ok(())
}

/// Applies the requested changes of password, metadata, e-mail address and phone number to the user in one transaction.
async fn apply(
    state: &AuthState,
    tx: &mut PgConnection,
    signed_in: &SignedIn,
    mut user: User,
    params: &Params,
    hash: Option<Secret>,
    incoming: &Incoming,
) -> Result<User> {
    if let Some(hash) = hash {
        user_update::set_password(tx, user.id, &hash, signed_in.session_id())
            .await
            .context("Error during password storage")?;
        if !user.has_password() {
            accounts::add_identity_of_password(tx, &user).await?;
        }
        user_contact::drop_issued_codes(tx, user.id).await?;
        audit::by_user(tx, &user, Action::UPDATED_PASSWORD, "", None).await?;
        send::notification(state, tx, MailKind::PasswordChanged, &user, &user.email, &[], &incoming.client).await;
        user = user_update::reload(tx, user.id).await?;
    }
    if let Some(data) = &params.data {
        accounts::merge_user_metadata(tx, &mut user, data).await?;
    }
    if let Some(data) = &params.app_metadata {
        accounts::merge_app_metadata(tx, &mut user, data).await?;
    }
    let mail = match params.new_email(&user) {
        Some(email) => change_email(state, tx, &user, email, params, incoming).await?,
        None => MessageCount::default(),
    };
    if let Some(phone) = params.new_phone(&user)
        && let Err(refusal) = change_phone(state, tx, &user, phone, incoming).await
    {
        mail.give_back(state).await;
        return Err(refusal);
    }
    Ok(user)
}

async fn change_phone(
    state: &AuthState,
    tx: &mut PgConnection,
    user: &User,
    phone: &str,
    incoming: &Incoming,
) -> Result<()> {
    if state.settings().phone_autoconfirm() {
        verify::apply::phone_change(state, tx, user, phone, &incoming.client).await
    } else {
        let code = sms::CodeMessage { state, user, phone, purpose: sms::Purpose::Change, client: &incoming.client };
        code.send(tx).await.map(drop)
    }
}

/// Changes the e-mail address immediately, or sends the confirmations of the change. Returns the rate limit count of the mails, which the
/// calling function must remove if the transaction is rolled back.
async fn change_email(
    state: &AuthState,
    tx: &mut PgConnection,
    user: &User,
    email: &str,
    params: &Params,
    incoming: &Incoming,
) -> Result<MessageCount> {
    if user.is_anonymous && state.settings().email_autoconfirm() {
        verify::apply::email_change(state, tx, user, email, &incoming.client).await?;
        return Ok(MessageCount::default());
    }
    let challenge = params.challenge.unchecked()?;
    if let Some(challenge) = &challenge {
        flow_state::begin(tx, "email_change", "email_change", challenge, user.id).await?;
    }
    let mail = send::MailContext {
        user,
        client: &incoming.client,
        target: &incoming.target(state),
        pkce: challenge.is_some(),
        counted: false,
    };
    let count = send::email_change(state, tx, &mail, email).await?;
    for address in [email, &user.email] {
        code_guesses::note_asker(state, address, &incoming.client, state.settings().email.otp_expiry).await?;
    }
    Ok(count)
}
