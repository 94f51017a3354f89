-- Makes the event triggers that reload the table REST's schema cache after changes of definitions. Only a superuser can create event
-- triggers. Without them the server reloads the cache after its own migrations and on `notify pgrst, 'reload schema'`.

\ir ../functions/extensions/pgrst_ddl_watch.sql
\ir ../functions/extensions/pgrst_drop_watch.sql

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
