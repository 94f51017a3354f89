//! Queries on the mail outbox. Code that sends mail inserts rows, the delivery worker claims and finishes the rows, and the inbox reads the
//! rows.

use std::time::Duration;

use chrono::{DateTime, Utc};
use cloch_core::Secret;
use serde::Serialize;
use sqlx::postgres::types::PgInterval;
use sqlx::{PgConnection, PgExecutor, PgPool};
use uuid::Uuid;

use crate::seal::{self, Stored};
use crate::{MailError, Message};

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Entry {
    pub(crate) id: Uuid,
    pub(crate) kind: String,
    #[serde(rename = "to")]
    pub(crate) recipients: Vec<String>,
    pub(crate) pending: Vec<String>,
    pub(crate) refused: Vec<String>,
    pub(crate) reply_to: Option<String>,
    pub(crate) subject: String,
    pub(crate) html: String,
    #[serde(rename = "text")]
    pub(crate) body_text: String,
    pub(crate) state: String,
    pub(crate) attempts: i32,
    pub(crate) last_error: Option<String>,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) finished_at: Option<DateTime<Utc>>,
}

impl Entry {
    /// Creates the outbox row of a message without inserting the row into the table.
    pub(crate) fn unsaved(message: &Message) -> Self {
        let recipients: Vec<String> = message.to.iter().map(ToString::to_string).collect();
        Self {
            id: Uuid::new_v4(),
            kind: message.kind.clone(),
            pending: recipients.clone(),
            recipients,
            refused: Vec::new(),
            reply_to: message.reply_to.as_ref().map(ToString::to_string),
            subject: message.subject.clone(),
            html: message.html.clone(),
            body_text: message.text.clone(),
            state: "queued".to_owned(),
            attempts: 0,
            last_error: None,
            created_at: Utc::now(),
            finished_at: None,
        }
    }
}

#[derive(Clone)]
pub(crate) struct File {
    pub(crate) filename: String,
    pub(crate) content_type: String,
    pub(crate) content: Vec<u8>,
}

/// Inserts a message and its attachments in one statement, so that all rows are part of the caller's transaction.
pub(crate) async fn insert(
    executor: impl PgExecutor<'_>,
    key: &Secret,
    message: &Message,
    by_smtp: bool,
) -> Result<Uuid, MailError> {
    let recipients: Vec<String> = message.to.iter().map(ToString::to_string).collect();
    let pending: &[String] = if by_smtp { &recipients } else { &[] };
    let (mut names, mut types, mut contents) = (Vec::new(), Vec::new(), Vec::new());
    for file in &message.attachments {
        names.push(file.filename.clone());
        types.push(file.content_type.clone());
        contents.push(file.content.clone());
    }
    let id = Uuid::new_v4();
    let stored = Stored::of(key, id, message)?;
    sqlx::query!(
        "with message as (
           insert into cloch.mail_outbox
             (id, kind, recipients, pending, reply_to, subject, html, body_text, requested_by, state, finished_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9,
                   case when $10 then 'queued' else 'delivered' end,
                   case when $10 then null else now() end)
           returning id
         )
         insert into cloch.mail_attachments (message_id, position, filename, content_type, content)
         select message.id, file.position, file.filename, file.content_type, file.content
           from message,
                unnest($11::text[], $12::text[], $13::bytea[]) with ordinality
                  as file (filename, content_type, content, position)",
        id,
        message.kind,
        &recipients,
        pending,
        message.reply_to.as_ref().map(ToString::to_string),
        stored.subject,
        stored.html,
        stored.text,
        message.requested_by,
        by_smtp,
        &names,
        &types,
        &contents,
    )
    .execute(executor)
    .await?;
    Ok(id)
}

