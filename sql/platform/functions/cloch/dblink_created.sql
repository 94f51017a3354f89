-- Event trigger function (CREATE EXTENSION, ALTER EXTENSION): revokes EXECUTE on dblink_connect_u from other roles (cloch.close_dblink).
-- Runs with the rights of its owner, a superuser, because any role may create or update the extension.
create or replace function cloch.dblink_created() returns event_trigger
language plpgsql security definer set search_path = 'pg_catalog', 'pg_temp' as $$
begin
  perform cloch.close_dblink();
end;
$$;
revoke all on function cloch.dblink_created() from public;
