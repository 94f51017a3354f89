-- Whether read-only SQL has no access to a schema. Read-only SQL (/v1, /mcp, the dashboard and `cloch why`) reads the project, but no
-- secrets.
--
-- On Supabase, the login supabase_read_only_user is a member of pg_read_all_data. This membership has no exceptions: the login reads the
-- server's own tables, the vault, and tokens with which a user's session could be continued. In Cloch, the login has SELECT on each
-- relation separately instead. cloch.let_reader_read grants SELECT on new relations before each of the login's sessions. Only Cloch's own
-- login may call the function.
create or replace function cloch.is_closed_to_reader(schema_name name) returns boolean
language sql immutable set search_path = 'pg_catalog', 'pg_temp' as $$
  select schema_name ~ '^pg_'
      or schema_name in ('cloch', 'vault', 'pgsodium', 'pgsodium_masks', 'pgbouncer', '_realtime', '_analytics', '_supavisor',
                         'information_schema')
$$;
revoke execute on function cloch.is_closed_to_reader(name) from public;
