-- Makes the schemas that a Supabase project expects, and sets who may use them and which rights new objects in them grant by default.

\ir ../functions/cloch/ensure_schema.sql

-- Lets the project's owner and the service roles of auth, storage and webhooks create schemas in the database.
do $$
declare
  database_name text := current_database();
  owner_name text;
begin
  select pg_catalog.pg_get_userbyid(datdba) into owner_name
    from pg_catalog.pg_database where datname = database_name;
  -- Role postgres owns the database and, as its owner, schema public.
  if cloch.is_superuser() and owner_name = 'supabase_admin' then
    execute format('alter database %I owner to postgres', database_name);
  end if;
  perform cloch.attempt(format('grant all on database %I to %I, dashboard_user', database_name, cloch.project_owner()));
  perform cloch.attempt(format(
    'grant create on database %I to supabase_auth_admin, supabase_storage_admin, supabase_functions_admin',
    database_name));
end;
$$;

select cloch.ensure_schema('extensions', cloch.project_owner());
create schema if not exists auth authorization supabase_admin;
create schema if not exists storage authorization supabase_admin;
create schema if not exists realtime authorization supabase_admin;
create schema if not exists _realtime authorization supabase_admin;
create schema if not exists graphql authorization supabase_admin;
create schema if not exists graphql_public authorization supabase_admin;
create schema if not exists supabase_functions authorization supabase_admin;
select cloch.ensure_schema('supabase_migrations', cloch.project_owner());
create schema if not exists pgbouncer authorization pgbouncer;

grant usage on schema public, extensions, auth, storage, realtime, graphql, graphql_public
  to anon, authenticated, service_role;

-- The grant option lets the project's owner grant the schemas to roles that the project creates.
do $$
begin
  execute format('grant usage on schema public, extensions, auth, storage, realtime, graphql, graphql_public
                    to %I with grant option', cloch.project_owner());
  perform cloch.attempt(format('grant all on schema public to %I, supabase_admin', cloch.project_owner()));
end;
$$;

grant all on schema auth to supabase_auth_admin, dashboard_user;
grant all on schema storage to supabase_storage_admin, dashboard_user;
grant all on schema realtime, _realtime to supabase_realtime_admin, dashboard_user;
grant all on schema extensions to supabase_admin, dashboard_user;
grant usage on schema extensions to supabase_auth_admin, supabase_storage_admin;
grant all on schema supabase_functions to supabase_functions_admin;
grant usage on schema supabase_functions to postgres, anon, authenticated, service_role;

-- Tables, sequences and functions that are created later in schemas auth and realtime are accessible to postgres and dashboard_user.
alter default privileges for role supabase_auth_admin in schema auth
  grant all on tables to postgres, dashboard_user;

alter default privileges for role supabase_auth_admin in schema auth
  grant all on sequences to postgres, dashboard_user;

alter default privileges for role supabase_auth_admin in schema auth
  grant all on routines to postgres, dashboard_user;

alter default privileges for role supabase_admin in schema realtime
  grant all on tables to postgres, dashboard_user;

alter default privileges for role supabase_admin in schema realtime
  grant all on sequences to postgres, dashboard_user;

alter default privileges for role supabase_admin in schema realtime
  grant all on routines to postgres, dashboard_user;

-- As on Supabase, the API roles get all rights on a new table of schema public at once. Row-level security is what protects the table.
do $$
declare
  creator text;
  schema_name text;
  kind text;
begin
  foreach creator in array array['supabase_admin', cloch.project_owner()] loop
    foreach schema_name in array array['public', 'storage', 'graphql', 'graphql_public', 'supabase_functions'] loop
      foreach kind in array array['tables', 'sequences', 'routines'] loop
        execute format(
          'alter default privileges for role %I in schema %I grant all on %s to postgres, anon, authenticated, service_role',
          creator, schema_name, kind);
      end loop;
    end loop;
  end loop;
end;
$$;
