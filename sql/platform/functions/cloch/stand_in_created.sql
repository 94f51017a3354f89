-- Event trigger function (CREATE EXTENSION, ALTER EXTENSION): moves Cloch's substitute for pgvector to the schema of the extension. After
-- `create extension vector with schema public`, for example, the type is public.vector. Runs with the rights of its owner, a superuser.
create or replace function cloch.stand_in_created() returns event_trigger
language plpgsql security definer set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  target name;
begin
  select n.nspname into target
    from pg_catalog.pg_event_trigger_ddl_commands() as c
    join pg_catalog.pg_extension as e on c.classid = 'pg_catalog.pg_extension'::regclass and e.oid = c.objid
    join pg_catalog.pg_namespace as n on n.oid = e.extnamespace
   where e.extname = 'vector' and e.extversion = 'stand-in';
  if target is not null then
    perform cloch.place_stand_in_vector(target);
  end if;
end;
$$;
revoke all on function cloch.stand_in_created() from public;
