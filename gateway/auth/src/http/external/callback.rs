//! GET and POST /callback: an external sign-in provider redirects the user's browser to this endpoint after the sign-in.

use axum::extract::State;
use axum::response::Response;
use http::{Method, StatusCode};

use crate::error::{AuthError, Context, Result};
use crate::flow::external::account::{self, ExternalLogin, Settled};
use crate::flow::external::profile::{self, Profile};
use crate::flow::external::{self, token_exchange};
use crate::flow::issue_session;
use crate::http::redirect;
use crate::http::request::Incoming;
use crate::model::flow_state::{self, FlowState};
use crate::model::one_time_token::{self, Kind};
use crate::model::{audit, identity, oauth_client_state, user, user_confirm, user_update};
use crate::pkce::FLOW_LIFETIME;
use crate::state::AuthState;

/// Completes a sign-in with an external provider. The response is always a redirect: to the redirect URL of the flow, or to the site URL if
/// the parameter `state` is invalid.
pub(crate) async fn callback(State(state): State<AuthState>, method: Method, incoming: Incoming) -> Result<Response> {
    // Apple sends the parameters in a form (POST); the other providers send them in the query of a redirect (GET).
    let pairs = if method == Method::POST { incoming.form() } else { incoming.query_pairs().to_vec() };
    let returned = Returned(pairs);
    let flow = match find_flow(&state, returned.get("state")).await {
        Ok(flow) => flow,
        Err(error) => {
            error.log();
            return redirect::see_other(&with_error(state.redirect_urls().site(), &error, false));
        }
    };
    let target = if flow.referrer.is_empty() { state.redirect_urls().site() } else { &flow.referrer };
    let end = match finish(&state, &incoming, &returned, &flow, target).await {
        Ok(location) => location,
        Err(error) => {
            error.log();
            with_error(target, &error, true)
        }
    };
    redirect::redirect(StatusCode::FOUND, &end)
}

struct Returned(Vec<(String, String)>);

impl Returned {
    fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }
}

/// Returns the flow whose id is the parameter `state`. Refuses unknown, expired and completed flows.
async fn find_flow(state: &AuthState, text: &str) -> Result<FlowState> {
    if text.is_empty() {
        return Err(AuthError::bad_request("bad_oauth_callback", "OAuth state parameter missing"));
    }
    let bad = |why: &'static str| AuthError::bad_request("bad_oauth_state", why);
    let id = text.parse().map_err(|_| bad("OAuth state parameter is invalid"))?;
    let mut tx = state.begin().await?;
    let flow = flow_state::by_id(&mut tx, id).await?.ok_or_else(|| bad("OAuth state not found or expired"))?;
    if flow.created_at + FLOW_LIFETIME < chrono::Utc::now() {
        return Err(bad("OAuth state has expired"));
    }
    check_unused(&flow)?;
    Ok(flow)
}

fn check_unused(flow: &FlowState) -> Result<()> {
    if flow.auth_code.is_some() && flow.user_id.is_some() {
        return Err(AuthError::bad_request("flow_state_already_used", "State has already been used"));
    }
    Ok(())
}

async fn finish(
    state: &AuthState,
    incoming: &Incoming,
    returned: &Returned,
    flow: &FlowState,
    target: &str,
) -> Result<String> {
    if !returned.get("error").is_empty() {
        return Err(AuthError::Oauth {
            status: StatusCode::BAD_REQUEST,
            error: returned.get("error").to_owned().into(),
            description: returned.get("error_description").to_owned().into(),
        });
    }
    if returned.get("code").is_empty() {
        let message = "OAuth callback with missing authorization code missing";
        return Err(AuthError::bad_request("bad_oauth_callback", message));
    }
    let provider = external::resolve(state, &flow.provider_type)
        .await
        .map_err(|error| AuthError::bad_request("oauth_provider_not_supported", error.message().to_owned()))?;
    let verifier = verifier(state, flow).await?;
    let tokens = token_exchange::exchange(state, &provider, returned.get("code"), verifier.as_deref()).await?;
    let profile = profile::fetch(state, &provider, &tokens).await?;
    if profile.emails.is_empty() && !flow.email_optional {
        return Err(AuthError::failed("unexpected_failure", "Error getting user email from external provider"));
    }
    let login = ExternalLogin {
        provider: &provider.name,
        profile: &profile,
        aud: crate::roles::AUDIENCE,
        target,
        email_optional: flow.email_optional,
        client: &incoming.client,
    };
    if flow.linking_target_id.is_none() && flow.invite_token.is_empty() {
        account::call_hook(state, &login).await?;
    }
    let mut tx = state.begin().await?;
    // Reloads the flow and locks its row, so that only one of two concurrent callbacks with the same `state` succeeds.
    let flow = flow_state::by_id(&mut tx, flow.id)
        .await?
        .ok_or_else(|| AuthError::bad_request("bad_oauth_state", "OAuth state not found or expired"))?;
    check_unused(&flow)?;
    let outcome = if let Some(user) = flow.linking_target_id {
        account::link(state, &mut tx, &login, user).await?
    } else if !flow.invite_token.is_empty() {
        accept_invitation(&mut tx, &login, &flow.invite_token).await?
    } else {
        account::sign_in(state, &mut tx, &login).await?
    };
    let (id, created) = match outcome.settle(&mut tx).await? {
        Settled::User { id, created } => (id, created),
        Settled::Refused(error) => {
            tx.commit().await?;
            return Err(error);
        }
    };
    let location = match &flow.auth_code {
        Some(code) => {
            flow_state::prove(&mut tx, flow.id, id, &tokens.access_token, &tokens.refresh_token).await?;
            redirect::code(target, code)
        }
        None => {
            let response = issue_session::open_session(state, &mut tx, id, "oauth", &incoming.client).await?;
            flow_state::delete(&mut tx, flow.id).await?;
            let mut more = vec![("provider_token", tokens.access_token.as_str())];
            if !tokens.refresh_token.is_empty() {
                more.push(("provider_refresh_token", &tokens.refresh_token));
            }
            response.as_redirect(target, &more)
        }
    };
    let user = user_update::reload(&mut tx, id).await?;
    tx.commit().await?;
    if created {
        crate::flow::accounts::after_created(state, &incoming.client, &user).await?;
    }
    Ok(location)
}

