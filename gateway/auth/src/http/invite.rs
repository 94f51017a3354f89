//! POST /invite: creates an account for another person and sends an invitation link by mail.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::json;

use super::authn::Admin;
use super::request::Incoming;
use crate::contact;
use crate::error::{Context, Result};
use crate::flow::accounts;
use crate::flow::mail::send;
use crate::model::Metadata;
use crate::model::audit::{self, Action};
use crate::model::user::{self, User};
use crate::model::user_update::{self, NewUser};
use crate::state::AuthState;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    email: String,
    data: Metadata,
}

/// Finds or creates the user with the requested e-mail address, and sends an invitation. A user who has not accepted an earlier invitation
/// receives a new invitation.
pub(crate) async fn invite(State(state): State<AuthState>, admin: Admin, incoming: Incoming) -> Result<Json<User>> {
    let params: Params = incoming.json()?;
    let mut new = accounts::new_user(&incoming.audience(), &[accounts::EMAIL], params.data);
    new.email = contact::email(&params.email)?;
    let invited = match attempt(&state, &admin, &incoming, &new).await {
        // A concurrent request created the account. The second attempt finds this account.
        Err(error) if error.is_unique_violation() => attempt(&state, &admin, &incoming, &new).await,
        invited => invited,
    };
    invited.map(Json)
}

async fn attempt(state: &AuthState, admin: &Admin, incoming: &Incoming, new: &NewUser) -> Result<User> {
    let mut connection = state.connection().await?;
    let existing =
        user::by_email(&mut connection, &new.email, &new.aud).await.context("Database error finding user")?;
    drop(connection);
    if existing.is_none() {
        accounts::before_created(state, &incoming.client, new).await?;
    }
    let mut tx = state.begin_sending().await?;
    let user = match existing {
        Some(user) if user.is_confirmed() => return Err(accounts::email_taken()),
        Some(user) => accounts::take_for_invitation(&mut tx, user, &new.user_metadata).await?,
        None => {
            let user = accounts::insert(&mut tx, new).await?;
            let claims = accounts::object(json!({ "email": user.email }));
            accounts::add_identity(&mut tx, user.id, accounts::EMAIL, claims).await?;
            user
        }
    };
    let traits = json!({ "user_id": user.id, "user_email": user.email });
    audit::by_admin(&mut tx, &admin.role, Action::INVITED, traits).await?;
    let mail = send::MailContext {
        user: &user,
        client: &incoming.client,
        target: &incoming.target(state),
        pkce: false,
        counted: false,
    };
    send::invite(state, &mut tx, &mail).await?;
    let user = user_update::reload(&mut tx, user.id).await?;
    tx.commit().await?;
    accounts::after_created(state, &incoming.client, &user).await?;
    Ok(user)
}
