-- Event trigger function (ddl_command_end): notifies the table REST that definitions have changed. The table REST then reloads its schema
-- cache. Changes of temporary objects and of the platform's schemas auth, storage, realtime, _realtime and cloch are ignored.
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
