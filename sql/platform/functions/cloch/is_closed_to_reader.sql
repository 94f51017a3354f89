-- What read-only SQL reads (of /v1, /mcp, the dashboard and `cloch why`): the project, and no secrets.
--
-- On Supabase its login is a member of pg_read_all_data. PostgreSQL makes no exceptions from that one: it reads this server's own tables,
-- the vault, and what continues a user's session. Here the login has SELECT on each relation instead, and is granted what is new before
-- a session of it begins.

-- The schemas of which it reads nothing.
create or replace function cloch.is_closed_to_reader(schema_name name) returns boolean
language sql immutable set search_path = '' as $$
  select schema_name ~ '^pg_'
      or schema_name in ('cloch', 'vault', 'pgsodium', 'pgsodium_masks', 'pgbouncer', '_realtime', '_analytics', '_supavisor',
                         'information_schema')
$$;
revoke execute on function cloch.is_closed_to_reader(name) from public;
