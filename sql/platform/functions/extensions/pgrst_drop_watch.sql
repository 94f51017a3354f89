-- Event trigger function (sql_drop): notifies the table REST that objects were dropped. The table REST then reloads its schema cache.
-- Temporary objects and objects of the platform's schemas auth, storage, realtime, _realtime and cloch are ignored.
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
