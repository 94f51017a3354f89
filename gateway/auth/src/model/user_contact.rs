//! Changes a user's e-mail address and phone number. Each change invalidates all links, codes and pending changes of the account, because
//! they belong to the previous address or number.

use sqlx::PgConnection;
use uuid::Uuid;

use super::{flow_state, one_time_token};

/// Sets a user's e-mail address. An empty string removes the address.
pub(crate) async fn set_email(connection: &mut PgConnection, id: Uuid, email: &str) -> sqlx::Result<()> {
    let set = sqlx::query!(
        "update auth.users set email = nullif($2, ''), updated_at = now() where id = $1 and email is distinct from nullif($2, '')",
        id,
        email,
    );
    match set.execute(&mut *connection).await?.rows_affected() {
        0 => Ok(()),
        _ => drop_proofs(connection, id).await,
    }
}

/// Sets a user's phone number. An empty string removes the number.
pub(crate) async fn set_phone(connection: &mut PgConnection, id: Uuid, phone: &str) -> sqlx::Result<()> {
    let set = sqlx::query!(
        "update auth.users set phone = nullif($2, ''), updated_at = now() where id = $1 and phone is distinct from nullif($2, '')",
        id,
        phone,
    );
    match set.execute(&mut *connection).await?.rows_affected() {
        0 => Ok(()),
        _ => drop_proofs(connection, id).await,
    }
}

/// Invalidates all links and codes that were sent to a user, and all changes of address or number that the user requested.
pub(crate) async fn drop_proofs(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<()> {
    sqlx::query!(
        "update auth.users
         set confirmation_token = '', confirmation_sent_at = null, recovery_token = '', recovery_sent_at = null,
             email_change = '', email_change_token_current = '', email_change_token_new = '',
             email_change_sent_at = null, email_change_confirm_status = 0,
             phone_change = '', phone_change_token = '', phone_change_sent_at = null,
             reauthentication_token = '', reauthentication_sent_at = null, updated_at = now()
         where id = $1",
        id,
    )
    .execute(&mut *connection)
    .await?;
    one_time_token::clear_all(connection, id).await
}

/// Deletes all PKCE flows of a user, and with them the authorization codes that were issued when the user followed a link and that were not
/// exchanged yet. Must not be called for a change that a followed link confirms, because the authorization code of this link is issued
/// after the change.
pub(crate) async fn drop_issued_codes(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<()> {
    flow_state::delete_of_user(connection, id).await
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }

    /// Whether a source text assigns to the column in an SQL statement that updates `auth.users`.
    fn writes(text: &str, column: &str) -> bool {
        text.split("update auth.users").skip(1).any(|rest| {
            let set = rest.split("where").next().unwrap_or_default();
            set.split(['\n', ','])
                .any(|part| part.trim_start().trim_start_matches("set ").starts_with(&format!("{column} =")))
        })
    }

    #[test]
    fn nothing_else_writes_addresses_and_numbers() {
        assert!(writes("update auth.users\n set email = $2, x = 1 where", "email"));
        assert!(writes("update auth.users set a = 1,\n phone = $2", "phone") && !writes("set email = $2", "email"));
        let mut files = Vec::new();
        sources(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").as_path(), &mut files);
        // soft_delete.rs replaces the address and number of a deleted user by hashes, and invalidates links and codes itself.
        let own = ["user_contact.rs", "soft_delete.rs"];
        files.retain(|file| {
            !file.components().any(|part| part.as_os_str() == "tests") && own.iter().all(|own| !file.ends_with(own))
        });
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(!writes(&text, "email") && !writes(&text, "phone"), "{}", file.display());
        }
    }
}
