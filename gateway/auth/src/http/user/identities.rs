//! DELETE /user/identities/{id}: deletes an identity of the signed-in user.

use axum::Json;
use axum::extract::{Path, State};
use serde_json::{Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::{AuthError, Context, Result};
use crate::flow::accounts;
use crate::flow::mail::send;
use crate::http::authn::SignedIn;
use crate::http::request::{self, Incoming};
use crate::mail_templates::MailKind;
use crate::model::audit::{self, Action};
use crate::model::identity::{self, Identity};
use crate::model::user::{self, User};
use crate::model::{user_confirm, user_update};
use crate::state::AuthState;

/// Deletes one of the user's identities, except the last. If the user's e-mail address belonged to the deleted identity, the account gets
/// the address of another identity.
pub(crate) async fn unlink(
    State(state): State<AuthState>,
    signed_in: SignedIn,
    Path(id): Path<String>,
    incoming: Incoming,
) -> Result<Json<Value>> {
    if !state.settings().enable_manual_linking {
        return Err(AuthError::not_found("manual_linking_disabled", "Manual linking is disabled"));
    }
    let id: Uuid = id.parse().map_err(|_| AuthError::not_found("validation_failed", "identity_id must be an UUID"))?;
    let token = signed_in.caller.claims().get("aud").and_then(request::first_audience);
    if token.as_deref() != Some(incoming.audience().as_str()) {
        return Err(AuthError::forbidden("unexpected_audience", "Token audience doesn't match request audience"));
    }
    let mut tx = state.begin().await?;
    // Locks the user's row, so that two concurrent deletions cannot delete the user's last two identities.
    let user = user::by_id_locked(&mut tx, signed_in.user.id).await?.ok_or(sqlx::Error::RowNotFound)?;
    if user.identities().len() <= 1 {
        return Err(AuthError::unprocessable(
            "single_identity_not_deletable",
            "User must have at least 1 identity after unlinking",
        ));
    }
    let found = user
        .identities()
        .iter()
        .find(|identity| identity.row_id == id)
        .ok_or_else(|| AuthError::unprocessable("identity_not_found", "Identity doesn't exist"))?;
    let traits = json!({ "identity_id": id, "provider": found.provider, "provider_id": found.provider_id });
    let address = signed_in.client.address.0.to_string();
    audit::by_user(&mut tx, &user, Action::IDENTITY_UNLINKED, &address, Some(traits)).await?;
    identity::delete(&mut tx, id).await.context("Database error deleting identity")?;
    if found.provider == accounts::PHONE {
        user_confirm::forget_phone(&mut tx, user.id).await.context("Database error updating user phone")?;
    } else {
        let left = user_update::reload(&mut tx, user.id).await?;
        promote(&state, &mut tx, &left).await?;
    }
    user_update::refresh_providers(&mut tx, user.id).await.context("Database error updating user providers")?;
    let more = [("Provider", found.provider.as_str())];
    send::notification(&state, &mut tx, MailKind::IdentityUnlinked, &user, &user.email, &more, &signed_in.client).await;
    tx.commit().await?;
    Ok(Json(json!({})))
}

/// If no remaining identity has the account's e-mail address, sets the account's address to the address of a remaining identity. Prefers
/// identities with a verified address, then the oldest identity. Skips addresses that belong to other users.
async fn promote(state: &AuthState, tx: &mut PgConnection, user: &User) -> Result<()> {
    let email = |identity: &Identity| identity.email.clone().unwrap_or_default();
    let mut left: Vec<&Identity> = user.identities().iter().collect();
    if left.iter().any(|identity| email(identity) == user.email) {
        return Ok(());
    }
    left.sort_by_key(|identity| (email(identity).is_empty(), !identity.is_email_verified()));
    let Some(chosen) = first_free(tx, user, &left).await.context("Database error updating user email")? else {
        return Err(AuthError::unprocessable(
            "email_conflict_identity_not_deletable",
            "Unable to unlink identity due to email conflict",
        ));
    };
    let email = email(chosen);
    let proved = !email.is_empty() && (state.settings().email_autoconfirm() || chosen.is_email_verified());
    user_confirm::promote_email(tx, user.id, &email, proved).await.context("Database error updating user email")?;
    if !proved {
        let unproved = accounts::object(json!({ "email_verified": false }));
        accounts::merge_user_metadata(tx, &mut user.clone(), &unproved).await?;
    }
    Ok(())
}

/// Returns the first identity that has no e-mail address or whose address does not belong to another user. `None` if there is no such
/// identity.
async fn first_free<'a>(
    tx: &mut PgConnection,
    user: &User,
    identities: &[&'a Identity],
) -> sqlx::Result<Option<&'a Identity>> {
    for identity in identities {
        let email = identity.email.as_deref().unwrap_or_default();
        if email.is_empty() || user::holding_email(tx, email, &user.aud, Some(user.id)).await?.is_none() {
            return Ok(Some(identity));
        }
    }
    Ok(None)
}
