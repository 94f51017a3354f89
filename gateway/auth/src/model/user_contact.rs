//! Changes a user's e-mail address and phone number. A change invalidates the links, codes and pending changes that belong to the previous
//! address or number.

use sqlx::PgConnection;
use uuid::Uuid;

use super::{flow_state, one_time_token};

/// Which links, codes and pending changes of a user remain valid when all others are invalidated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// The links and codes that were sent to the e-mail address, and the pending change of the address.
    OfEmail,
    /// The links and codes that were sent to the phone number, and the pending change of the number.
    OfPhone,
    /// The pending change of the e-mail address only. All links and codes become invalid.
    EmailChange,
    /// The pending change of the phone number only. All links and codes become invalid.
    PhoneChange,
}

/// Sets a user's e-mail address. An empty string removes the address. A copy of the previous address in the user's metadata is replaced
/// too. Links and codes that were sent to the phone number remain valid.
pub(crate) async fn set_email(connection: &mut PgConnection, id: Uuid, email: &str) -> sqlx::Result<()> {
    let set = sqlx::query!(
        "update auth.users
         set email = nullif($2, ''),
             raw_user_meta_data = case
               when lower(raw_user_meta_data ->> 'email') is distinct from lower(email) or email is null then raw_user_meta_data
               when $2 = '' then raw_user_meta_data - 'email'
               else raw_user_meta_data || jsonb_build_object('email', $2::text) end,
             updated_at = now()
         where id = $1 and email is distinct from nullif($2, '')",
        id,
        email,
    );
    match set.execute(&mut *connection).await?.rows_affected() {
        0 => Ok(()),
        _ => drop_proofs(connection, id, Kept::OfPhone).await,
    }
}

/// Sets a user's phone number. An empty string removes the number. Links and codes that were sent to the e-mail address remain valid.
pub(crate) async fn set_phone(connection: &mut PgConnection, id: Uuid, phone: &str) -> sqlx::Result<()> {
    let set = sqlx::query!(
        "update auth.users set phone = nullif($2, ''), updated_at = now() where id = $1 and phone is distinct from nullif($2, '')",
        id,
        phone,
    );
    match set.execute(&mut *connection).await?.rows_affected() {
        0 => Ok(()),
        _ => drop_proofs(connection, id, Kept::OfEmail).await,
    }
}

/// Invalidates the links and codes that were sent to a user, and the changes of address or number that the user requested, except `kept`.
/// A token in `auth.users` without a row in `auth.one_time_tokens` is invalidated, because its recipient is unknown.
pub(crate) async fn drop_proofs(connection: &mut PgConnection, id: Uuid, kept: Kept) -> sqlx::Result<()> {
    let of_email = matches!(kept, Kept::OfEmail | Kept::EmailChange);
    let sent = matches!(kept, Kept::OfEmail | Kept::OfPhone);
    one_time_token::clear_others(&mut *connection, id, of_email, sent).await?;
    sqlx::query!(
        "update auth.users u
         set confirmation_token = case when left_over.confirmation then u.confirmation_token else '' end,
             recovery_token = case when left_over.recovery then u.recovery_token else '' end,
             reauthentication_token = case when left_over.reauthentication then u.reauthentication_token else '' end,
             email_change = case when $2 then u.email_change else '' end,
             email_change_token_current = case when $2 then u.email_change_token_current else '' end,
             email_change_token_new = case when $2 then u.email_change_token_new else '' end,
             email_change_confirm_status = case when $2 then u.email_change_confirm_status else 0 end,
             phone_change = case when $2 then '' else u.phone_change end,
             phone_change_token = case when $2 then '' else u.phone_change_token end,
             updated_at = now()
         from (select coalesce(bool_or(token_type = 'confirmation_token'), false) as confirmation,
                      coalesce(bool_or(token_type = 'recovery_token'), false) as recovery,
                      coalesce(bool_or(token_type = 'reauthentication_token'), false) as reauthentication
               from auth.one_time_tokens where user_id = $1) left_over
         where u.id = $1",
        id,
        of_email,
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Deletes all PKCE flows of a user. This also invalidates authorization codes that were issued when the user followed a link and that were
/// not exchanged yet. Must not be called for a change that is confirmed by a followed link: the link's authorization code is issued after
/// the change and requires the link's flow.
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