/// Returns and deletes the PKCE verifier that this server created for the provider, because a verifier can be used only once. `None` if the
/// flow uses no PKCE with the provider.
async fn verifier(state: &AuthState, flow: &FlowState) -> Result<Option<String>> {
    let Some(id) = flow.oauth_client_state_id else {
        return Ok(None);
    };
    let mut tx = state.begin().await?;
    let begun = oauth_client_state::take(&mut tx, id).await?;
    tx.commit().await?;
    let begun =
        begun.ok_or_else(|| AuthError::unprocessable("oauth_client_state_not_found", "OAuth state not found"))?;
    if begun.provider_type != flow.provider_type {
        return Err(AuthError::bad_request("oauth_invalid_state", "OAuth provider mismatch"));
    }
    if begun.created_at + FLOW_LIFETIME < chrono::Utc::now() {
        return Err(AuthError::unprocessable("oauth_client_state_expired", "OAuth state expired"));
    }
    Ok(begun.code_verifier)
}

/// Accepts an invitation when the invited person signs in with an external provider. The invited address must be one of the addresses that
/// the provider has verified.
async fn accept_invitation(
    tx: &mut sqlx::PgConnection,
    login: &ExternalLogin<'_>,
    token: &str,
) -> Result<account::Outcome> {
    let missing = || AuthError::not_found("invite_not_found", "Invite not found");
    let found = one_time_token::find(tx, token, &[Kind::ConfirmationToken]).await?.ok_or_else(missing)?;
    let user = user::by_id_locked(tx, found.user_id).await?.ok_or_else(missing)?;
    let Profile { emails, claims, .. } = login.profile;
    if !emails.iter().any(|address| address.verified && address.email.to_lowercase() == user.email) {
        return Err(AuthError::validation("Invited email does not match emails from external provider"));
    }
    let identity = identity::insert(tx, user.id, login.provider, claims).await.context("Error creating identity")?;
    let traits = serde_json::json!({ "provider": login.provider });
    audit::by_user(tx, &user, audit::Action::INVITE_ACCEPTED, "", Some(traits)).await?;
    // Removes a password that was set before the invitation was accepted, because a stranger may have set it.
    user_confirm::disown(tx, user.id, identity, claims).await.context("Error updating user")?;
    user_confirm::confirm_email(tx, user.id).await.context("Database error updating user")?;
    Ok(account::Outcome::User { id: user.id, created: false })
}

/// Returns the redirect URL with an error in its query and, if `in_fragment`, also in its fragment.
fn with_error(target: &str, error: &AuthError, in_fragment: bool) -> String {
    let refusals = ["signup_disabled", "user_banned", "provider_email_needs_verification"];
    let name = match error {
        AuthError::Oauth { error, .. } => error,
        _ if refusals.contains(&error.code()) => "access_denied",
        _ => match error.status().as_u16() {
            400 => "invalid_request",
            401 => "unauthorized_client",
            403 => "access_denied",
            503 => "temporarily_unavailable",
            _ => "server_error",
        },
    };
    let mut pairs = vec![("error", name), ("error_description", error.message())];
    if !error.code().is_empty() {
        pairs.push(("error_code", error.code()));
    }
    let address = redirect::with_query(target, &pairs);
    if !in_fragment {
        return address;
    }
    pairs.push(("sb", ""));
    redirect::with_fragment(&address, &pairs)
}
