//! Queries on the table `club.mail_jobs`. The database inserts the rows; the mail job worker claims and closes the rows.

use std::time::Duration;

use sqlx::postgres::types::PgInterval;
use sqlx::{PgExecutor, PgPool};
use uuid::Uuid;

/// PostgreSQL notification channel for new rows of `club.mail_jobs`.
pub(super) const CHANNEL: &str = "club_mail_jobs";

/// A mail job that this worker has claimed.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) id: Uuid,
    pub(super) kind: String,
    pub(super) award: String,
    pub(super) entry: Uuid,
    pub(super) attempts: i32,
}

/// Claims, for the time `lease`, the mail job that has been due longest. If this worker dies, a second worker claims the job after the
/// lease.
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

/// Deletes mail jobs whose mail has been deleted from the outbox.
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
