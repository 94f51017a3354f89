//! POST /admin/generate_link: returns the link of a mail (such as a confirmation or invitation), so that the project can send the mail
//! itself.

use axum::Json;
use axum::extract::State;
use cloch_core::Secret;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::PgConnection;

use crate::error::{AuthError, Context, Result};
use crate::flow::accounts;
use crate::flow::mail::send;
use crate::flow::one_time_code::{self, Code};
use crate::http::authn::Admin;
use crate::http::request::Incoming;
use crate::model::audit::{self, Action};
use crate::model::user::{self, User};
use crate::model::user_update::{self, NewUser};
use crate::model::{Metadata, one_time_token, sign_up};
use crate::state::AuthState;
use crate::{contact, password};

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct Params {
    r#type: String,
    email: String,
    new_email: String,
    password: String,
    data: Metadata,
    redirect_to: String,
}

/// The response: the fields of the user and of the link in one JSON object.
#[derive(Serialize)]
pub(crate) struct Link {
    #[serde(flatten)]
    user: User,
    action_link: String,
    email_otp: String,
    hashed_token: String,
    verification_type: String,
    redirect_to: String,
}

pub(crate) async fn generate(State(state): State<AuthState>, admin: Admin, incoming: Incoming) -> Result<Json<Link>> {
    let params: Params = incoming.json()?;
    let made = match attempt(&state, &admin, &incoming, params.clone()).await {
        // A concurrent request created the account. The second attempt finds this account.
        Err(error) if error.is_unique_violation() => attempt(&state, &admin, &incoming, params).await,
        made => made,
    };
    made.map(Json)
}

async fn attempt(state: &AuthState, admin: &Admin, incoming: &Incoming, mut params: Params) -> Result<Link> {
    let email = contact::email(&params.email)?;
    let target = if state.redirect_urls().allows(&params.redirect_to) {
        params.redirect_to.clone()
    } else {
        incoming.target(state)
    };
    let aud = incoming.audience();
    let mut connection = state.connection().await?;
    let existing = user::by_email(&mut connection, &email, &aud).await.context("Database error finding user")?;
    drop(connection);
    let mut unknowable = false;
    if existing.is_none() {
        match params.r#type.as_str() {
            "magiclink" => {
                params.r#type = "signup".to_owned();
                unknowable = true;
            }
            "recovery" | "email_change_current" | "email_change_new" => {
                return Err(AuthError::not_found("user_not_found", "User with this email not found"));
            }
            _ => {}
        }
    }
    let new = match existing {
        Some(_) => None,
        None => describe(state, &params, &aud, &email, unknowable).await?,
    };
    if let Some(new) = &new {
        accounts::before_created(state, &incoming.client, new).await?;
    }
    let created = new.is_some();
    // If an unconfirmed account exists, its password is replaced by the password in the request, because a stranger may have set
    // the old password.
    let password = match params.password.as_str() {
        "" => Secret::default(),
        password if existing.is_some() => state.passwords.hash(password).await?,
        _ => Secret::default(),
    };
    let code = Code::new(state.settings().email.otp_length, &email, false);
    let mut tx = state.begin().await?;
    let (user, token) = match params.r#type.as_str() {
        "magiclink" | "recovery" => recovery(&mut tx, existing, &code).await?,
        "signup" | "invite" => confirmation(&mut tx, admin, &params, existing, new, &password, &code).await?,
        "email_change_current" | "email_change_new" => email_change(state, &mut tx, &params, existing, &code).await?,
        other => {
            return Err(AuthError::validation(format!("Invalid email action link type requested: {other}")));
        }
    };
    let user = user_update::reload(&mut tx, user.id).await?;
    tx.commit().await?;
    if created {
        accounts::after_created(state, &incoming.client, &user).await?;
    }
    let action = if params.r#type.starts_with("email_change") { "email_change" } else { &params.r#type };
    Ok(Link {
        action_link: send::link(state, action, &token, &target),
        email_otp: code.digits,
        hashed_token: token,
        verification_type: params.r#type,
        redirect_to: target,
        user,
    })
}

