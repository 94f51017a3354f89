//! Queries on the table `club.mail_jobs`. The database inserts the rows; the mail job worker claims and closes the rows.

use std::time::Duration;

use sqlx::postgres::types::PgInterval;
use sqlx::{PgExecutor, PgPool};
use uuid::Uuid;

/// PostgreSQL notification channel for new rows of `club.mail_jobs`.
pub(super) const CHANNEL: &str = "club_mail_jobs";

/// A mail job that this worker has claimed.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct Job {
    pub(super) id: Uuid,
    pub(super) kind: String,
    pub(super) award: String,
    pub(super) entry: Uuid,
    pub(super) attempts: i32,
}

/// Claims, for the time `lease`, the mail job that has been due longest. Returns `None` if no job is due. If this worker dies, another worker
/// can claim the job after this time.
pub(super) async fn claim(pool: &PgPool, lease: Duration) -> sqlx::Result<Option<Job>> {
    sqlx::query_as!(
        Job,
        "update club.mail_jobs
            set attempts = attempts + 1, due_at = now() + $1
          where id = (select id from club.mail_jobs
                       where state = 'queued' and due_at <= now()
                       order by due_at
                       limit 1
                       for update skip locked)
         returning id, kind, award, entry, attempts",
        interval(lease),
    )
    .fetch_optional(pool)
    .await
}

/// State of the mail that announces a record to the club.
#[derive(Debug)]
pub(super) enum Found {
    /// No record has the submission key.
    Nothing,
    /// The mail was written into the outbox; the value is the mail's id. `None` if the mail has been deleted from the outbox since then, or if
    /// the record was deleted before the mail was written.
    Written(Option<Uuid>),
    /// This call has claimed the job, so its caller must write the mail.
    Claimed(Job),
    /// The job cannot be claimed now: a worker has claimed it, or its state has just changed.
    Busy,
}

/// Claims, for the time `lease`, the mail job that announces the record with the submission key `key`. A job whose last attempt failed can be claimed
/// before it is due.
pub(super) async fn claim_submission(pool: &PgPool, key: Uuid, lease: Duration) -> sqlx::Result<Found> {
    let claimed: Option<Job> = sqlx::query_as(
        "update club.mail_jobs as j
            set attempts = j.attempts + 1, due_at = now() + $2, state = 'queued', finished_at = null
           from club.submissions as s
          where s.submission_key = $1 and j.award = s.award and j.entry = s.entry and j.kind = 'entry'
            and (j.state = 'failed' or (j.state = 'queued' and (j.due_at <= now() or j.last_error is not null)))
         returning j.id, j.kind, j.award, j.entry, j.attempts",
    )
    .bind(key)
    .bind(interval(lease))
    .fetch_optional(pool)
    .await?;
    if let Some(job) = claimed {
        return Ok(Found::Claimed(job));
    }
    let found: Option<(Option<String>, Option<Uuid>)> = sqlx::query_as(
        "select j.state, j.message_id
           from club.submissions as s
           left join club.mail_jobs as j on j.award = s.award and j.entry = s.entry and j.kind = 'entry'
          where s.submission_key = $1",
    )
    .bind(key)
    .fetch_optional(pool)
    .await?;
    Ok(match found {
        None => Found::Nothing,
        // A worker has claimed the job, or the state of the job changed between the two statements.
        Some((Some(state), _)) if state != "written" => Found::Busy,
        Some((_, message)) => Found::Written(message),
    })
}

/// Closes a mail job and stores the id of its message in the outbox. Returns `false` if the job is closed already.
pub(super) async fn finish(executor: impl PgExecutor<'_>, id: Uuid, message: Option<Uuid>) -> sqlx::Result<bool> {
    sqlx::query!(
        "update club.mail_jobs
            set state = 'written', message_id = $2, last_error = null, finished_at = now()
          where id = $1 and state = 'queued'",
        id,
        message,
    )
    .execute(executor)
    .await
    .map(|done| done.rows_affected() == 1)
}

/// Records that the message `message` is also about this entry, so that it is listed and deleted with the entry.
pub(super) async fn record(
    executor: impl PgExecutor<'_>,
    kind: &str,
    award: &str,
    entry: Uuid,
    message: Uuid,
) -> sqlx::Result<()> {
    sqlx::query(
        "insert into club.mail_jobs (kind, award, entry, state, message_id, finished_at)
         values ($1, $2, $3, 'written', $4, now())",
    )
    .bind(kind)
    .bind(award)
    .bind(entry)
    .bind(message)
    .execute(executor)
    .await
    .map(drop)
}

/// Records a failed attempt of a mail job. The job is due again after `delay`; without a delay, the job is marked as failed.
pub(super) async fn put_back(pool: &PgPool, id: Uuid, reason: &str, delay: Option<Duration>) -> sqlx::Result<()> {
    sqlx::query!(
        "update club.mail_jobs
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

/// Deletes the rows of written mail jobs whose mail has been deleted from the outbox.
pub(super) async fn sweep(pool: &PgPool) -> sqlx::Result<()> {
    sqlx::query!(
        "delete from club.mail_jobs as j
          where j.state = 'written'
            and not exists (select from cloch.mail_outbox as m where m.id = j.message_id)"
    )
    .execute(pool)
    .await
    .map(drop)
}

fn interval(duration: Duration) -> PgInterval {
    PgInterval { months: 0, days: 0, microseconds: i64::try_from(duration.as_micros()).unwrap_or(i64::MAX) }
}
