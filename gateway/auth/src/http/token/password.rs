//! `grant_type=password`: sign-in with an e-mail address or phone number and a password.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::{AuthError, Context, Result};
use crate::flow::issue_session::{self, TokenResponse};
use crate::flow::password_guesses::Guess;
use crate::flow::{accounts, hooks};
use crate::http::request::Incoming;
use crate::model::audit::{self, Action};
use crate::model::user::{self, User};
use crate::model::{Metadata, session};
use crate::state::AuthState;
use crate::{contact, password};

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    email: String,
    phone: String,
    password: String,
}

pub(crate) async fn grant(state: &AuthState, incoming: &Incoming) -> Result<TokenResponse> {
    let params: Params = incoming.json()?;
    let by_email = !params.email.is_empty();
    let user = find(state, &params, &incoming.audience()).await?;
    let login = if by_email { params.email.clone() } else { contact::strip_phone(&params.phone) };
    let guess = Guess::count(state, &login, user.as_ref(), &incoming.client).await?;
    // An unknown user, a user without a password and a wrong password get the same response after the same time. The response must not
    // reveal which accounts exist.
    let Some(user) = user.filter(User::has_password) else {
        state.passwords.pretend(&params.password).await?;
        return Err(invalid());
    };
    let right = match state.passwords.verify(&user.encrypted_password, &params.password).await {
        Ok(right) => right,
        Err(error) => {
            // In this case no password was compared, for example because the server is overloaded, so the attempt does not
            // count as wrong.
            guess.uncount(state).await?;
            return Err(error);
        }
    };
    // The count is removed before the hook is called, so that a failing hook does not leave a correct password counted as
    // wrong.
    if right {
        guess.uncount(state).await?;
    }
    // The hook is not called for a banned user. The ban itself is reported only below, to a client with the correct password.
    if !user.is_banned() {
        call_hook(state, incoming, &user, right).await?;
    }
    if !right {
        return Err(invalid());
    }
    if user.is_banned() {
        return Err(AuthError::bad_request("user_banned", "User is banned"));
    }
    if by_email && !user.is_confirmed() {
        return Err(AuthError::bad_request("email_not_confirmed", "Email not confirmed"));
    }
    if !by_email && !user.is_phone_confirmed() {
        return Err(AuthError::bad_request("phone_not_confirmed", "Phone not confirmed"));
    }
    let mut tx = state.begin().await?;
    let provider = if by_email { accounts::EMAIL } else { accounts::PHONE };
    // Loads the user again, because another request may have changed the password or deleted the account during the comparison.
    let current = user::by_id_locked(&mut tx, user.id).await?.ok_or_else(invalid)?;
    if !current.encrypted_password.matches(user.encrypted_password.expose()) {
        return Err(invalid());
    }
    audit::by_user(&mut tx, &current, Action::LOGIN, "", Some(json!({ "provider": provider }))).await?;
    let mut granted = issue_session::open_session(state, &mut tx, user.id, "password", &incoming.client).await?;
    tx.commit().await?;
    granted.weak_password = Some(json!(password::weakness(state.settings(), &params.password)));
    Ok(granted)
}

async fn find(state: &AuthState, params: &Params, aud: &str) -> Result<Option<User>> {
    let settings = state.settings();
    let disabled = |code, message| Err(AuthError::unprocessable(code, message));
    match (params.email.as_str(), params.phone.as_str()) {
        ("", "") => Err(AuthError::validation("missing email or phone")),
        (email, "") => {
            if !settings.email.enable_signup {
                return disabled("email_provider_disabled", "Email logins are disabled");
            }
            let mut connection = state.connection().await?;
            user::by_email(&mut connection, email, aud).await.context("Database error querying schema")
        }
        ("", phone) => {
            if !settings.sms.enable_signup {
                return disabled("phone_provider_disabled", "Phone logins are disabled");
            }
            let mut connection = state.connection().await?;
            user::by_phone(&mut connection, &contact::strip_phone(phone), aud)
                .await
                .context("Database error querying schema")
        }
        _ => Err(AuthError::validation("Only an email address or phone number should be provided on login.")),
    }
}

/// Calls the project's `password_verification_attempt` hook. The hook can reject the sign-in even if the password is correct.
async fn call_hook(state: &AuthState, incoming: &Incoming, user: &User, right: bool) -> Result<()> {
    let hook = &state.settings().hook.password_verification_attempt;
    if !hook.enabled {
        return Ok(());
    }
    let mut input = Metadata::new();
    input.insert("user_id".into(), user.id.to_string().into());
    input.insert("valid".into(), right.into());
    let output = hooks::call(state, None, hook, "password-verification", &incoming.client, input).await?;
    if !hooks::rejects(&output)? {
        return Ok(());
    }
    if output.get("should_logout_user").and_then(Value::as_bool) == Some(true) {
        let mut tx = state.begin().await?;
        session::delete_all(&mut tx, user.id).await?;
        tx.commit().await?;
    }
    let message = output.get("message").and_then(Value::as_str).filter(|message| !message.is_empty());
    let message = message.unwrap_or("Further password verification attempts will be rejected.").to_owned();
    Err(AuthError::bad_request("invalid_credentials", message))
}

fn invalid() -> AuthError {
    AuthError::bad_request("invalid_credentials", "Invalid login credentials")
}
