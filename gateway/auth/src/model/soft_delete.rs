//! Soft deletion: anonymises a user but keeps the user's row and all references to it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::Metadata;
use super::user::User;

/// Maximum length of a hashed phone number in characters: the phone column had this length when GoTrue defined the format of the hash.
const MAX_PHONE_CHARS: usize = 15;

/// Replaces the user's e-mail address and phone number by hashes, clears the metadata, and deletes second factors, passkeys and pending
/// one-time tokens.
pub(crate) async fn user(connection: &mut PgConnection, user: &User) -> sqlx::Result<()> {
    let hash = |value: &str| obscured(user.id, value);
    let short = |value: &str| hash(value).chars().take(MAX_PHONE_CHARS).collect::<String>();
    sqlx::query!(
        "update auth.users
         set email = $2, phone = $3, email_change = $4, phone_change = $5, encrypted_password = null,
             confirmation_token = '', recovery_token = '', email_change_token_current = '',
             email_change_token_new = '', phone_change_token = '', reauthentication_token = '',
             raw_app_meta_data = '{}', raw_user_meta_data = '{}', deleted_at = now(), updated_at = now()
         where id = $1",
        user.id,
        hash(&user.email),
        short(&user.phone),
        hash(&user.email_change),
        short(&user.phone_change),
    )
    .execute(&mut *connection)
    .await?;
    super::one_time_token::clear_all(&mut *connection, user.id).await?;
    for identity in user.identities() {
        sqlx::query!(
            "update auth.identities set provider_id = $2, identity_data = $3, updated_at = now() where id = $1",
            identity.row_id,
            hash(&identity.provider_id),
            Json(Metadata::new()) as _,
        )
        .execute(&mut *connection)
        .await?;
    }
    super::factor::delete_of_user(&mut *connection, user.id).await?;
    sqlx::query!("delete from auth.webauthn_credentials where user_id = $1", user.id)
        .execute(connection)
        .await
        .map(drop)
}

fn obscured(user: Uuid, value: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(format!("{user}{value}").as_bytes()))
}
