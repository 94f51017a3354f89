//! Finds or creates the account of a person who signs in with an external provider. An account with the same identity is used first, then
//! an account with the same verified e-mail address. Otherwise a new account is created.

use serde_json::json;
use sqlx::PgConnection;
use uuid::Uuid;

use super::profile::{Address, Profile};
use crate::client::Client;
use crate::error::{AuthError, Context, Result};
use crate::flow::accounts;
use crate::flow::mail::send;
use crate::mail_templates::MailKind;
use crate::model::audit::{self, Action};
use crate::model::user::{self, User};
use crate::model::user_update::{self, NewUser};
use crate::model::{identity, sign_up, user_confirm, user_contact};
use crate::state::AuthState;

/// A sign-in with an external provider: the person's profile at the provider, and the parameters of the sign-in request.
pub(crate) struct ExternalLogin<'a> {
    pub(crate) provider: &'a str,
    pub(crate) profile: &'a Profile,
    pub(crate) aud: &'a str,
    pub(crate) target: &'a str,
    pub(crate) email_optional: bool,
    pub(crate) client: &'a Client,
}

/// Result of a sign-in with an external provider: the account, or a refusal because the e-mail address is unverified. The transaction of a
/// refusal must be committed too, because this transaction queues a confirmation mail.
pub(crate) enum Outcome {
    User { id: Uuid, created: bool },
    Unproved { provider: String, mailed: bool, code: &'static str },
}

pub(crate) enum Settled {
    User { id: Uuid, created: bool },
    Refused(AuthError),
}

impl Outcome {
    /// Updates the fields `provider` and `providers` of the user's app metadata from the user's identities. Converts a refusal to an error
    /// for the client; the calling function must commit the transaction even in this case.
    pub(crate) async fn settle(self, tx: &mut PgConnection) -> Result<Settled> {
        match self {
            Self::User { id, created } => {
                user_update::refresh_providers(tx, id).await.context("Database error updating user")?;
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

pub(crate) async fn call_hook(state: &AuthState, login: &ExternalLogin<'_>) -> Result<()> {
    if !state.settings().hook.before_user_created.enabled {
        return Ok(());
    }
    let mut connection = state.connection().await?;
    let decision = decide(&mut connection, login).await?;
    drop(connection);
    match decision {
        Decision::New { email } => accounts::before_created(state, login.client, &describe(login, &email)).await,
        Decision::Known { .. } | Decision::Same { .. } => Ok(()),
    }
}

enum Decision {
    /// An account already has this identity of the provider.
    Known { user: Uuid },
    /// An account has the same e-mail address, which the provider has verified.
    Same { user: Uuid },
    /// No account matches, so a new account is created. `email` is empty if another account has the address.
    New { email: String },
}

async fn decide(connection: &mut PgConnection, login: &ExternalLogin<'_>) -> Result<Decision> {
    if let Some(user) = identity::owner(connection, login.provider, &login.profile.subject).await? {
        return Ok(Decision::Known { user });
    }
    let email = login.profile.primary().map(|address| address.email.to_lowercase()).unwrap_or_default();
    // GoTrue treats every address as verified if `enable_confirmations` is off. On this server, a new account may then get an unverified
    // address, but this address gives no access to an existing account.
    let verified = login.profile.emails.iter().filter(|address| address.verified);
    let proved: Vec<String> = verified.map(|address| address.email.to_lowercase()).collect();
    let mut holders = Vec::new();
    for email in if proved.is_empty() { std::slice::from_ref(&email) } else { proved.as_slice() } {
        holders.extend(user::holding_email(connection, email, login.aud, None).await?.map(|user| user.id));
    }
    holders.dedup();
    match (proved.is_empty(), holders.as_slice()) {
        (_, []) => Ok(Decision::New { email }),
        // An unverified address does not give access to the account that has the address.
        (true, _) => Ok(Decision::New { email: String::new() }),
        (false, [user]) => Ok(Decision::Same { user: *user }),
        (false, _) => Err(AuthError::internal(
            "Multiple accounts with the same email address in the same linking domain detected: default",
            "several accounts hold the provider's addresses",
        )),
    }
}

fn describe(login: &ExternalLogin<'_>, email: &str) -> NewUser {
    let mut new = accounts::new_user(login.aud, &[login.provider], login.profile.claims.clone());
    email.clone_into(&mut new.email);
    new
}

pub(crate) async fn sign_in(state: &AuthState, tx: &mut PgConnection, login: &ExternalLogin<'_>) -> Result<Outcome> {
    let claims = &login.profile.claims;
    let (id, identity, created) = match decide(tx, login).await? {
        Decision::Known { user } => {
            let identity = identity::signed_in(tx, login.provider, &login.profile.subject, claims).await?;
            (user, identity, false)
        }
        Decision::Same { user } => {
            let identity = add_identity(tx, user, login).await?;
            (user, identity, false)
        }
        Decision::New { email } => {
            accounts::check_open(state)?;
            let user = accounts::insert(tx, &describe(login, &email)).await?;
            (user.id, identity::insert(tx, user.id, login.provider, claims).await?, true)
        }
    };
    let mut user = user::by_id_locked(tx, id).await?.ok_or(sqlx::Error::RowNotFound)?;
    accounts::merge_user_metadata(tx, &mut user, claims).await?;
    if user.is_banned() {
        return Err(AuthError::forbidden("user_banned", "User is banned"));
    }
    let addressless = user.email.is_empty() && login.email_optional;
    if user.is_confirmed() || addressless {
        if user.is_anonymous {
            user_update::make_permanent(tx, id).await.context("Error updating user")?;
        }
        audit::by_user(tx, &user, Action::LOGIN, "", Some(json!({ "provider": login.provider }))).await?;
        return Ok(Outcome::User { id, created });
    }
    prove(state, tx, login, &user, identity, created).await
}

async fn add_identity(tx: &mut PgConnection, id: Uuid, login: &ExternalLogin<'_>) -> Result<Uuid> {
    let identity = identity::insert(tx, id, login.provider, &login.profile.claims).await?;
    let user = user_update::reload(tx, id).await?;
    let traits = json!({
        "identity_id": identity, "provider": login.provider, "provider_id": login.profile.subject,
    });
    let address = login.client.address.0.to_string();
    audit::by_user(tx, &user, Action::IDENTITY_LINKED, &address, Some(traits)).await?;
    Ok(identity)
}

/// Confirms an unconfirmed account if the provider has verified the account's e-mail address, or if the project does not require confirmed
/// addresses. Otherwise, sends a confirmation mail. First removes the account's password and pending links, because a stranger may have
/// created the account.
async fn prove(
    state: &AuthState,
    tx: &mut PgConnection,
    login: &ExternalLogin<'_>,
    user: &User,
    identity: Uuid,
    created: bool,
) -> Result<Outcome> {
    if user.email.is_empty() {
        // No mail can confirm this account, so the sign-in is refused and the account keeps its password and identities.
        return Ok(unproved(login, false));
    }
    user_confirm::disown(tx, user.id, identity, &login.profile.claims).await.context("Error updating user")?;
    let proved = login
        .profile
        .primary()
        .is_some_and(|address: &Address| address.verified && address.email.to_lowercase() == user.email);
    if proved || state.settings().email_autoconfirm() {
        audit::by_user(tx, user, Action::SIGNED_UP, "", Some(json!({ "provider": login.provider }))).await?;
        user_confirm::confirm_email(tx, user.id).await.context("Error updating user")?;
        return Ok(Outcome::User { id: user.id, created });
    }
    send_confirmation(state, tx, login, user.id).await?;
    Ok(unproved(login, true))
}

fn unproved(login: &ExternalLogin<'_>, mailed: bool) -> Outcome {
    Outcome::Unproved { provider: login.provider.to_owned(), mailed, code: "provider_email_needs_verification" }
}

/// Sends a confirmation mail and records a pending sign-up. Because of this record, the provider's identity is removed from the account if
/// the address is later confirmed by other means than this mail.
async fn send_confirmation(
    state: &AuthState,
    tx: &mut PgConnection,
    login: &ExternalLogin<'_>,
    id: Uuid,
) -> Result<()> {
    sign_up::asked(tx, id, login.client).await?;
    let user = user_update::reload(tx, id).await?;
    let mail =
        send::MailContext { user: &user, client: login.client, target: login.target, pkce: false, counted: false };
    send::confirmation(state, tx, &mail).await.map(drop)
}

/// Links a provider's identity to the account of a signed-in user. An anonymous user becomes permanent, and gets the profile's claims as
/// metadata, as after a sign-in with the provider.
pub(crate) async fn link(
    state: &AuthState,
    tx: &mut PgConnection,
    login: &ExternalLogin<'_>,
    id: Uuid,
) -> Result<Outcome> {
    let mut user = user::by_id_locked(tx, id)
        .await?
        .ok_or_else(|| AuthError::unprocessable("user_not_found", "Linking target user not found"))?;
    if let Some(owner) = identity::owner(tx, login.provider, &login.profile.subject).await? {
        let whose =
            if owner == id { "Identity is already linked" } else { "Identity is already linked to another user" };
        return Err(AuthError::unprocessable("identity_already_exists", whose));
    }
    let address = login.profile.primary();
    if user.email.is_empty() && address.is_none() && !login.email_optional {
        // A sign-in with this identity would be refused, because the account would have no address.
        return Err(AuthError::failed("unexpected_failure", "Error getting user email from external provider"));
    }
    add_identity(tx, id, login).await?;
    if user.is_anonymous {
        accounts::merge_user_metadata(tx, &mut user, &login.profile.claims).await?;
    }
    if user.email.is_empty() {
        let Some(address) = address else {
            user_update::make_permanent(tx, id).await.context("Error updating user")?;
            return Ok(Outcome::User { id, created: false });
        };
        take_address(tx, &user, address).await?;
        if !address.verified {
            send_confirmation(state, tx, login, id).await?;
            let provider = login.provider.to_owned();
            return Ok(Outcome::Unproved { provider, mailed: true, code: "email_not_confirmed" });
        }
        user_confirm::confirm_email(tx, id).await?;
        user = user_update::reload(tx, id).await?;
    }
    let more = [("Provider", login.provider)];
    send::notification(state, tx, MailKind::IdentityLinked, &user, &user.email, &more, login.client).await;
    Ok(Outcome::User { id, created: false })
}

/// Sets the profile's address as the address of a user who has no address.
async fn take_address(tx: &mut PgConnection, user: &User, address: &Address) -> Result<()> {
    let email = address.email.to_lowercase();
    if user::holding_email(tx, &email, &user.aud, Some(user.id)).await?.is_some() {
        return Err(AuthError::bad_request(
            "email_exists",
            "A user with this email address has already been registered",
        ));
    }
    user_contact::set_email(tx, user.id, &email).await.map_err(AuthError::from)
}
