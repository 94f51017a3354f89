//! POST /factors: enrolls a second factor.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

use super::phone;
use crate::error::{AuthError, Context, Result};
use crate::flow::totp;
use crate::http::authn::SignedIn;
use crate::http::request::Incoming;
use crate::model::audit::{self, Action};
use crate::model::factor::{self, NewFactor, NewKind, PHONE, WEBAUTHN};
use crate::model::{Metadata, user, user_update};
use crate::state::AuthState;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    factor_type: String,
    friendly_name: String,
    issuer: String,
    phone: String,
}

/// Enrolls an unverified second factor. For an authenticator app, the response contains the TOTP secret as text and as a QR code.
pub(crate) async fn enroll(
    State(state): State<AuthState>,
    signed_in: SignedIn,
    incoming: Incoming,
) -> Result<Json<Value>> {
    super::check_not_anonymous(&signed_in)?;
    if signed_in.session.is_none() {
        return Err(AuthError::internal(
            "A valid session and a registered user are required to enroll a factor",
            "the token belongs to no session",
        ));
    }
    let params: Params = incoming.json()?;
    super::check_name("friendly_name", &params.friendly_name)?;
    super::check_name("issuer", &params.issuer)?;
    let secret = totp::new_secret();
    let number =
        if params.factor_type == PHONE { phone::number(state.settings(), &params.phone)? } else { String::new() };
    let kind = check_kind(&state, &params, &secret, &number)?;
    let id = Uuid::new_v4();
    let mut tx = state.begin().await?;
    factor::delete_abandoned(&mut tx).await?;
    let mut user = user::by_id_exclusive(&mut tx, signed_in.user.id).await?.ok_or(sqlx::Error::RowNotFound)?;
    if matches!(kind, NewKind::Phone(_)) && phone::make_room(&mut tx, &user, &number).await? {
        user = user_update::reload(&mut tx, user.id).await?;
    }
    check_room(&state, &user, &signed_in, &params)?;
    if matches!(kind, NewKind::Totp(_)) && user.email.is_empty() {
        return Err(AuthError::internal("Error generating QR Code", "the user has no address to name the account by"));
    }
    let new = NewFactor { id, user: user.id, friendly_name: &params.friendly_name, kind };
    // The response is built before the factor is stored. Otherwise, an error in the response could leave a stored factor whose secret the
    // client never received.
    let answer = answer(&state, &user, &new, &params)?;
    factor::insert(&mut tx, &new).await.context("Database error creating factor")?;
    let address = signed_in.client.address.0.to_string();
    let mut traits = Metadata::new();
    traits.insert("factor_id".into(), id.to_string().into());
    if !matches!(kind, NewKind::Totp(_)) {
        traits.insert("factor_type".into(), kind.name().into());
    }
    audit::by_user(&mut tx, &user, Action::FACTOR_IN_PROGRESS, &address, Some(traits.into())).await?;
    tx.commit().await?;
    Ok(Json(answer))
}

fn answer(state: &AuthState, user: &user::User, new: &NewFactor<'_>, params: &Params) -> Result<Value> {
    let mut answer = Metadata::new();
    answer.insert("id".into(), new.id.to_string().into());
    answer.insert("type".into(), new.kind.name().into());
    answer.insert("friendly_name".into(), new.friendly_name.into());
    match new.kind {
        NewKind::Totp(secret) => {
            let issuer = if params.issuer.is_empty() { own_name(state) } else { params.issuer.clone() };
            let uri = totp::address(&issuer, &user.email, secret);
            let picture = totp::picture(&uri).context("Error generating QR Code")?.ok_or_else(|| {
                AuthError::unprocessable("validation_failed", "issuer and address are too long for a QR code")
            })?;
            answer.insert("totp".into(), json!({ "qr_code": picture, "secret": secret, "uri": uri }));
        }
        NewKind::Phone(_) => {
            answer.insert("phone".into(), params.phone.as_str().into());
        }
        NewKind::WebAuthn => {}
    }
    Ok(answer.into())
}

fn check_kind<'a>(state: &AuthState, params: &Params, secret: &'a str, number: &'a str) -> Result<NewKind<'a>> {
    let disabled = |code, message| Err(AuthError::unprocessable(code, message));
    let enabled = &state.settings().mfa;
    match params.factor_type.as_str() {
        "totp" if enabled.totp.enroll_enabled => Ok(NewKind::Totp(secret)),
        "totp" => disabled("mfa_totp_enroll_not_enabled", "MFA enroll is disabled for TOTP"),
        PHONE if enabled.phone.enroll_enabled => Ok(NewKind::Phone(number)),
        PHONE => disabled("mfa_phone_enroll_not_enabled", "MFA enroll is disabled for Phone"),
        WEBAUTHN if enabled.web_authn.enroll_enabled => Ok(NewKind::WebAuthn),
        WEBAUTHN => disabled("mfa_webauthn_enroll_not_enabled", "MFA enroll is disabled for WebAuthn"),
        _ => Err(AuthError::validation("factor_type needs to be totp, phone, or webauthn")),
    }
}

fn check_room(state: &AuthState, user: &user::User, signed_in: &SignedIn, params: &Params) -> Result<()> {
    let same_name = |name: Option<&str>| name.unwrap_or_default() == params.friendly_name;
    if user.factors().iter().any(|factor| same_name(factor.friendly_name.as_deref())) {
        return Err(super::name_conflict(&params.friendly_name));
    }
    if user.factors().iter().filter(|factor| !factor.is_recovery_code()).count()
        >= state.settings().mfa.max_enrolled_factors
    {
        return Err(AuthError::unprocessable(
            "too_many_enrolled_mfa_factors",
            "Maximum number of verified factors reached, unenroll to continue",
        ));
    }
    let has_aal2 = signed_in.session.as_ref().is_some_and(|session| session.has_aal2());
    if user.has_verified_factor() && !has_aal2 {
        return Err(AuthError::forbidden("insufficient_aal", "AAL2 required to enroll a new factor"));
    }
    Ok(())
}

/// Returns the host and port of the site URL, which an authenticator app displays by default as the issuer.
fn own_name(state: &AuthState) -> String {
    let Ok(site) = Url::parse(state.redirect_urls().site()) else {
        return String::new();
    };
    match (site.host_str(), site.port()) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (host, _) => host.unwrap_or_default().to_owned(),
    }
}
