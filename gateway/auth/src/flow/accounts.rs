//! Creates and updates accounts, for sign-up, invitations, magic links and the admin API.

use cloch_core::Secret;
use serde_json::{Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use super::hooks;
use crate::client::Client;
use crate::error::{AuthError, Context, Result};
use crate::model::sign_up::{self, SignUp};
use crate::model::user::User;
use crate::model::user_update::{self, NewUser};
use crate::model::{Metadata, identity, user_confirm};
use crate::state::AuthState;

pub(crate) const ROLE: &str = "authenticated";

pub(crate) const EMAIL: &str = "email";
pub(crate) const PHONE: &str = "phone";

/// Returns an error if the project does not allow new users (`[auth] enable_signup`).
pub(crate) fn check_open(state: &AuthState) -> Result<()> {
    if state.settings().enable_signup {
        Ok(())
    } else {
        Err(AuthError::unprocessable("signup_disabled", "Signups not allowed for this instance"))
    }
}

/// Creates the data of a new user, without inserting it into the database. Sets `provider` and `providers` in the user's
/// `app_metadata` from the list `providers`.
pub(crate) fn new_user(aud: &str, providers: &[&str], data: Metadata) -> NewUser {
    let app_metadata = match providers {
        [] => Metadata::new(),
        [first, ..] => object(json!({ "provider": first, "providers": providers })),
    };
    NewUser {
        id: Uuid::new_v4(),
        aud: aud.to_owned(),
        email: String::new(),
        phone: String::new(),
        encrypted_password: Secret::default(),
        app_metadata,
        user_metadata: data,
        is_anonymous: false,
        is_sso_user: false,
    }
}

/// Inserts a user whose e-mail address and phone number are unconfirmed.
pub(crate) async fn insert(tx: &mut PgConnection, user: &NewUser) -> Result<User> {
    user_update::insert(tx, user, ROLE).await.context("Database error saving new user")
}

/// Adds an identity for an e-mail address or phone number to a user. Returns the identity's data.
pub(crate) async fn add_identity(
    tx: &mut PgConnection,
    user: Uuid,
    provider: &str,
    claims: Metadata,
) -> Result<Metadata> {
    let data = unproved(user, claims);
    identity::insert(tx, user, provider, &data).await.context("Error creating identity")?;
    Ok(data)
}

/// Adds an e-mail identity to a user who signed in with an external provider and now sets a first password. With the e-mail identity, the
/// user can later unlink the provider. The e-mail address must be confirmed. GoTrue does the same if
/// `GOTRUE_EXPERIMENTAL_CREATE_EMAIL_IDENTITY_ON_PASSWORD_SET_ENABLED` is set.
pub(crate) async fn add_identity_of_password(tx: &mut PgConnection, user: &User) -> Result<()> {
    let has_identity = user.identities().iter().any(|identity| identity.provider == EMAIL);
    if has_identity || user.email.is_empty() || !user.is_confirmed() || user.is_anonymous || user.is_sso_user {
        return Ok(());
    }
    let claims = object(json!({ "email": user.email, "email_verified": true }));
    add_identity(tx, user.id, EMAIL, claims).await?;
    user_update::refresh_providers(tx, user.id).await.context("Database error updating user")
}

fn unproved(user: Uuid, claims: Metadata) -> Metadata {
    let mut data = object(json!({ "sub": user, "email_verified": false, "phone_verified": false }));
    data.extend(claims);
    data
}

/// Returns the user metadata of a sign-up: the client's data and the identity claims (`sub`, `email`, …), which a client cannot set.
/// PostgreSQL returns the metadata of a stored user in the field order of jsonb. The result has the same order, so that the order does not
/// reveal whether the address has an account.
pub(crate) fn metadata_of_sign_up(user: Uuid, email: &str, data: &Metadata) -> Metadata {
    in_order_of_jsonb(unproved(user, claims_of_sign_up(email, data)))
}

fn in_order_of_jsonb(fields: Metadata) -> Metadata {
    let mut sorted: Vec<(String, Value)> =
        fields.into_iter().map(|(name, value)| (name, value_in_order(value))).collect();
    sorted.sort_by(|(a, _), (b, _)| (a.len(), a).cmp(&(b.len(), b)));
    sorted.into_iter().collect()
}

fn value_in_order(value: Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(in_order_of_jsonb(fields)),
        Value::Array(list) => Value::Array(list.into_iter().map(value_in_order).collect()),
        other => other,
    }
}

