-- Makes table cloch.stand_ins: the extensions for which this database has a stand-in.
--
-- Supabase's image contains extensions that other servers lack, and migrations of projects name them. For each of pg_net, pg_cron,
-- supabase_vault, http, pgjwt, pg_graphql, vector and pgmq that is not installed on the server, the files NNNN_stand_in_*.sql make the
-- schema, tables and functions that projects use.
--
-- PostgreSQL refuses `CREATE EXTENSION [IF NOT EXISTS] x` for an extension that is not installed on the server. When Cloch runs a
-- project's migrations:
-- * If x is not in pg_available_extensions, the statement is skipped with a warning. The warning says "stood in for" if cloch.stand_ins
--   has a row for x, otherwise "missing: statements that use it will fail".
-- * If x is available, the statement is executed. If role postgres may not create x (the extension is not trusted), the server's own
--   login executes the statement instead.
-- * `DROP EXTENSION`, `ALTER EXTENSION` and `COMMENT ON EXTENSION` are skipped if the creation of x is skipped.
create table if not exists cloch.stand_ins (
  extension text primary key,
  detail    text not null
);
