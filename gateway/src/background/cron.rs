//! Replacement for pg_cron if PostgreSQL lacks the extension: runs the jobs of `cron.schedule`.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use cloch_sql::Database;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection, Row};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::cron_metrics;
use super::cron_schedule::Schedule;

const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of concurrent jobs on this node.
const MAX_CONCURRENT_JOBS: usize = 5;
/// Maximum number of running and waiting jobs. When this number is reached, due jobs start later.
const MAX_STARTED_JOBS: usize = 100;
/// First key of the advisory lock that prevents concurrent runs of one job; the second key is a hash of the job's ID.
const ADVISORY_LOCK_CLASS: i32 = 0x63_726f;

struct Job {
    id: i64,
    schedule: String,
    command: String,
    database: String,
    username: String,
}

pub(super) async fn run(database: Database, shutdown: CancellationToken) {
    match super::task::stands_in_for(database.admin(), "pg_cron").await {
        Ok(true) => {}
        Ok(false) => return,
        Err(error) => {
            return tracing::error!(
                %error,
                "cron: cron.schedule disabled: checking whether PostgreSQL has pg_cron failed, jobs are not run until the server is restarted"
            );
        }
    }
    let slots = Arc::new(Semaphore::new(MAX_CONCURRENT_JOBS));
    let mut running = JoinSet::new();
    let mut after = Utc::now();
    let mut is_first = true;
    let mut unreadable = HashSet::new();
    while super::task::sleep_unless_stopped(CHECK_INTERVAL, &shutdown).await {
        while let Some(ended) = running.try_join_next() {
            if let Err(error) = ended {
                tracing::error!(%error, "cron: internal error while running a job of cron.schedule, other jobs continue");
            }
        }
        if running.len() >= MAX_STARTED_JOBS {
            tracing::warn!(jobs = running.len(), "cron: too many running jobs of cron.schedule, new jobs wait");
            continue;
        }
        let until = Utc::now();
        match due(&database, after, until, is_first, &mut unreadable).await {
            Ok(jobs) => {
                for (job, due_at) in jobs {
                    running.spawn(run_job(database.clone(), slots.clone(), job, due_at));
                }
                (after, is_first) = (until, false);
            }
            Err(error) => tracing::warn!(%error, "cron: reading the jobs of cron.schedule failed, retrying in 1 s"),
        }
    }
    while running.join_next().await.is_some() {}
}

/// Returns the active jobs of `cron.job` that are due later than `after` and not later than `until`, each with its due time. Leaves out
/// jobs that another node has claimed in `cloch.job_claims`. Jobs with the schedule `@reboot` are due if `is_first` is true. An invalid
/// schedule is logged once.
async fn due(
    database: &Database,
    after: DateTime<Utc>,
    until: DateTime<Utc>,
    is_first: bool,
    unreadable: &mut HashSet<(i64, String)>,
) -> sqlx::Result<Vec<(Job, DateTime<Utc>)>> {
    let rows = sqlx::query("select jobid, schedule, command, database, username from cron.job where active")
        .fetch_all(database.admin())
        .await?;
    let mut claimed = Vec::new();
    for row in &rows {
        let job = Job {
            id: row.try_get(0)?,
            schedule: row.try_get(1)?,
            command: row.try_get(2)?,
            database: row.try_get(3)?,
            username: row.try_get(4)?,
        };
        let time = match Schedule::parse(&job.schedule) {
            Some(Schedule::AtStart) => is_first.then_some(until),
            Some(schedule) => schedule.due(after, until),
            None => {
                if unreadable.insert((job.id, job.schedule.clone())) {
                    tracing::error!(
                        job.id = job.id,
                        job.schedule = job.schedule,
                        "cron: invalid schedule, this job of cron.schedule never runs"
                    );
                }
                None
            }
        };
        if let Some(time) = time
            && claim(database, job.id, time).await?
        {
            claimed.push((job, time));
        }
    }
    Ok(claimed)
}