/// The fields of a user's metadata that this server sets at a sign-up.
const IDENTITY_CLAIMS: [&str; 4] = ["sub", "email", "email_verified", "phone_verified"];

fn claims_of_sign_up(email: &str, data: &Metadata) -> Metadata {
    let mut claims = data.clone();
    claims.retain(|name, _| !IDENTITY_CLAIMS.contains(&name.as_str()));
    if !email.is_empty() {
        claims.insert("email".into(), email.into());
    }
    claims
}

/// Adds an identity of `provider` to a user, and sets the identity's claims in the user's metadata. `data` is the data of the sign-up,
/// which the calling function has already stored in the user's metadata. This function copies `data` only to the identity, because the
/// project's triggers may have changed the user's metadata. Does nothing if the user already has an identity of this provider.
pub(crate) async fn with_identity(tx: &mut PgConnection, user: User, provider: &str, data: &Metadata) -> Result<User> {
    if user.identities().iter().any(|identity| identity.provider == provider) {
        return Ok(user);
    }
    let mut claims = add_identity(tx, user.id, provider, claims_of_sign_up(&user.email, data)).await?;
    claims.retain(|name, _| IDENTITY_CLAIMS.contains(&name.as_str()));
    user_update::set_identity_claims(tx, user.id, &claims).await.context("Error updating user")?;
    user_update::reload(tx, user.id).await.context("Database error loading user after sign-up")
}

/// Resets an unconfirmed account to the password `password` and the sign-up data `data`. A stranger may have signed up with the address
/// earlier. The stranger's password, metadata, identities, sessions, second factors and pending changes must not remain for the person who
/// confirms the address. Links that were already sent remain valid, because a link proves access to the mailbox.
pub(crate) async fn start_over(
    tx: &mut PgConnection,
    user: &User,
    provider: &str,
    password: &Secret,
    data: &Metadata,
) -> Result<User> {
    user_confirm::strip(tx, user.id, password).await.context("Error updating user")?;
    user_update::set_user_metadata(tx, user.id, data).await.context("Error updating user")?;
    let user = user_update::reload(tx, user.id).await.context("Error updating user")?;
    let user = with_identity(tx, user, provider, data).await?;
    user_update::refresh_providers(tx, user.id).await.context("Database error updating user")?;
    user_update::reload(tx, user.id).await.context("Error updating user")
}

/// Returns the newest sign-up request of an account. `None` if the account is confirmed or was created by an administrator.
pub(crate) async fn pending_sign_up(tx: &mut PgConnection, user: &User) -> Result<Option<SignUp>> {
    if user.is_confirmed() || user.is_phone_confirmed() {
        return Ok(None);
    }
    sign_up::find(tx, user.id).await.map_err(AuthError::from)
}

/// Prepares an existing account for an invitation. Removes the password of an account that was never confirmed: a stranger may have set the
/// password and could sign in after the invited person has accepted the invitation. GoTrue keeps the password.
pub(crate) async fn take_for_invitation(tx: &mut PgConnection, user: User, data: &Metadata) -> Result<User> {
    const FAILED: &str = "Error inviting user";
    if pending_sign_up(tx, &user).await?.is_some() {
        let user = start_over(tx, &user, EMAIL, &Secret::default(), &Metadata::new()).await?;
        user_update::set_user_metadata(tx, user.id, data).await.context(FAILED)?;
        sign_up::settled(tx, user.id).await.context(FAILED)?;
    } else if !user.is_phone_confirmed() && user.has_password() {
        user_update::set_password(tx, user.id, &Secret::default(), None).await.context(FAILED)?;
    }
    user_update::reload(tx, user.id).await.context(FAILED)
}

