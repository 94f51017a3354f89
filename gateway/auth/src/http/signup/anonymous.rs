//! Sign-up of anonymous users, who have neither an e-mail address nor a phone number.

use axum::response::{IntoResponse, Response};

use crate::error::{AuthError, Context, Result};
use crate::flow::rate_limit::{self, Limit};
use crate::flow::{accounts, issue_session};
use crate::http::request::Incoming;
use crate::model::{Metadata, user_update};
use crate::state::AuthState;

pub(crate) async fn sign_up(state: &AuthState, incoming: &Incoming, data: Metadata) -> Result<Response> {
    if !state.settings().enable_anonymous_sign_ins {
        return Err(AuthError::unprocessable("anonymous_provider_disabled", "Anonymous sign-ins are disabled"));
    }
    rate_limit::check(state, Limit::Anonymous, &incoming.client).await?;
    accounts::check_open(state)?;
    let mut user = accounts::new_user(&incoming.audience(), &[], data);
    user.is_anonymous = true;
    accounts::before_created(state, &incoming.client, &user).await?;
    let mut tx = state.begin().await?;
    let inserted = user_update::insert(&mut tx, &user, accounts::ROLE).await;
    let user = inserted.context("Database error creating anonymous user")?;
    let granted = issue_session::open_session(state, &mut tx, user.id, "anonymous", &incoming.client).await?;
    tx.commit().await?;
    accounts::after_created(state, &incoming.client, &granted.user).await?;
    Ok(granted.into_response())
}
