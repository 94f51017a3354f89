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

-- True when the stand-in is wanted: the extension can neither be found here nor installed.
create or replace function cloch.stand_in_wanted(extension_name text, detail text) returns boolean
language plpgsql set search_path = '' as $$
begin
  if exists (select from pg_catalog.pg_available_extensions where name = extension_name) then
    return false;
  end if;
  insert into cloch.stand_ins (extension, detail)
  values (extension_name, stand_in_wanted.detail)
  on conflict (extension) do update set detail = excluded.detail;
  perform cloch.note('extension ' || extension_name, 'not installed: ' || stand_in_wanted.detail);
  return true;
end;
$$;
