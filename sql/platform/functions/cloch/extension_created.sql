-- Event trigger function (CREATE EXTENSION): grants the project's owner and the API roles the rights that Supabase grants on a new
-- extension. These grants are needed because the objects of an extension that a superuser's script creates belong to the superuser. Cloch's
-- substitutes for extensions are skipped. Runs with the rights of its owner, a superuser.
create or replace function cloch.extension_created() returns event_trigger
language plpgsql security definer set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  created text;
  owner_name text := cloch.project_owner();
  connect_function regprocedure;
begin
  for created in
    select e.extname from pg_catalog.pg_event_trigger_ddl_commands() as c
      join pg_catalog.pg_extension as e on c.classid = 'pg_catalog.pg_extension'::regclass and e.oid = c.objid
     where e.extversion <> 'stand-in'
  loop
    case created
      when 'pg_cron' then
        execute format('grant usage on schema cron to %I with grant option', owner_name);
        execute format('grant all on all functions in schema cron to %I with grant option', owner_name);
        execute format('grant all on all sequences in schema cron to %I with grant option', owner_name);
        execute format('grant all on all tables in schema cron to %I with grant option', owner_name);
        -- Jobs may be changed only by functions, because these check the owner of the job.
        execute format('revoke insert, update, delete, truncate, trigger on cron.job from %I', owner_name);
      when 'pg_net' then
        revoke all on all routines in schema net from public;
        execute format('grant usage on schema net to %I, supabase_functions_admin, anon, authenticated, service_role', owner_name);
        execute format('grant execute on all routines in schema net to %I, supabase_functions_admin, anon, authenticated, service_role', owner_name);
        execute format('grant select, delete on all tables in schema net to %I', owner_name);
      when 'supabase_vault' then
        execute format('grant usage on schema vault to %I, service_role', owner_name);
        execute format('grant select, delete, truncate, references on vault.secrets, vault.decrypted_secrets to %I with grant option', owner_name);
        execute format('grant execute on all routines in schema vault to %I with grant option', owner_name);
        grant select, delete on vault.secrets, vault.decrypted_secrets to service_role;
        grant execute on all routines in schema vault to service_role;
      when 'pgmq' then
        execute format('grant all on schema pgmq to %I with grant option', owner_name);
        execute format('grant all on all tables in schema pgmq to %I with grant option', owner_name);
        execute format('grant execute on all routines in schema pgmq to %I with grant option', owner_name);
      when 'pg_graphql' then
        grant usage on schema graphql, graphql_public to postgres, anon, authenticated, service_role;
        grant execute on all routines in schema graphql to postgres, anon, authenticated, service_role;
        create or replace function graphql_public.graphql(
          "operationName" text default null, query text default null,
          variables jsonb default null, extensions jsonb default null
        ) returns jsonb language sql as
        'select graphql.resolve(query := query, variables := coalesce(variables, ''{}''), "operationName" := "operationName", extensions := extensions)';
        grant execute on function graphql_public.graphql(text, text, jsonb, jsonb) to postgres, anon, authenticated, service_role;
      when 'postgis_tiger_geocoder' then
        execute format('grant usage on schema tiger, tiger_data to %I with grant option', owner_name);
        execute format('grant all on all tables in schema tiger, tiger_data to %I with grant option', owner_name);
        execute format('grant all on all routines in schema tiger, tiger_data to %I with grant option', owner_name);
        execute format('grant all on all sequences in schema tiger, tiger_data to %I with grant option', owner_name);
      when 'dblink' then
        -- dblink_connect_u connects with the rights of the database server.
        for connect_function in select oid from pg_catalog.pg_proc where proname = 'dblink_connect_u' loop
          execute format('revoke all on function %s from public', connect_function);
        end loop;
      when 'postgres_fdw' then
        execute format('grant usage on foreign data wrapper postgres_fdw to %I with grant option', owner_name);
      else null;
    end case;
  end loop;
end;
$$;
revoke all on function cloch.extension_created() from public;