/// Maximum size in bytes of `user_metadata` and of `app_metadata`, each as JSON. An access token contains both, base64-encoded, and must
/// fit into the headers of an HTTP request, which this server limits to 80 KiB.
pub(crate) const MAX_METADATA_BYTES: usize = 24 * 1024;

/// Refuses metadata that would make the access token too large for an HTTP request.
pub(crate) fn check_metadata<'a>(fields: impl Iterator<Item = (&'a String, &'a Value)>) -> Result<()> {
    let bytes: usize = fields.map(|(name, value)| name.len() + value.to_string().len() + 4).sum();
    match bytes > MAX_METADATA_BYTES {
        true => Err(AuthError::validation(format!(
            "Metadata has at most {MAX_METADATA_BYTES} bytes, because it is part of every access token"
        ))),
        false => Ok(()),
    }
}

/// Merges `changes` into `user_metadata`. A `null` in `changes` removes the field.
pub(crate) async fn merge_user_metadata(tx: &mut PgConnection, user: &mut User, changes: &Metadata) -> Result<()> {
    crate::model::merge(&mut user.user_metadata, changes);
    check_metadata(user.user_metadata.iter())?;
    user_update::set_user_metadata(tx, user.id, &user.user_metadata).await.context("Error updating user")
}

/// Merges `changes` into `app_metadata`. A `null` in `changes` removes the field.
pub(crate) async fn merge_app_metadata(tx: &mut PgConnection, user: &mut User, changes: &Metadata) -> Result<()> {
    crate::model::merge(&mut user.app_metadata, changes);
    check_metadata(user.app_metadata.iter())?;
    user_update::set_app_metadata(tx, user.id, &user.app_metadata).await.context("Error updating user")
}

/// Calls the project's `before_user_created` hook. Must not be called inside of a database transaction, because the hook may take seconds.
pub(crate) async fn before_created(state: &AuthState, client: &Client, user: &NewUser) -> Result<()> {
    let hook = &state.settings().hook.before_user_created;
    if !hook.enabled {
        return Ok(());
    }
    let now = chrono::Utc::now();
    let described = json!({
        "id": user.id, "aud": user.aud, "role": "", "email": user.email, "phone": user.phone,
        "app_metadata": user.app_metadata, "user_metadata": user.user_metadata, "identities": [],
        "created_at": now, "updated_at": now, "is_anonymous": user.is_anonymous,
    });
    let input = object(json!({ "user": described }));
    hooks::call(state, None, hook, "before-user-created", client, input).await.map(drop)
}

/// Calls the project's `after_user_created` hook. If the hook fails, the client receives the hook's error, but the user is not deleted.
pub(crate) async fn after_created(state: &AuthState, client: &Client, user: &User) -> Result<()> {
    let hook = &state.settings().hook.after_user_created;
    if !hook.enabled {
        return Ok(());
    }
    let input = object(json!({ "user": user }));
    hooks::call(state, None, hook, "after-user-created", client, input).await.context("Error invoking hook").map(drop)
}

/// Returns the fields of a JSON object, or an empty map for other JSON values.
pub(crate) fn object(value: Value) -> Metadata {
    match value {
        Value::Object(fields) => fields,
        _ => Metadata::new(),
    }
}

pub(crate) fn email_taken() -> AuthError {
    AuthError::unprocessable("email_exists", "A user with this email address has already been registered")
}

pub(crate) fn phone_taken() -> AuthError {
    AuthError::unprocessable("phone_exists", "A user with this phone number has already been registered")
}
