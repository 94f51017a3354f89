-- The role of Cloch's own work on a cluster of its own, and its rights. A member of the project's owner, it may do what that
-- one may; beside that it works on schema cloch and on what the platform's files gave to the superuser.
do $$
declare
  schema_name name;
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'cloch_server') then
    create role cloch_server;
  end if;
  alter role cloch_server with login inherit replication bypassrls nosuperuser nocreaterole nocreatedb;
  alter role cloch_server set search_path = '$user', public, auth, extensions;
  grant postgres to cloch_server;

  for schema_name in
    select nspname from pg_catalog.pg_namespace
     where nspname in ('cloch', 'auth', 'storage', 'realtime', '_realtime', 'cron', 'net', 'vault', 'pgmq',
                       'supabase_functions', 'supabase_migrations')
  loop
    execute pg_catalog.format('grant usage on schema %I to cloch_server', schema_name);
    execute pg_catalog.format('grant all on all tables in schema %I to cloch_server', schema_name);
    execute pg_catalog.format('grant all on all sequences in schema %I to cloch_server', schema_name);
    execute pg_catalog.format('grant execute on all routines in schema %I to cloch_server', schema_name);
  end loop;
  -- An import runs as the project's owner, and notes that no seed is wanted.
  if pg_catalog.to_regclass('cloch.state') is not null then
    grant insert, update on cloch.state to postgres;
  end if;
  execute pg_catalog.format('grant connect, temporary on database %I to cloch_server', pg_catalog.current_database());
end;
$$;
