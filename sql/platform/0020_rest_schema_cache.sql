-- Tells the table REST to read the catalog again when a definition changes.

create or replace function extensions.pgrst_ddl_watch() returns event_trigger
language plpgsql as $$
declare
  command record;
begin
  for command in select * from pg_catalog.pg_event_trigger_ddl_commands() loop
    if command.schema_name is distinct from 'pg_temp'
       and coalesce(command.schema_name, '') <> all (array['auth', 'storage', 'realtime', '_realtime', 'cloch'])
       and command.command_tag in (
         'CREATE SCHEMA', 'ALTER SCHEMA',
         'CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE',
         'CREATE FOREIGN TABLE', 'ALTER FOREIGN TABLE',
         'CREATE VIEW', 'ALTER VIEW',
         'CREATE MATERIALIZED VIEW', 'ALTER MATERIALIZED VIEW',
         'CREATE FUNCTION', 'ALTER FUNCTION', 'CREATE PROCEDURE', 'ALTER PROCEDURE',
         'CREATE TRIGGER', 'CREATE TYPE', 'ALTER TYPE', 'CREATE DOMAIN', 'ALTER DOMAIN',
         'CREATE RULE', 'COMMENT', 'GRANT', 'REVOKE')
    then
      notify pgrst, 'reload schema';
      return;
    end if;
  end loop;
end;
$$;

create or replace function extensions.pgrst_drop_watch() returns event_trigger
language plpgsql as $$
declare
  dropped record;
begin
  for dropped in select * from pg_catalog.pg_event_trigger_dropped_objects() loop
    if dropped.object_type in (
         'schema', 'table', 'foreign table', 'view', 'materialized view', 'function',
         'procedure', 'trigger', 'type', 'domain', 'rule')
       and not dropped.is_temporary
       and coalesce(dropped.schema_name, '') <> all (array['auth', 'storage', 'realtime', '_realtime', 'cloch'])
    then
      notify pgrst, 'reload schema';
      return;
    end if;
  end loop;
end;
$$;

-- Only a superuser creates event triggers. Without them the server reloads after
-- its own migrations and on `notify pgrst, 'reload schema'`.
do $$
begin
  if not exists (select from pg_catalog.pg_event_trigger where evtname = 'pgrst_ddl_watch') then
    perform cloch.attempt(
      'create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch()',
      'the table REST sees changed definitions after `notify pgrst, ''reload schema''` only');
  end if;
  if not exists (select from pg_catalog.pg_event_trigger where evtname = 'pgrst_drop_watch') then
    perform cloch.attempt(
      'create event trigger pgrst_drop_watch on sql_drop execute function extensions.pgrst_drop_watch()');
  end if;
end;
$$;
