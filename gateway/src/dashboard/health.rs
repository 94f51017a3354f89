//! `/health`: data for the dashboard's start page: the state of replication, and the number of outgoing HTTP requests in the last hour.

use axum::Json;
use axum::extract::State;
use axum::routing::on;
use serde_json::{Value, json};

use super::route::{Access, Method, Route};
use super::{ApiError, DashboardState};

pub(super) const ROUTES: &[Route] = &[Route::new(
    Method::Get,
    "/health",
    "health.show",
    "Replication, and the outgoing HTTP requests of the last hour",
    Access::VIEWER,
    |method| on(method, show),
)
// The start page requests this endpoint repeatedly.
.repeated()];

/// SQL query for standbys and replication slots. A connection that reads a logical slot is listed as a slot and not as a standby; a base
/// backup is not listed. The name and state of a standby are null if the login may not read statistics of other logins.
const REPLICATION: &str = "
    select jsonb_build_object(
      'standbys', (
        select coalesce(jsonb_agg(jsonb_build_object(
                 'name', r.application_name, 'state', r.state, 'lag_seconds', extract(epoch from r.replay_lag)::float8)
                 order by r.application_name), '[]')
          from pg_stat_replication as r
         where r.state is distinct from 'backup'
           and not exists (select from pg_replication_slots as s where s.active_pid = r.pid and s.slot_type = 'logical')),
      'slots', (
        select coalesce(jsonb_agg(jsonb_build_object(
                 'name', slot_name, 'active', active,
                 'retained_bytes', case when not pg_is_in_recovery()
                                        then pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint end)
                 order by slot_name), '[]')
          from pg_replication_slots where not temporary))";

/// SQL query that returns whether the schema `net` (pg_net, or the platform SQL that replaces it) exists and the login may
/// read its tables.
const HAS_NET: &str = "
    select coalesce(has_table_privilege(to_regclass('net.http_request_queue'), 'select'), false)
       and coalesce(has_table_privilege(to_regclass('net._http_response'), 'select'), false)";

/// SQL query that counts outgoing requests of webhooks and of `net.http_post`. Responses are deleted after a few hours, so
/// the query reads few rows.
const REQUESTS: &str = "
    select jsonb_build_object(
             'waiting', (select count(*) from net.http_request_queue), 'done', count(*),
             'failed', count(*) filter (where failed), 'last_failed_at', max(created) filter (where failed))
      from (select created, coalesce(timed_out, false) or error_msg is not null or coalesce(status_code, 0) >= 400 as failed
              from net._http_response where created > now() - interval '1 hour') as responses";

async fn show(State(state): State<DashboardState>) -> Result<Json<Value>, ApiError> {
    let pool = state.database.admin();
    let replication: Value = sqlx::query_scalar(REPLICATION).fetch_one(pool).await?;
    let has_net: bool = sqlx::query_scalar(HAS_NET).fetch_one(pool).await?;
    let requests: Option<Value> = match has_net {
        true => Some(sqlx::query_scalar(REQUESTS).fetch_one(pool).await?),
        false => None,
    };
    Ok(Json(json!({ "replication": replication, "requests": requests })))
}
