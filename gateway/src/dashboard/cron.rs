//! `/cron`: jobs of `cron.schedule` and their runs. These endpoints only read; the dashboard changes jobs with SQL statements that the
//! operator sees before they run.

use axum::Json;
use axum::extract::State;
use axum::routing::on;
use chrono::Utc;
use serde::Deserialize;
use serde_json::{Value, json};

use super::extract::{At, Params};
use super::operator::Operator;
use super::route::{Access, Method, Role, Route};
use super::{ApiError, DashboardState};
use crate::background::cron_schedule::Schedule;

const MAX_JOBS: i64 = 500;
const MAX_RUNS: i64 = 500;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Method::Get, "/cron", "cron.list", "Scheduled jobs", Access::VIEWER, |method| on(method, list)),
    Route::new(Method::Get, "/cron/{id}/runs", "cron.runs", "How a job ran", Access::VIEWER, |method| on(method, runs)),
];

const JOBS: &str = "
    select coalesce(jsonb_agg(job order by job -> 'id'), '[]') from (
      select jsonb_build_object('id', j.jobid, 'name', j.jobname, 'schedule', j.schedule,
               'command', case when $2 then j.command end,
               'database', j.database, 'username', j.username, 'active', j.active,
               'last_run', (select jsonb_build_object('status', d.status, 'started_at', d.start_time, 'ended_at', d.end_time,
                                    'message', case when $2 then left(d.return_message, 2000) end)
                              from cron.job_run_details as d where d.jobid = j.jobid order by d.runid desc limit 1)) as job
        from cron.job as j order by j.jobid limit $1) as listed";

/// Whether the database has the extension `pg_cron`, or Cloch's SQL that replaces the extension.
async fn is_available(state: &DashboardState) -> sqlx::Result<bool> {
    sqlx::query_scalar("select to_regclass('cron.job') is not null and to_regclass('cron.job_run_details') is not null")
        .fetch_one(state.database.admin())
        .await
}

/// Whether the operator may see commands and result messages of jobs. Viewers (operators with the role viewer) may not see them, because
/// commands contain HTTP headers and keys.
fn sees_commands(operator: &Operator) -> bool {
    operator.role >= Role::Developer
}

async fn list(State(state): State<DashboardState>, operator: Operator) -> Result<Json<Value>, ApiError> {
    if !is_available(&state).await? {
        return Ok(Json(json!({ "available": false, "jobs": [] })));
    }
    let jobs = sqlx::query_scalar(JOBS).bind(MAX_JOBS).bind(sees_commands(&operator));
    let mut jobs: Value = jobs.fetch_one(state.database.admin()).await?;
    jobs.as_array_mut().into_iter().flatten().for_each(add_next_run);
    Ok(Json(json!({ "available": true, "jobs": jobs })))
}

/// Adds the time of the next run to the JSON of a job: `null` for an inactive job. Schedules are interpreted in UTC. pg_cron also uses UTC
/// unless `cron.timezone` is set.
fn add_next_run(job: &mut Value) {
    let is_active = job.get("active").and_then(Value::as_bool).unwrap_or(false);
    let schedule = job.get("schedule").and_then(Value::as_str).filter(|_| is_active).and_then(Schedule::parse);
    let next = schedule.and_then(|schedule| schedule.next(Utc::now()));
    if let Some(fields) = job.as_object_mut() {
        fields.insert("next_run_at".to_owned(), json!(next));
    }
}

#[derive(Deserialize)]
struct JobRequest {
    limit: Option<i64>,
}

async fn runs(
    State(state): State<DashboardState>,
    operator: Operator,
    At(id): At<i64>,
    Params(asked): Params<JobRequest>,
) -> Result<Json<Value>, ApiError> {
    if !is_available(&state).await? {
        return Err(ApiError::not_found("This database has no scheduled jobs"));
    }
    let runs: Vec<Value> = sqlx::query_scalar(
        "select jsonb_build_object('id', runid, 'status', status, 'started_at', start_time, 'ended_at', end_time,
                  'message', case when $3 then left(return_message, 2000) end)
           from cron.job_run_details where jobid = $1 order by runid desc limit $2",
    )
    .bind(id)
    .bind(asked.limit.unwrap_or(50).clamp(1, MAX_RUNS))
    .bind(sees_commands(&operator))
    .fetch_all(state.database.admin())
    .await?;
    Ok(Json(json!({ "runs": runs })))
}
