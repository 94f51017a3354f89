//! The responses of POST /signup.

use axum::Json;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::error::{AuthError, Result};
use crate::flow::accounts;
use crate::flow::register::Registered;
use crate::model::Metadata;
use crate::model::user::User;
use crate::model::user_update::NewUser;
use crate::state::AuthState;

/// Returns the response of POST /signup. If confirmations are enabled, the response is the same whether the address has an account or not.
pub(crate) fn response(state: &AuthState, registered: Registered) -> Result<Response> {
    match registered {
        Registered::SignedIn(granted) => Ok(granted.into_response()),
        Registered::Pending { user, existed: false, data } => Ok(Json(with_metadata(*user, &data)).into_response()),
        Registered::Pending { user, data, .. } => Ok(Json(pending(*user, &data)).into_response()),
        Registered::Repeated { new, provider } => {
            // GoTrue applies the setting `[auth.sms] enable_confirmations` even if sign-up by phone is disabled. With the default value of
            // the setting, a project that requires confirmed e-mail addresses would then reveal which addresses have an account.
            let settings = state.settings();
            if settings.email_autoconfirm() || (settings.sms.enable_signup && settings.phone_autoconfirm()) {
                return Err(AuthError::unprocessable("user_already_exists", "User already registered"));
            }
            Ok(pretended(&new, provider).into_response())
        }
    }
}

/// Replaces the user's metadata by the metadata of the sign-up request. The response does not contain metadata that a trigger of the
/// project has added: the response for an address with an account cannot contain it, so it would reveal that the address had no account
/// before.
fn with_metadata(user: User, data: &Metadata) -> User {
    let metadata = accounts::metadata_of_sign_up(user.id, &user.email, data);
    User { user_metadata: sqlx::types::Json(metadata), ..user }
}

/// Makes an existing unconfirmed account look like a new account in the response, so that the response does not contain data of earlier
/// requests.
fn pending(user: User, data: &Metadata) -> User {
    let user = with_metadata(user, data);
    User {
        invited_at: None,
        phone_confirmed_at: None,
        confirmed_at: None,
        recovery_sent_at: None,
        email_change: String::new(),
        email_change_sent_at: None,
        phone_change: String::new(),
        phone_change_sent_at: None,
        reauthentication_sent_at: None,
        last_sign_in_at: None,
        banned_until: None,
        factors: None,
        created_at: user.updated_at,
        identities: if user.invited_at.is_some() { Some(sqlx::types::Json(Vec::new())) } else { user.identities },
        ..user
    }
}

/// Returns the response for an address that already has a confirmed account. The response looks like the response for a new user, but its
/// list of identities is empty. Apps can detect the existing account by this empty list.
fn pretended(new: &NewUser, provider: &str) -> Json<serde_json::Value> {
    let now = chrono::Utc::now();
    let metadata = accounts::metadata_of_sign_up(new.id, &new.email, &new.user_metadata);
    Json(json!({
        "id": new.id, "aud": new.aud, "role": "", "email": new.email, "phone": new.phone,
        "confirmation_sent_at": now,
        "app_metadata": { "provider": provider, "providers": [provider] },
        "user_metadata": metadata, "identities": [],
        "created_at": now, "updated_at": now, "is_anonymous": false,
    }))
}
