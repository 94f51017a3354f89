//! Lists tables and extensions of the database, from PostgreSQL's catalog.

use serde_json::Value;
use sqlx::PgPool;

use crate::project::ProjectError;

/// SQL query that returns all tables, without their partitions, as one JSON value. `$1`: schemas; `$2`: whether the result contains columns,
/// constraints and policies.
const TABLES: &str = r"
select coalesce(jsonb_agg(jsonb_build_object(
    'name', format('%s.%s', n.nspname, c.relname),
    'kind', case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table' else 'table' end,
    'rls_enabled', c.relrowsecurity,
    'rows', greatest(c.reltuples, 0)::bigint,
    'comment', obj_description(c.oid, 'pg_class')
  ) || case when $2 then jsonb_build_object(
    'columns', (
      select coalesce(jsonb_agg(jsonb_build_object(
          'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'nullable', not a.attnotnull,
          'default', pg_get_expr(d.adbin, d.adrelid), 'comment', col_description(c.oid, a.attnum)) order by a.attnum), '[]')
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
    'constraints', (
      select coalesce(jsonb_agg(jsonb_build_object('name', k.conname, 'definition', pg_get_constraintdef(k.oid))
          order by k.contype desc, k.conname), '[]')
      from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'f', 'u', 'c')),
    'policies', (
      select coalesce(jsonb_agg(jsonb_build_object('name', p.policyname, 'command', p.cmd, 'roles', p.roles,
          'using', p.qual, 'check', p.with_check) order by p.policyname), '[]')
      from pg_policies p where p.schemaname = n.nspname and p.tablename = c.relname)
  ) else '{}' end order by n.nspname, c.relname), '[]')
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = any ($1) and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition";

const EXTENSIONS: &str = r"
select coalesce(jsonb_agg(jsonb_build_object(
    'name', a.name, 'installed_version', e.extversion, 'default_version', a.default_version,
    'schema', n.nspname, 'comment', a.comment) order by a.name), '[]')
from pg_available_extensions a
left join pg_extension e on e.extname = a.name
left join pg_namespace n on n.oid = e.extnamespace";

pub(super) async fn tables(pool: &PgPool, schemas: &[String], verbose: bool) -> Result<Value, ProjectError> {
    let mut transaction = cloch_sql::transaction::begin(pool).await?;
    // An empty search_path makes PostgreSQL print the functions in expressions with their schema.
    sqlx::query("select set_config('search_path', '', true)").execute(&mut *transaction).await?;
    Ok(sqlx::query_scalar(TABLES).bind(schemas).bind(verbose).fetch_one(&mut *transaction).await?)
}

pub(super) async fn extensions(pool: &PgPool) -> Result<Value, ProjectError> {
    Ok(sqlx::query_scalar(EXTENSIONS).fetch_one(pool).await?)
}
