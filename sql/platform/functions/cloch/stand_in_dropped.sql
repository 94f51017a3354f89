-- Event trigger function (DROP EXTENSION): when Cloch's substitute for pg_cron is dropped, deletes its jobs, which would otherwise still
-- run. The server itself drops the substitute to replace it by the real extension. Its own sessions move the jobs instead. Runs with the
-- rights of its owner, a superuser.
create or replace function cloch.stand_in_dropped() returns event_trigger
language plpgsql security definer set search_path = 'pg_catalog', 'pg_temp' as $$
begin
  if not cloch.is_servers_session()
     and exists (select from pg_catalog.pg_event_trigger_dropped_objects()
                  where object_type = 'extension' and object_name = 'pg_cron')
     and exists (select from cloch.stand_ins where extension = 'pg_cron') then
    delete from only cron.job;
    delete from only cron.job_run_details;
  end if;
end;
$$;
revoke all on function cloch.stand_in_dropped() from public;
