//! Whose account a provider's profile belongs to: a known identity's, one with the same proved address, or a new one.

use serde_json::json;
use sqlx::PgConnection;
use uuid::Uuid;

use super::Profile;
use super::profile::Address;
use crate::auth::accounts;
use crate::auth::error::{AuthError, Doing, Result};
use crate::auth::mail::{self, send};
use crate::auth::models::audit::{self, Action};
use crate::auth::models::identity;
use crate::auth::models::sign_up;
use crate::auth::models::user::{self, User};
use crate::auth::models::user_change::{self, NewUser};
use crate::auth::models::user_proof;
use crate::auth::request::Client;
use crate::auth::signup;
use crate::auth::state::AuthState;

/// Someone who comes from a provider.
pub(super) struct Arrival<'a> {
    pub(super) provider: &'a str,
    pub(super) profile: &'a Profile,
    pub(super) aud: &'a str,
    pub(super) target: &'a str,
    pub(super) email_optional: bool,
    pub(super) client: &'a Client,
}

/// The account found or made, or a refusal that leaves it in place with a confirmation on the way.
pub(super) enum Outcome {
    User { id: Uuid, created: bool },
    Unproved { provider: String, mailed: bool, code: &'static str },
}

pub(super) enum Settled {
    User { id: Uuid, created: bool },
    Refused(AuthError),
}

impl Outcome {
    /// `provider` and `providers` follow the identities. A refusal is to be committed all the same.
    pub(super) async fn settle(self, tx: &mut PgConnection) -> Result<Settled> {
        match self {
            Self::User { id, created } => {
                user_change::refresh_providers(tx, id).await.doing("Database error updating user")?;
                Ok(Settled::User { id, created })
            }
            Self::Unproved { provider, mailed, code } => {
                let next = if mailed {
                    format!("A confirmation email has been sent to your {provider} email")
                } else {
                    format!("Verify the email with {provider} in order to sign in")
                };
                Ok(Settled::Refused(AuthError::unprocessable(
                    code,
                    format!("Unverified email with {provider}. {next}"),
                )))
            }
        }
    }
}

/// Asks the project's hook, where a new account would result.
pub(super) async fn ask_project(state: &AuthState, arrival: &Arrival<'_>) -> Result<()> {
    if !state.settings().hook.before_user_created.enabled {
        return Ok(());
    }
    let mut connection = state.connection().await?;
    let decision = decide(state, &mut connection, arrival).await?;
    drop(connection);
    match decision {
        Decision::New { email } => accounts::before_created(state, arrival.client, &describe(arrival, &email)).await,
        Decision::Known { .. } | Decision::Same { .. } => Ok(()),
    }
}

enum Decision {
    /// This very identity.
    Known { user: Uuid },
    /// An account with the same proved address.
    Same { user: Uuid },
    /// None; `email` is empty where someone else has the address.
    New { email: String },
}

async fn decide(state: &AuthState, connection: &mut PgConnection, arrival: &Arrival<'_>) -> Result<Decision> {
    if let Some(user) = identity::owner(connection, arrival.provider, &arrival.profile.subject).await? {
        return Ok(Decision::Known { user });
    }
    let email = arrival.profile.primary().map(|address| address.email.to_lowercase()).unwrap_or_default();
    let trusts_all = state.settings().email_autoconfirm();
    let proved: Vec<String> = arrival
        .profile
        .emails
        .iter()
        .filter(|address| address.verified || trusts_all)
        .map(|address| address.email.to_lowercase())
        .collect();
    let mut holders = Vec::new();
    for email in if proved.is_empty() { std::slice::from_ref(&email) } else { proved.as_slice() } {
        holders.extend(user::holding_email(connection, email, arrival.aud, None).await?.map(|user| user.id));
    }
    holders.dedup();
    match (proved.is_empty(), holders.as_slice()) {
        (_, []) => Ok(Decision::New { email }),
        // Whoever has not proved the address does not get the account that has it.
        (true, _) => Ok(Decision::New { email: String::new() }),
        (false, [user]) => Ok(Decision::Same { user: *user }),
        (false, _) => Err(AuthError::internal(
            "Multiple accounts with the same email address in the same linking domain detected: default",
            "several accounts hold the provider's addresses",
        )),
    }
}

fn describe(arrival: &Arrival<'_>, email: &str) -> NewUser {
    let mut new = accounts::new_user(arrival.aud, &[arrival.provider], arrival.profile.claims.clone());
    email.clone_into(&mut new.email);
    new
}

/// Finds or makes the account.
pub(super) async fn sign_in(state: &AuthState, tx: &mut PgConnection, arrival: &Arrival<'_>) -> Result<Outcome> {
    let claims = &arrival.profile.claims;
    let (id, identity, created) = match decide(state, tx, arrival).await? {
        Decision::Known { user } => {
            let identity = identity::signed_in(tx, arrival.provider, &arrival.profile.subject, claims).await?;
            (user, identity, false)
        }
        Decision::Same { user } => {
            let identity = add_identity(tx, user, arrival).await?;
            (user, identity, false)
        }
        Decision::New { email } => {
            signup::check_open(state)?;
            let user = accounts::insert(tx, &describe(arrival, &email)).await?;
            (user.id, identity::insert(tx, user.id, arrival.provider, claims).await?, true)
        }
    };
    let mut user = user::by_id_locked(tx, id).await?.ok_or(sqlx::Error::RowNotFound)?;
    accounts::merge_user_metadata(tx, &mut user, claims).await?;
    if user.is_banned() {
        return Err(AuthError::forbidden("user_banned", "User is banned"));
    }
    let addressless = user.email.is_empty() && arrival.email_optional;
    if user.is_confirmed() || addressless {
        audit::by_user(tx, &user, Action::LOGIN, "", Some(json!({ "provider": arrival.provider }))).await?;
        return Ok(Outcome::User { id, created });
    }
    prove(state, tx, arrival, &user, identity, created).await
}

async fn add_identity(tx: &mut PgConnection, id: Uuid, arrival: &Arrival<'_>) -> Result<Uuid> {
    let identity = identity::insert(tx, id, arrival.provider, &arrival.profile.claims).await?;
    let user = user_change::reload(tx, id).await?;
    let traits = json!({
        "identity_id": identity, "provider": arrival.provider, "provider_id": arrival.profile.subject,
    });
    let address = arrival.client.address.0.to_string();
    audit::by_user(tx, &user, Action::IDENTITY_LINKED, &address, Some(traits)).await?;
    Ok(identity)
}

/// An account nobody has proved may have been made by someone else, with a password and links of theirs: all of that goes before
/// the provider's word is taken.
async fn prove(
    state: &AuthState,
    tx: &mut PgConnection,
    arrival: &Arrival<'_>,
    user: &User,
    identity: Uuid,
    created: bool,
) -> Result<Outcome> {
    user_proof::disown(tx, user.id, identity, &arrival.profile.claims).await.doing("Error updating user")?;
    let proved = arrival
        .profile
        .primary()
        .is_some_and(|address: &Address| address.verified && address.email.to_lowercase() == user.email);
    if proved || (state.settings().email_autoconfirm() && !user.email.is_empty()) {
        audit::by_user(tx, user, Action::SIGNED_UP, "", Some(json!({ "provider": arrival.provider }))).await?;
        user_proof::confirm_email(tx, user.id).await.doing("Error updating user")?;
        return Ok(Outcome::User { id: user.id, created });
    }
    let mailed = !user.email.is_empty();
    if mailed {
        // Whoever proves the address apart from this mail does not get the provider's account along with it.
        sign_up::asked(tx, user.id, arrival.client).await?;
        let user = user_change::reload(tx, user.id).await?;
        let occasion =
            send::Occasion { user: &user, client: arrival.client, target: arrival.target, pkce: false, counted: false };
        send::confirmation(state, tx, &occasion).await?;
    }
    Ok(Outcome::Unproved { provider: arrival.provider.to_owned(), mailed, code: "provider_email_needs_verification" })
}

/// Adds the identity to an account whose owner is signed in.
pub(super) async fn link(state: &AuthState, tx: &mut PgConnection, arrival: &Arrival<'_>, id: Uuid) -> Result<Outcome> {
    let user = user::by_id_locked(tx, id)
        .await?
        .ok_or_else(|| AuthError::unprocessable("user_not_found", "Linking target user not found"))?;
    if let Some(owner) = identity::owner(tx, arrival.provider, &arrival.profile.subject).await? {
        let whose =
            if owner == id { "Identity is already linked" } else { "Identity is already linked to another user" };
        return Err(AuthError::unprocessable("identity_already_exists", whose));
    }
    add_identity(tx, id, arrival).await?;
    let more = [("Provider", arrival.provider)];
    if !user.email.is_empty() {
        send::notification(state, tx, mail::Kind::IdentityLinked, &user, &user.email, &more, arrival.client).await;
        return Ok(Outcome::User { id, created: false });
    }
    let Some(address) = arrival.profile.primary() else { return Ok(Outcome::User { id, created: false }) };
    let email = address.email.to_lowercase();
    if user::holding_email(tx, &email, &user.aud, Some(id)).await?.is_some() {
        return Err(AuthError::bad_request(
            "email_exists",
            "A user with this email address has already been registered",
        ));
    }
    user_change::set_email(tx, id, &email).await?;
    if !address.verified {
        sign_up::asked(tx, id, arrival.client).await?;
        let user = user_change::reload(tx, id).await?;
        let occasion =
            send::Occasion { user: &user, client: arrival.client, target: arrival.target, pkce: false, counted: false };
        send::confirmation(state, tx, &occasion).await?;
        let provider = arrival.provider.to_owned();
        return Ok(Outcome::Unproved { provider, mailed: true, code: "email_not_confirmed" });
    }
    user_proof::confirm_email(tx, id).await?;
    user_change::make_permanent(tx, id).await?;
    let user = user_change::reload(tx, id).await?;
    send::notification(state, tx, mail::Kind::IdentityLinked, &user, &user.email, &more, arrival.client).await;
    Ok(Outcome::User { id, created: false })
}
