-- Stand-ins for extensions.
--
-- Supabase's image has extensions that other servers lack, and projects'
-- migrations name them. For each of pg_net, pg_cron, supabase_vault, http, pgjwt,
-- pg_graphql, vector and pgmq that is not installed on the server, the
-- files stand_in_* make the schema, tables and functions that projects call.
--
-- The runner of a project's migrations treats `CREATE EXTENSION [IF NOT EXISTS] x`
-- as follows; PostgreSQL itself would stop at it:
--   * x is not in pg_available_extensions: the statement is skipped with a warning
--     that says "stood in for" when cloch.stand_ins has a row for x, and
--     "missing: statements that use it will fail" when it has none.
--   * x is available: the statement runs; where the role postgres may not create
--     it (extension not trusted), it runs as the server's own login instead.
--   * `DROP EXTENSION`, `ALTER EXTENSION` and `COMMENT ON EXTENSION` of an x that
--     is skipped are skipped as well.
create table if not exists cloch.stand_ins (
  extension text primary key,
  detail    text not null
);