async fn claim(database: &Database, job: i64, due_at: DateTime<Utc>) -> sqlx::Result<bool> {
    let claimed = sqlx::query(
        "with old as (delete from cloch.job_claims where due_at < now() - interval '1 day')
         insert into cloch.job_claims (jobid, due_at) values ($1, $2) on conflict do nothing",
    )
    .bind(job)
    .bind(due_at)
    .execute(database.admin())
    .await?;
    Ok(claimed.rows_affected() == 1)
}

async fn run_job(database: Database, slots: Arc<Semaphore>, job: Job, due_at: DateTime<Utc>) {
    let Ok(_slot) = slots.acquire().await else { return };
    // Each job has a separate connection, which is closed after the job, so that a job cannot leave settings or transactions behind. The
    // connection logs in as the project's owner: a job can return to the login role with `RESET ROLE`, so the login role must not have more
    // rights than the owner.
    let outcome = async {
        let mut connection = database.logins().owner.sqlx_options().connect().await?;
        let outcome = record(&database, &mut connection, &job).await;
        // An error is ignored, because the job may have closed the connection itself.
        drop(connection.close().await);
        outcome
    };
    if let Err(error) = outcome.await {
        tracing::warn!(%error, job.id = job.id, %due_at, "cron: a job of cron.schedule was not started, or its result was not recorded (see error), this run is not repeated");
    }
}

/// Runs the job and records its result in cron.job_run_details.
async fn record(database: &Database, connection: &mut PgConnection, job: &Job) -> sqlx::Result<()> {
    let is_free: bool = sqlx::query_scalar("select pg_try_advisory_lock($1, hashint8($2))")
        .bind(ADVISORY_LOCK_CLASS)
        .bind(job.id)
        .fetch_one(&mut *connection)
        .await?;
    if !is_free {
        // The previous run of the job is still running, so this run is skipped.
        return Ok(());
    }
    let run: i64 = sqlx::query_scalar(
        "insert into cron.job_run_details (jobid, job_pid, database, username, command, status, start_time)
         values ($1, pg_backend_pid(), $2, $3, $4, 'running', clock_timestamp()) returning runid",
    )
    .bind(job.id)
    .bind(&job.database)
    .bind(&job.username)
    .bind(&job.command)
    .fetch_one(&mut *connection)
    .await?;
    let (status, message) = match execute(database, connection, job).await {
        Ok(rows) => ("succeeded", format!("{rows} rows")),
        Err(error) => ("failed", error.to_string()),
    };
    cron_metrics::count_run(status);
    sqlx::query(
        "update cron.job_run_details set status = $2, return_message = $3, end_time = clock_timestamp() where runid = $1",
    )
    .bind(run)
    .bind(status)
    .bind(message)
    .execute(database.owner())
    .await?;
    Ok(())
}

/// Executes the job's SQL in the role that scheduled the job. The project's owner must be a member of this role.
async fn execute(database: &Database, connection: &mut PgConnection, job: &Job) -> sqlx::Result<u64> {
    let refusal: Option<String> = sqlx::query_scalar(
        "select case
             when $1 <> current_database() then 'jobs run in the database ' || current_database() || ' only'
             when not exists (select from pg_roles where rolname = $2) then 'there is no role ' || $2
             when not pg_has_role(cloch.project_owner(), $2, 'member') then 'jobs do not run as ' || $2
         end",
    )
    .bind(&job.database)
    .bind(&job.username)
    .fetch_one(database.admin())
    .await?;
    if let Some(refusal) = refusal {
        return Err(sqlx::Error::Protocol(refusal));
    }
    sqlx::query(
        "select set_config('role', $1, false), set_config('search_path', '\"$user\", public, extensions', false)",
    )
    .bind(&job.username)
    .execute(&mut *connection)
    .await?;
    // The SQL comes from the project's own table `cron.job`, not from a caller.
    Ok(sqlx::raw_sql(AssertSqlSafe(job.command.clone())).execute(connection).await?.rows_affected())
}