/// Returns the new user that the request describes, with a random password if `unknowable` is true. `None` if a link of this type does not
/// create a user.
async fn describe(
    state: &AuthState,
    params: &Params,
    aud: &str,
    email: &str,
    unknowable: bool,
) -> Result<Option<NewUser>> {
    let mut new = accounts::new_user(aud, &[accounts::EMAIL], params.data.clone());
    email.clone_into(&mut new.email);
    match params.r#type.as_str() {
        "signup" if unknowable => {
            new.encrypted_password = password::unknowable()?;
            Ok(Some(new))
        }
        "signup" => {
            if params.password.is_empty() {
                return Err(AuthError::validation("Signup requires a valid password"));
            }
            password::check(state.settings(), &params.password)?;
            new.encrypted_password = state.passwords.hash(&params.password).await?;
            Ok(Some(new))
        }
        "invite" => Ok(Some(new)),
        _ => Ok(None),
    }
}

async fn recovery(tx: &mut PgConnection, user: Option<User>, code: &Code) -> Result<(User, String)> {
    let user = user.ok_or_else(|| AuthError::not_found("user_not_found", "User with this email not found"))?;
    audit::by_user(tx, &user, Action::RECOVERY_REQUESTED, "", None).await?;
    one_time_token::sent_recovery(tx, user.id, &code.hash, &user.email).await?;
    Ok((user, code.hash.clone()))
}

async fn confirmation(
    tx: &mut PgConnection,
    admin: &Admin,
    params: &Params,
    existing: Option<User>,
    new: Option<NewUser>,
    password: &Secret,
    code: &Code,
) -> Result<(User, String)> {
    let invited = params.r#type == "invite";
    let user = match (existing, new) {
        (Some(user), _) if user.is_confirmed() => return Err(accounts::email_taken()),
        (Some(user), _) if invited => accounts::take_for_invitation(tx, user, &params.data).await?,
        (Some(mut user), _) => {
            if accounts::pending_sign_up(tx, &user).await?.is_some() {
                user = accounts::start_over(tx, &user, accounts::EMAIL, password, &Metadata::new()).await?;
                sign_up::settled(tx, user.id).await?;
            }
            accounts::merge_user_metadata(tx, &mut user, &params.data).await?;
            user
        }
        (None, Some(new)) => {
            let user = accounts::insert(tx, &new).await?;
            let claims = accounts::object(json!({ "email": user.email }));
            accounts::add_identity(tx, user.id, accounts::EMAIL, claims).await?;
            user
        }
        (None, None) => {
            return Err(AuthError::internal("Database error finding user", "no user to confirm"));
        }
    };
    if invited {
        let traits = json!({ "user_id": user.id, "user_email": user.email });
        audit::by_admin(tx, &admin.role, Action::INVITED, traits).await?;
    }
    one_time_token::sent_confirmation(tx, user.id, &code.hash, &user.email, invited).await?;
    Ok((user, code.hash.clone()))
}

/// Creates the token for one of the two addresses of an e-mail address change, and returns the hash of this token as `hashed_token`. GoTrue
/// always returns the hash for the current address, which is not valid if the token is for the new address.
async fn email_change(
    state: &AuthState,
    tx: &mut PgConnection,
    params: &Params,
    user: Option<User>,
    code: &Code,
) -> Result<(User, String)> {
    let user = user.ok_or_else(|| AuthError::not_found("user_not_found", "User with this email not found"))?;
    let current = params.r#type == "email_change_current";
    if current && !state.settings().email.double_confirm_changes {
        return Err(AuthError::validation("Enable secure email change to generate link for current email"));
    }
    let new = contact::email(&params.new_email)?;
    if user::holding_email(tx, &new, &user.aud, Some(user.id)).await.context("Database error checking email")?.is_some()
    {
        return Err(accounts::email_taken());
    }
    let token = if current { code.hash.clone() } else { one_time_code::hash(&new, &code.digits) };
    // The token of the other address remains unchanged, because a project requests the links for the two addresses in two requests.
    let (new_hash, current_hash) = if current {
        (user.email_change_token_new.expose(), token.as_str())
    } else {
        (token.as_str(), user.email_change_token_current.expose())
    };
    let some = |hash: &str| (!hash.is_empty()).then(|| hash.to_owned());
    let (new_hash, current_hash) = (some(new_hash), some(current_hash));
    one_time_token::sent_email_change(tx, &user, &new, new_hash.as_deref(), current_hash.as_deref()).await?;
    Ok((user, token))
}
