//! Registers an account for an e-mail address or a phone number.

use serde_json::json;
use sqlx::PgConnection;

use super::accounts;
use super::issue_session::{self, TokenResponse};
use super::mail::send;
use super::sms::{CodeMessage, Purpose};
use crate::client::Client;
use crate::contact::Contact;
use crate::error::{Context, Result};
use crate::model::audit::{self, Action};
use crate::model::user::{self, User};
use crate::model::user_update::{self, NewUser};
use crate::model::{Metadata, flow_state, sign_up, user_confirm};
use crate::password;
use crate::pkce::Challenge;
use crate::state::AuthState;

pub(crate) enum Registered {
    /// The account was confirmed without a confirmation message, so the user is signed in.
    SignedIn(Box<TokenResponse>),
    /// A confirmation was sent to a new account or to an existing unconfirmed account. `data` is the metadata of the sign-up request.
    Pending { user: Box<User>, existed: bool, data: Metadata },
    /// A confirmed account already has the address or number. `new` is the account that the sign-up would have created.
    Repeated { new: Box<NewUser>, provider: &'static str },
}

fn provider_of(contact: &Contact) -> &'static str {
    match contact {
        Contact::Email(_) => accounts::EMAIL,
        Contact::Phone(_) => accounts::PHONE,
    }
}

fn is_confirmed(contact: &Contact, user: &User) -> bool {
    match contact {
        Contact::Email(_) => user.is_confirmed(),
        Contact::Phone(_) => user.is_phone_confirmed(),
    }
}

pub(crate) struct Registration<'a> {
    pub(crate) contact: Contact,
    /// The password, already checked against the password policy. `None` for a sign-up by link or code.
    pub(crate) password: Option<&'a str>,
    pub(crate) data: Metadata,
    pub(crate) challenge: Option<&'a Challenge>,
    pub(crate) aud: &'a str,
    pub(crate) target: &'a str,
    pub(crate) client: &'a Client,
}

/// Creates an account. If an unconfirmed account exists, sends its confirmation again. The calling function must have counted the request
/// ([`super::message_request`]).
pub(crate) async fn register(state: &AuthState, mut asked: Registration<'_>) -> Result<Registered> {
    // As in GoTrue, a field of the metadata that is null is not stored.
    asked.data.retain(|_, value| !value.is_null());
    // The password is hashed even if the address has an account, so that the response time does not reveal which addresses have an account.
    let hash = match asked.password {
        Some(password) => state.passwords.hash(password).await?,
        None => password::unknowable()?,
    };
    let provider = provider_of(&asked.contact);
    let mut new = accounts::new_user(asked.aud, &[provider], asked.data.clone());
    match &asked.contact {
        Contact::Email(email) => new.email.clone_from(email),
        Contact::Phone(phone) => new.phone.clone_from(phone),
    }
    new.encrypted_password = hash;

    match attempt(state, &asked, &new).await {
        // A concurrent request created the account. The second attempt finds this account.
        Err(error) if error.is_unique_violation() => attempt(state, &asked, &new).await,
        registered => registered,
    }
}

async fn attempt(state: &AuthState, asked: &Registration<'_>, new: &NewUser) -> Result<Registered> {
    let provider = provider_of(&asked.contact);
    let mut connection = state.connection().await?;
    let existing = find(&mut connection, asked).await.context("Database error finding user")?;
    if existing.is_none() && is_taken(&mut connection, &asked.contact).await.context("Database error finding user")? {
        // A user with another audience (`aud` claim) has the address.
        return Ok(Registered::Repeated { new: Box::new(new.clone()), provider });
    }
    let replaced = match &existing {
        Some(user) => accounts::pending_sign_up(&mut connection, user).await?.map(|_| user.id),
        None => None,
    };
    drop(connection);
    if existing.is_none() || replaced.is_some() {
        let described = NewUser { id: replaced.unwrap_or(new.id), ..new.clone() };
        accounts::before_created(state, asked.client, &described).await?;
    }
    let mut tx = state.begin_sending().await?;
    let existing = match existing {
        None => None,
        // Reloads the user and locks its row, so that two concurrent requests do not both confirm the account or send a mail.
        Some(user) => user::by_id_locked(&mut tx, user.id).await?,
    };
    if let Some(user) = existing.as_ref().filter(|user| is_confirmed(&asked.contact, user)) {
        audit::by_user(&mut tx, user, Action::REPEATED_SIGNUP, "", Some(json!({ "provider": provider }))).await?;
        tx.commit().await?;
        return Ok(Registered::Repeated { new: Box::new(new.clone()), provider });
    }
    let existed = existing.is_some();
    let user = match existing {
        Some(user) => ask_again(&mut tx, user, new, asked).await?,
        None => create(&mut tx, new, asked).await?,
    };
    let confirmed = match &asked.contact {
        Contact::Email(_) => confirm_email(state, &mut tx, &user, asked).await?,
        Contact::Phone(phone) => confirm_phone(state, &mut tx, &user, phone, asked.client).await?,
    };
    if !confirmed {
        let user = user_update::reload(&mut tx, user.id).await?;
        tx.commit().await?;
        accounts::after_created(state, asked.client, &user).await?;
        return Ok(Registered::Pending { user: Box::new(user), existed, data: asked.data.clone() });
    }
    audit::by_user(&mut tx, &user, Action::LOGIN, "", Some(json!({ "provider": provider }))).await?;
    let granted = issue_session::open_session(state, &mut tx, user.id, "password", asked.client).await?;
    tx.commit().await?;
    Ok(Registered::SignedIn(Box::new(granted)))
}