/// Inserts a copy of a message without its attachments. Returns `false` if the message does not exist. Encrypted texts are encrypted again for
/// the new row of the outbox.
pub(crate) async fn repeat(
    connection: &mut PgConnection,
    key: &Secret,
    id: Uuid,
    by_smtp: bool,
) -> Result<bool, MailError> {
    let text = "select subject, html, body_text from cloch.mail_outbox where id = $1";
    let found: Option<(String, String, String)> =
        sqlx::query_as(text).bind(id).fetch_optional(&mut *connection).await?;
    let Some((subject, html, text)) = found else { return Ok(false) };
    let copy = Uuid::new_v4();
    let again = |part: &str, stored: String| seal::again(key, (id, copy), part, stored);
    let written = sqlx::query(
        "insert into cloch.mail_outbox
           (id, kind, recipients, pending, reply_to, subject, html, body_text, requested_by, state, finished_at)
         select $3, kind, recipients, case when $2 then recipients else '{}' end, reply_to, $4, $5, $6, requested_by,
                case when $2 then 'queued' else 'delivered' end, case when $2 then null else now() end
           from cloch.mail_outbox where id = $1",
    )
    .bind(id)
    .bind(by_smtp)
    .bind(copy)
    .bind(again("subject", subject)?)
    .bind(again("html", html)?)
    .bind(again("text", text)?)
    .execute(connection)
    .await?;
    Ok(written.rows_affected() > 0)
}

/// Claims, for the time `lease`, the message that has been due longest. Returns `None` if no message is due. If this worker dies, another
/// worker can claim the message after this time.
pub(crate) async fn claim(pool: &PgPool, key: &Secret, lease: Duration) -> sqlx::Result<Option<Entry>> {
    let claimed = sqlx::query_as!(
        Entry,
        "update cloch.mail_outbox
            set attempts = attempts + 1, due_at = now() + $1
          where id = (select id from cloch.mail_outbox
                       where state = 'queued' and due_at <= now()
                       order by due_at
                       limit 1
                       for update skip locked)
         returning id, kind, recipients, pending, refused, reply_to, subject, html, body_text, state,
                   attempts, last_error, created_at, finished_at",
        interval(lease),
    )
    .fetch_optional(pool)
    .await?;
    Ok(claimed.map(|entry| entry.opened(key)))
}

/// Records the outcome of the delivery to one recipient, and extends the claim on the message by `lease`.
pub(crate) async fn settle_recipient(
    pool: &PgPool,
    id: Uuid,
    recipient: &str,
    refusal: Option<&str>,
    lease: Duration,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update cloch.mail_outbox
            set pending = array_remove(pending, $2),
                refused = case when $3::text is null then refused else refused || $2 end,
                last_error = coalesce($3, last_error),
                due_at = now() + $4
          where id = $1",
        id,
        recipient,
        refusal,
        interval(lease),
    )
    .execute(pool)
    .await
    .map(drop)
}

/// Marks a message as finished. The outcome for each recipient must have been recorded before. The state becomes `failed` if any recipient
/// was refused, otherwise `sent`. Returns whether all recipients were refused.
pub(crate) async fn finish(pool: &PgPool, id: Uuid) -> sqlx::Result<bool> {
    let refused_by_all = sqlx::query_scalar(
        "update cloch.mail_outbox
            set state = case when cardinality(refused) = 0 then 'sent' else 'failed' end, finished_at = now()
          where id = $1 and state = 'queued'
         returning refused @> recipients",
    )
    .bind(id)
    .fetch_optional(pool)
    .await?;
    Ok(refused_by_all.unwrap_or(false))
}

/// Records a temporary failure to deliver a message. The message is due again after `delay`; without a delay, the message is marked as
/// failed.
pub(crate) async fn put_back(pool: &PgPool, id: Uuid, reason: &str, delay: Option<Duration>) -> sqlx::Result<()> {
    sqlx::query!(
        "update cloch.mail_outbox
            set last_error = $2,
                due_at = coalesce(now() + $3, due_at),
                state = case when $3::interval is null then 'failed' else state end,
                finished_at = case when $3::interval is null then now() end
          where id = $1 and state = 'queued'",
        id,
        reason,
        delay.map(interval),
    )
    .execute(pool)
    .await
    .map(drop)
}

