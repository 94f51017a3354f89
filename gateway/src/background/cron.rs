//! Replacement for pg_cron if PostgreSQL lacks the extension: runs the jobs of `cron.schedule`.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use cloch_sql::Database;
use cloch_sql::client::{BatchStatement, ClientError, Connection, DbError, Param, Rows, ScriptOutcome};
use sqlx::Row;
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
    if let Err(error) = record(&database, &job).await {
        tracing::warn!(%error, job.id = job.id, %due_at, "cron: a job of cron.schedule was not started, or its result was not recorded (see error), this run is not repeated");
    }
}

/// Runs the job and records its result in cron.job_run_details.
///
/// Each job has a separate connection, which is closed after the job, so that a job cannot leave settings or transactions behind. The
/// connection logs in as the project's owner: a job can return to the login role with `RESET ROLE`, so the login role must not have more
/// rights than the owner.
async fn record(database: &Database, job: &Job) -> Result<(), ClientError> {
    let mut connection = Connection::open(&database.logins().owner).await?;
    let id = Param::unknown(job.id.to_string());
    let lock = format!("select pg_try_advisory_lock({ADVISORY_LOCK_CLASS}, hashint8($1::bigint))");
    if value(&mut connection, &lock, std::slice::from_ref(&id)).await?.as_deref() != Some("t") {
        // The previous run of the job is still running, so this run is skipped.
        return Ok(());
    }
    let run = value(
        &mut connection,
        "insert into cron.job_run_details (jobid, job_pid, database, username, command, status, start_time)
         values ($1, pg_backend_pid(), $2, $3, $4, 'running', clock_timestamp()) returning runid",
        &[
            id,
            Param::unknown(job.database.clone()),
            Param::unknown(job.username.clone()),
            Param::unknown(job.command.clone()),
        ],
    )
    .await?;
    let (status, message) = match execute(database, &mut connection, job).await {
        Ok(message) => ("succeeded", message),
        Err(message) => ("failed", message),
    };
    cron_metrics::count_run(status);
    let recorded = sqlx::query(
        "update cron.job_run_details set status = $2, return_message = $3, end_time = clock_timestamp() where runid = $1::text::bigint",
    )
    .bind(run)
    .bind(status)
    .bind(message)
    .execute(database.owner())
    .await;
    recorded.map(drop).map_err(|error| ClientError::Lost(error.to_string()))
}

/// Executes a statement and returns its only value.
async fn value(connection: &mut Connection, sql: &str, params: &[Param]) -> Result<Option<String>, ClientError> {
    let mut rows = Rows::default();
    connection.run("", &mut [BatchStatement { sql, params, sink: Some(&mut rows) }]).await?;
    Ok(rows.rows().first().and_then(|row| row.text(0)).map(str::to_owned))
}

/// Executes the job's SQL in the role that scheduled the job. The project's owner must be a member of this role. Returns the text that
/// pg_cron stores as `return_message`, also for an error.
async fn execute(database: &Database, connection: &mut Connection, job: &Job) -> Result<String, String> {
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
    .await
    .map_err(|error| error.to_string())?;
    if let Some(refusal) = refusal {
        return Err(refusal);
    }
    let role = Param::unknown(job.username.clone());
    let settings =
        "select set_config('role', $1, false), set_config('search_path', '\"$user\", public, extensions', false)";
    value(connection, settings, &[role]).await.map_err(|error| failure_text(&error))?;
    // The SQL comes from the project's own table `cron.job`, not from a caller.
    let outcome = connection.run_text(&job.command).await.map_err(|error| failure_text(&error))?;
    match outcome.failure {
        Some(error) => Err(error_text(&error)),
        None => Ok(success_text(&outcome)),
    }
}

/// Returns the number of rows of the last statement, or its command tag if it returns no rows.
fn success_text(outcome: &ScriptOutcome) -> String {
    match outcome.rows {
        Some(1) => "1 row".to_owned(),
        Some(rows) => format!("{rows} rows"),
        None => outcome.tags.last().cloned().unwrap_or_default(),
    }
}

fn failure_text(error: &ClientError) -> String {
    match error {
        ClientError::Db(error) => error_text(error),
        error => error.to_string(),
    }
}

/// Returns an error in the form of psql and of pg_cron.
fn error_text(error: &DbError) -> String {
    let mut text = format!("ERROR:  {}", error.message);
    for (name, further) in [("DETAIL", &error.detail), ("HINT", &error.hint), ("CONTEXT", &error.context)] {
        if let Some(further) = further {
            text.push_str(&format!("\n{name}:  {further}"));
        }
    }
    text
}
