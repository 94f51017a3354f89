//! Builds the settings of a request's transaction: search path, role, claims, and request details for SQL functions.

use std::collections::BTreeMap;

use http::header;
use http::request::Parts;

use super::builder::{Sql, ident_list};
use crate::Settings;
use crate::plan::{RowsPlan, Source};
use crate::request::{ApiRequest, cookies};
use cloch_sql::caller::{Caller, ClientAddress};
use cloch_sql::schema_cache::{Name, SchemaCache};

/// Builds the statement that sets all settings of the transaction. The values that `set_config` returns are not needed, so the statement
/// returns no row. `num_nulls` ensures that PostgreSQL evaluates each call.
#[must_use]
pub fn transaction_settings(
    caller: &Caller,
    parts: &Parts,
    request: &ApiRequest,
    plan: Option<&RowsPlan>,
    schema_cache: &SchemaCache,
    settings: &Settings,
) -> Sql {
    let mut sql = Sql::with_room();
    sql.push("select where num_nulls(");
    let schemas = std::iter::once(&request.schema).chain(&settings.extra_search_path).map(String::as_str);
    set(&mut sql, "search_path", ident_list(schemas));
    // The settings of the caller's role are set before the role, because the login role may set parameters that the caller's role may not
    // set.
    let role_settings = schema_cache.roles.get(caller.role()).map(|role| role.settings.as_slice());
    for (name, value) in role_settings.unwrap_or_default() {
        set_any(&mut sql, name, value);
    }
    set(&mut sql, "role", caller.role().to_owned());
    set(&mut sql, "request.jwt.claims", caller.claims_json().to_owned());
    set(&mut sql, "request.method", parts.method.as_str().to_owned());
    set(&mut sql, "request.path", parts.uri.path().to_owned());
    set(&mut sql, "request.headers", headers(parts));
    set(&mut sql, "request.cookies", serde_json::to_string(&cookies(&parts.headers)).unwrap_or_default());
    if let Some(timezone) = request.preferences.timezone_setting() {
        set(&mut sql, "timezone", timezone);
    }
    if let Some(RowsPlan { source: Source::Call(_, call), .. }) = plan {
        for (name, value) in &call.function.settings {
            set_any(&mut sql, name, value);
        }
    }
    for (name, value) in &settings.app_settings {
        set_any(&mut sql, name, value);
    }
    if plan.is_none_or(|plan| plan.read_only) {
        // PostgREST begins a read-only transaction for reads. This setting has the same effect without a separate statement.
        set(&mut sql, "transaction_read_only", "on".to_owned());
    } else if let Some(address) = ClientAddress::of_request(parts) {
        // Triggers use the client's network to count the rows that unknown clients write. Request headers cannot be trusted for this
        // purpose.
        set(&mut sql, "cloch.network", address.network());
    }
    sql.push(") > 0");
    sql
}

fn set(sql: &mut Sql, name: &'static str, value: String) {
    if !sql.params.is_empty() {
        sql.push(", ");
    }
    sql.push("set_config('").push(name).push("', ").bind(value).push(", true)");
}

fn set_any(sql: &mut Sql, name: &str, value: &str) {
    sql.push(", set_config(").bind(name.to_owned()).push(", ").bind(value.to_owned()).push(", true)");
}

/// Returns the request headers as a JSON object, without cookies.
fn headers(parts: &Parts) -> String {
    let mut object = BTreeMap::new();
    for (name, value) in &parts.headers {
        if name != header::COOKIE {
            object.insert(name.as_str(), String::from_utf8_lossy(value.as_bytes()));
        }
    }
    serde_json::to_string(&object).unwrap_or_default()
}

/// Returns an SQL expression for the value of a setting. The expression is NULL if the setting is unset or empty.
pub(super) fn current_setting(name: &str) -> String {
    format!("nullif(current_setting('{name}', true), '')")
}

/// Builds the statement that calls the pre-request function.
#[must_use]
pub fn pre_request(function: &Name) -> Sql {
    let mut sql = Sql::default();
    sql.push("select ").name(function).push("()");
    sql
}