/// Marks all queued messages as delivered to the built-in inbox, because the configuration no longer contains a mail server. Returns the number
/// of these messages.
pub(crate) async fn deliver_queued(pool: &PgPool) -> sqlx::Result<u64> {
    sqlx::query!(
        "update cloch.mail_outbox set state = 'delivered', pending = '{}', finished_at = now() where state = 'queued'"
    )
    .execute(pool)
    .await
    .map(|done| done.rows_affected())
}

/// Deletes messages that were finished more than `keep_days` days ago. Marks messages as failed if the worker died during the last allowed
/// attempt.
pub(crate) async fn sweep(pool: &PgPool, keep_days: u16, max_attempts: i32) -> sqlx::Result<()> {
    sqlx::query!(
        "delete from cloch.mail_outbox where finished_at < now() - make_interval(days => $1)",
        i32::from(keep_days),
    )
    .execute(pool)
    .await?;
    sqlx::query!(
        "update cloch.mail_outbox
            set state = 'failed', finished_at = now(), last_error = coalesce(last_error, 'given up')
          where state = 'queued' and attempts >= $1 and due_at <= now()",
        max_attempts,
    )
    .execute(pool)
    .await
    .map(drop)
}

pub(crate) async fn list(pool: &PgPool, key: &Secret, to: Option<&str>, limit: i64) -> sqlx::Result<Vec<Entry>> {
    let found = sqlx::query_as!(
        Entry,
        "select id, kind, recipients, pending, refused, reply_to, subject, html, body_text, state,
                attempts, last_error, created_at, finished_at
           from cloch.mail_outbox
          where $1::text is null
             or exists (select from unnest(recipients) as recipient where lower(recipient) = lower($1))
          order by created_at desc, id
          limit $2",
        to,
        limit,
    )
    .fetch_all(pool)
    .await?;
    Ok(found.into_iter().map(|entry| entry.opened(key)).collect())
}

pub(crate) async fn get(pool: &PgPool, key: &Secret, id: Uuid) -> sqlx::Result<Option<Entry>> {
    let found = sqlx::query_as!(
        Entry,
        "select id, kind, recipients, pending, refused, reply_to, subject, html, body_text, state,
                attempts, last_error, created_at, finished_at
           from cloch.mail_outbox where id = $1",
        id,
    )
    .fetch_optional(pool)
    .await?;
    Ok(found.map(|entry| entry.opened(key)))
}

pub(crate) async fn files(pool: &PgPool, id: Uuid) -> sqlx::Result<Vec<File>> {
    sqlx::query_as!(
        File,
        "select filename, content_type, content from cloch.mail_attachments where message_id = $1 order by position",
        id,
    )
    .fetch_all(pool)
    .await
}

/// Returns name, media type and size in bytes of a message's attachments, in order.
pub(crate) async fn file_list(pool: &PgPool, id: Uuid) -> sqlx::Result<Vec<(String, String, i32)>> {
    let rows = sqlx::query!(
        r#"select filename, content_type, octet_length(content) as "size!"
             from cloch.mail_attachments where message_id = $1 order by position"#,
        id,
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.filename, row.content_type, row.size)).collect())
}

/// Deletes the message with the id `id`. If `id` is `None`, deletes all messages except queued ones.
pub(crate) async fn delete(pool: &PgPool, id: Option<Uuid>) -> sqlx::Result<u64> {
    sqlx::query!("delete from cloch.mail_outbox where id = $1 or ($1::uuid is null and state <> 'queued')", id)
        .execute(pool)
        .await
        .map(|done| done.rows_affected())
}

fn interval(duration: Duration) -> PgInterval {
    PgInterval { months: 0, days: 0, microseconds: i64::try_from(duration.as_micros()).unwrap_or(i64::MAX) }
}
