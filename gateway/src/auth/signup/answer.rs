//! What someone who signs up is told.

use axum::Json;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::auth::error::{AuthError, Result};
use crate::auth::grant::Granted;
use crate::auth::models::Metadata;
use crate::auth::models::user::User;
use crate::auth::models::user_change::NewUser;
use crate::auth::state::AuthState;

/// How a registration ended.
pub(crate) enum Registered {
    /// Confirmed at once.
    SignedIn(Box<Granted>),
    /// A confirmation is on its way.
    Pending(Box<User>),
    /// The address has an account already; `new` is what would have been made.
    Repeated { new: Box<NewUser>, provider: &'static str },
}

impl Registered {
    /// The answer of POST /signup. With confirmations on it does not tell whether the address has an account.
    pub(crate) fn into_answer(self, state: &AuthState) -> Result<Response> {
        match self {
            Self::SignedIn(granted) => Ok(granted.into_response()),
            Self::Pending(user) => Ok(Json(pending(*user)).into_response()),
            Self::Repeated { new, provider } => {
                // Upstream looks at the phone setting even where nobody can sign up by phone; its default would make a project
                // that confirms addresses tell who has an account.
                let settings = state.settings();
                if settings.email_autoconfirm() || (settings.sms.enable_signup && settings.phone_autoconfirm()) {
                    return Err(AuthError::unprocessable("user_already_exists", "User already registered"));
                }
                Ok(pretended(&new, provider).into_response())
            }
        }
    }
}

/// An invited user's data is not for whoever signs up with the address.
fn pending(mut user: User) -> User {
    if user.invited_at.is_some() {
        user.user_metadata.0 = Metadata::new();
        user.identities = Some(sqlx::types::Json(Vec::new()));
    }
    user
}

/// What a new user's answer would look like, without an identity: that is how apps may notice.
fn pretended(new: &NewUser, provider: &str) -> Json<serde_json::Value> {
    let now = chrono::Utc::now();
    Json(json!({
        "id": new.id, "aud": new.aud, "role": "", "email": new.email, "phone": new.phone,
        "confirmation_sent_at": now,
        "app_metadata": { "provider": provider, "providers": [provider] },
        "user_metadata": new.user_metadata, "identities": [],
        "created_at": now, "updated_at": now, "is_anonymous": false,
    }))
}
