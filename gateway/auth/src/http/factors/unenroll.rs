//! DELETE /factors/{id}: deletes a second factor.

use axum::Json;
use axum::extract::{Path, State};
use serde_json::{Value, json};

use crate::error::{AuthError, Result};
use crate::flow::mail::send;
use crate::http::authn::SignedIn;
use crate::mail_templates::MailKind;
use crate::model::audit::{self, Action};
use crate::model::{factor, session};
use crate::state::AuthState;

/// Deletes a second factor of the signed-in user. The deletion of a verified factor requires a session at aal2.
pub(crate) async fn unenroll(
    State(state): State<AuthState>,
    signed_in: SignedIn,
    Path(id): Path<String>,
) -> Result<Json<Value>> {
    super::check_not_anonymous(&signed_in)?;
    let user = &signed_in.user;
    let factor = super::find(user.factors(), &id)?;
    let has_aal2 = signed_in.session.as_ref().is_some_and(|session| session.has_aal2());
    if factor.is_verified() && !has_aal2 {
        return Err(AuthError::unprocessable("insufficient_aal", "AAL2 required to unenroll verified factor"));
    }
    let mut tx = state.begin().await?;
    session::lower(&mut tx, factor.id, super::method(factor)).await?;
    factor::delete(&mut tx, factor.id).await?;
    super::recovery_codes::drop_without_factor(&mut tx, user, factor).await?;
    let address = signed_in.client.address.0.to_string();
    let traits = json!({
        "factor_id": factor.id, "factor_status": factor.status, "session_id": signed_in.session_id(),
    });
    audit::by_user(&mut tx, user, Action::FACTOR_UNENROLLED, &address, Some(traits)).await?;
    let more = [("FactorType", factor.factor_type.as_str())];
    send::notification(&state, &mut tx, MailKind::MfaFactorUnenrolled, user, &user.email, &more, &signed_in.client)
        .await;
    tx.commit().await?;
    Ok(Json(json!({ "id": factor.id })))
}
