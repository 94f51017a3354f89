//! Users without address or number.

use axum::response::{IntoResponse, Response};

use crate::auth::error::{AuthError, Result};
use crate::auth::limits::{self, Limit};
use crate::auth::models::Metadata;
use crate::auth::request::Incoming;
use crate::auth::state::AuthState;
use crate::auth::{accounts, grant};

/// A user who is known by the session alone.
pub(super) async fn sign_up(state: &AuthState, incoming: &Incoming, data: Metadata) -> Result<Response> {
    if !state.settings().enable_anonymous_sign_ins {
        return Err(AuthError::unprocessable("anonymous_provider_disabled", "Anonymous sign-ins are disabled"));
    }
    limits::check(state, Limit::Anonymous, &incoming.client).await?;
    super::check_open(state)?;
    let mut user = accounts::new_user(&incoming.audience(), &[], data);
    user.is_anonymous = true;
    accounts::before_created(state, &incoming.client, &user).await?;
    let mut tx = state.begin().await?;
    let user = accounts::insert(&mut tx, &user).await?;
    let granted = grant::open_session(state, &mut tx, user.id, "anonymous", &incoming.client).await?;
    tx.commit().await?;
    accounts::after_created(state, &incoming.client, &granted.user).await?;
    Ok(granted.into_response())
}