async fn find(connection: &mut PgConnection, asked: &Registration<'_>) -> sqlx::Result<Option<User>> {
    match &asked.contact {
        Contact::Email(email) => user::holding_email(connection, email, asked.aud, None).await,
        Contact::Phone(phone) => user::by_phone(connection, phone, asked.aud).await,
    }
}

/// Whether any user has the e-mail address or phone number. Both are unique across all audiences (`aud` claims).
async fn is_taken(connection: &mut PgConnection, contact: &Contact) -> sqlx::Result<bool> {
    match contact {
        Contact::Email(email) => user::email_taken(connection, email).await,
        Contact::Phone(phone) => user::phone_taken(connection, phone).await,
    }
}

async fn create(tx: &mut PgConnection, new: &NewUser, asked: &Registration<'_>) -> Result<User> {
    let user = accounts::insert(tx, new).await?;
    sign_up::asked(tx, user.id, asked.client).await.context("Database error saving new user")?;
    accounts::with_identity(tx, user, provider_of(&asked.contact), &asked.data).await
}

/// Handles a repeated sign-up with an unconfirmed address. The earlier request may have been made by a stranger, so its password and data
/// are replaced: a confirmation always confirms the newest sign-up. An account that an administrator created keeps its password and data.
async fn ask_again(tx: &mut PgConnection, user: User, new: &NewUser, asked: &Registration<'_>) -> Result<User> {
    let provider = provider_of(&asked.contact);
    if accounts::pending_sign_up(tx, &user).await?.is_none() {
        return accounts::with_identity(tx, user, provider, &asked.data).await;
    }
    sign_up::asked(tx, user.id, asked.client).await.context("Database error saving new user")?;
    accounts::start_over(tx, &user, provider, &new.encrypted_password, &asked.data).await
}

/// Confirms the new account's e-mail address immediately, or sends a confirmation mail. Returns whether the address is confirmed.
async fn confirm_email(
    state: &AuthState,
    tx: &mut PgConnection,
    user: &User,
    asked: &Registration<'_>,
) -> Result<bool> {
    let traits = Some(json!({ "provider": accounts::EMAIL }));
    if state.settings().email_autoconfirm() {
        audit::by_user(tx, user, Action::SIGNED_UP, "", traits).await?;
        user_confirm::confirm_email(tx, user.id).await.context("Database error updating user")?;
        return Ok(true);
    }
    audit::by_user(tx, user, Action::CONFIRMATION_REQUESTED, "", traits).await?;
    if let Some(challenge) = asked.challenge {
        flow_state::begin(tx, accounts::EMAIL, "email/signup", challenge, user.id).await?;
    }
    let pkce = asked.challenge.is_some();
    let mail = send::MailContext { user, client: asked.client, target: asked.target, pkce, counted: true };
    send::confirmation(state, tx, &mail).await?;
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
        user_confirm::confirm_phone(tx, user.id).await.context("Database error updating user")?;
        return Ok(true);
    }
    let traits = json!({ "provider": accounts::PHONE });
    audit::by_user(tx, user, Action::CONFIRMATION_REQUESTED, "", Some(traits)).await?;
    let code = CodeMessage { state, user, phone, purpose: Purpose::Confirmation, client };
    code.send_counted(tx).await?;
    Ok(false)
}
