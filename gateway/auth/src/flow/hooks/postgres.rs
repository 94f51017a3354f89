//! Calls auth hooks that are PostgreSQL functions with one argument of type json or jsonb, which return json or jsonb.

use serde_json::{Map, Value};
use sqlx::types::Json;
use sqlx::{AssertSqlSafe, PgConnection, Row};

use crate::error::{AuthError, Context, Result};

/// Calls the PostgreSQL function that `path` names (`<database>/<schema>/<function>`), with a timeout of two seconds. Returns the
/// function's result.
pub(crate) async fn call(tx: &mut PgConnection, path: &str, input: &Map<String, Value>) -> Result<Value> {
    let mut parts = path.split('/').skip(1);
    let (Some(schema), Some(name), None) = (parts.next(), parts.next(), parts.next()) else {
        return Err(AuthError::internal("Error invoking hook", format!("no function in {path:?}")));
    };
    // Loads from the catalog the quoted name of the hook's function, and the type of its argument.
    let found = sqlx::query!(
        r#"select format('%I.%I', n.nspname, p.proname) as "name!",
                  format_type(p.proargtypes[0], null) as "argument!"
           from pg_proc p join pg_namespace n on n.oid = p.pronamespace
           where n.nspname = $1 and p.proname = $2 and p.pronargs = 1
             and p.proargtypes[0] in ('json'::regtype, 'jsonb'::regtype)
           limit 1"#,
        schema,
        name,
    )
    .fetch_optional(&mut *tx)
    .await
    .context("Error invoking hook")?
    .ok_or_else(|| {
        AuthError::internal("Error invoking hook", format!("there is no function {schema}.{name}(jsonb)"))
    })?;
    sqlx::raw_sql("set local statement_timeout = '2s'").execute(&mut *tx).await?;
    let statement = format!("select to_jsonb({}($1::jsonb::{}))", found.name, found.argument);
    let output = sqlx::query(AssertSqlSafe(statement)).bind(Json(input)).fetch_one(&mut *tx).await;
    let output = output.map_err(|error| match error.as_database_error().and_then(|error| error.code()) {
        Some(code) if code == "57014" => AuthError::unprocessable(
            "hook_timeout",
            format!("Failed to reach hook within maximum time of 2.000000 seconds: {schema}.{name}"),
        ),
        _ => AuthError::internal(format!("Error running hook URI: pg-functions://{path}"), error),
    })?;
    sqlx::raw_sql("set local statement_timeout to default").execute(&mut *tx).await?;
    output.try_get::<Option<Value>, _>(0).map(Option::unwrap_or_default).context("Error invoking hook")
}
