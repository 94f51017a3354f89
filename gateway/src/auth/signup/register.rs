//! Making an account for an address or a number, whoever asks for it.

use serde_json::json;
use sqlx::PgConnection;

use super::Registered;
use crate::auth::error::{Doing, Result};
use crate::auth::mail::send;
use crate::auth::models::audit::{self, Action};
use crate::auth::models::user::{self, User};
use crate::auth::models::user_change::{self, NewUser};
use crate::auth::models::{Metadata, flow_state, user_proof};
use crate::auth::pkce::Challenge;
use crate::auth::request::Client;
use crate::auth::state::AuthState;
use crate::auth::{accounts, grant, password, sms};

/// What an account is made for; checked.
#[derive(Clone, Debug)]
pub(crate) enum Contact {
    Email(String),
    Phone(String),
}

impl Contact {
    fn provider(&self) -> &'static str {
        match self {
            Self::Email(_) => accounts::EMAIL,
            Self::Phone(_) => accounts::PHONE,
        }
    }

    fn is_confirmed(&self, user: &User) -> bool {
        match self {
            Self::Email(_) => user.is_confirmed(),
            Self::Phone(_) => user.is_phone_confirmed(),
        }
    }
}

/// An account that is asked for.
pub(crate) struct Registration<'a> {
    pub(crate) contact: Contact,
    /// Within the policy; none for someone who signs in by links and codes.
    pub(crate) password: Option<&'a str>,
    pub(crate) data: Metadata,
    pub(crate) challenge: Option<&'a Challenge>,
    pub(crate) aud: &'a str,
    pub(crate) target: &'a str,
    pub(crate) client: &'a Client,
}

/// Makes the account or, for one that is not confirmed yet, asks for its confirmation again.
pub(crate) async fn register(state: &AuthState, asked: Registration<'_>) -> Result<Registered> {
    // Hashed for known addresses too: the time an answer takes says nothing about who has an account.
    let hash = match asked.password {
        Some(password) => state.passwords.hash(password).await?,
        None => password::unknowable()?,
    };
    let provider = asked.contact.provider();
    let mut new = accounts::new_user(asked.aud, &[provider], asked.data.clone());
    match &asked.contact {
        Contact::Email(email) => new.email.clone_from(email),
        Contact::Phone(phone) => new.phone.clone_from(phone),
    }
    new.encrypted_password = hash;

    match attempt(state, &asked, &new).await {
        // Another request made the account in the meantime: now it exists.
        Err(error) if error.is_unique_violation() => attempt(state, &asked, &new).await,
        registered => registered,
    }
}

async fn attempt(state: &AuthState, asked: &Registration<'_>, new: &NewUser) -> Result<Registered> {
    let provider = asked.contact.provider();
    let mut connection = state.connection().await?;
    let existing = find(&mut connection, asked).await.doing("Database error finding user")?;
    drop(connection);
    if existing.is_none() {
        accounts::before_created(state, asked.client, new).await?;
    }
    let mut tx = state.begin().await?;
    let existing = match existing {
        None => None,
        // Read again, so that two requests at once do not both confirm or mail.
        Some(user) => user::by_id_locked(&mut tx, user.id).await?,
    };
    if let Some(user) = existing.as_ref().filter(|user| asked.contact.is_confirmed(user)) {
        audit::by_user(&mut tx, user, Action::REPEATED_SIGNUP, "", Some(json!({ "provider": provider }))).await?;
        tx.commit().await?;
        return Ok(Registered::Repeated { new: Box::new(new.clone()), provider });
    }
    let user = match existing {
        Some(user) => with_identity(&mut tx, user, provider, &asked.data).await?,
        None => create(&mut tx, new, provider, &asked.data).await?,
    };
    let confirmed = match &asked.contact {
        Contact::Email(_) => confirm_email(state, &mut tx, &user, asked).await?,
        Contact::Phone(phone) => confirm_phone(state, &mut tx, &user, phone, asked.client).await?,
    };
    if !confirmed {
        let user = user_change::reload(&mut tx, user.id).await?;
        tx.commit().await?;
        accounts::after_created(state, asked.client, &user).await?;
        return Ok(Registered::Pending(Box::new(user)));
    }
    audit::by_user(&mut tx, &user, Action::LOGIN, "", Some(json!({ "provider": provider }))).await?;
    let granted = grant::open_session(state, &mut tx, user.id, "password", asked.client).await?;
    tx.commit().await?;
    Ok(Registered::SignedIn(Box::new(granted)))
}

async fn find(connection: &mut PgConnection, asked: &Registration<'_>) -> sqlx::Result<Option<User>> {
    match &asked.contact {
        Contact::Email(email) => user::holding_email(connection, email, asked.aud, None).await,
        Contact::Phone(phone) => user::by_phone(connection, phone, asked.aud).await,
    }
}

async fn create(tx: &mut PgConnection, new: &NewUser, provider: &str, data: &Metadata) -> Result<User> {
    let user = accounts::insert(tx, new).await?;
    with_identity(tx, user, provider, data).await
}

/// Gives the account its first identity, whose data becomes the user's metadata. One that has it stays as it is: whoever asks
/// again has not proved to be the same person.
async fn with_identity(tx: &mut PgConnection, user: User, provider: &str, data: &Metadata) -> Result<User> {
    if user.identities().iter().any(|identity| identity.provider == provider) {
        return Ok(user);
    }
    let mut claims = data.clone();
    for own in ["sub", "email", "email_verified", "phone_verified"] {
        claims.shift_remove(own);
    }
    if !user.email.is_empty() {
        claims.insert("email".into(), user.email.as_str().into());
    }
    let data = accounts::add_identity(tx, user.id, provider, claims).await?;
    user_change::set_user_metadata(tx, user.id, &data).await.doing("Error updating user")?;
    user_change::reload(tx, user.id).await.doing("Database error loading user after sign-up")
}

/// Whether the address is confirmed at once; else its confirmation is on the way.
async fn confirm_email(
    state: &AuthState,
    tx: &mut PgConnection,
    user: &User,
    asked: &Registration<'_>,
) -> Result<bool> {
    let traits = Some(json!({ "provider": accounts::EMAIL }));
    if state.settings().email_autoconfirm() {
        audit::by_user(tx, user, Action::SIGNED_UP, "", traits).await?;
        user_proof::confirm_email(tx, user.id).await.doing("Database error updating user")?;
        return Ok(true);
    }
    audit::by_user(tx, user, Action::CONFIRMATION_REQUESTED, "", traits).await?;
    if let Some(challenge) = asked.challenge {
        flow_state::begin(tx, accounts::EMAIL, "email/signup", challenge, user.id).await?;
    }
    let occasion = send::Occasion { user, client: asked.client, target: asked.target, pkce: asked.challenge.is_some() };
    send::confirmation(state, tx, &occasion).await?;
    Ok(false)
}

async fn confirm_phone(
    state: &AuthState,
    tx: &mut PgConnection,
    user: &User,
    phone: &str,
    client: &Client,
) -> Result<bool> {
    if state.settings().phone_autoconfirm() {
        let traits = json!({ "provider": accounts::PHONE, "channel": "sms" });
        audit::by_user(tx, user, Action::SIGNED_UP, "", Some(traits)).await?;
        user_proof::confirm_phone(tx, user.id).await.doing("Database error updating user")?;
        return Ok(true);
    }
    let traits = json!({ "provider": accounts::PHONE });
    audit::by_user(tx, user, Action::CONFIRMATION_REQUESTED, "", Some(traits)).await?;
    sms::send(state, tx, user, phone, sms::Purpose::Confirmation, client).await?;
    Ok(false)
}
