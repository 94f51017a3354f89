-- Makes every role that a dump of a Supabase project names as an owner, in a grant or in a policy, with the attributes that Supabase's
-- PostgreSQL image gives it, its memberships and its settings. The server, not this file, sets the passwords of login roles.

\ir ../functions/cloch/attempt.sql
\ir ../functions/cloch/ensure_member.sql
\ir ../functions/cloch/ensure_role.sql
\ir ../functions/cloch/is_existing_role.sql
\ir ../functions/cloch/is_superuser.sql
\ir ../functions/cloch/note.sql
\ir ../functions/cloch/project_owner.sql

-- Two databases of one cluster may be started at the same time, and roles belong to the cluster. The lock serialises the creation of
-- roles.
select cloch.attempt('lock table pg_catalog.pg_authid in share row exclusive mode');
select cloch.ensure_role('supabase_admin', 'login', 'createdb', 'createrole', 'replication', 'bypassrls');
select cloch.ensure_role('postgres', 'login', 'createdb', 'createrole', 'replication', 'bypassrls');

-- Makes role cloch_owner on a managed server whose role postgres cannot be used. Elsewhere the project's owner is postgres, which
-- exists already.
select cloch.ensure_role(cloch.project_owner(), 'nologin', 'createdb', 'createrole');
select cloch.ensure_role('anon', 'nologin');
select cloch.ensure_role('authenticated', 'nologin');
select cloch.ensure_role('service_role', 'nologin', 'bypassrls');
select cloch.ensure_role('authenticator', 'login', 'noinherit');
select cloch.ensure_role('supabase_auth_admin', 'login', 'noinherit', 'createrole');
select cloch.ensure_role('supabase_storage_admin', 'login', 'noinherit', 'createrole');
select cloch.ensure_role('supabase_realtime_admin', 'nologin', 'noinherit');
select cloch.ensure_role('supabase_functions_admin', 'login', 'noinherit', 'createrole');
select cloch.ensure_role('supabase_replication_admin', 'login', 'replication');
select cloch.ensure_role('supabase_read_only_user', 'login', 'bypassrls');
select cloch.ensure_role('supabase_etl_admin', 'login', 'replication', 'bypassrls');
select cloch.ensure_role('supabase_privileged_role', 'nologin');
select cloch.ensure_role('dashboard_user', 'nologin', 'createdb', 'createrole', 'replication');
select cloch.ensure_role('pgbouncer', 'login');

-- Dumps of old Supabase images with pgsodium name the three roles in grants.
select cloch.ensure_role('pgsodium_keyiduser', 'nologin');
select cloch.ensure_role('pgsodium_keyholder', 'nologin');
select cloch.ensure_role('pgsodium_keymaker', 'nologin');
select cloch.ensure_member('authenticator', '', 'anon', 'authenticated', 'service_role');
select cloch.ensure_member('supabase_etl_admin', '', 'pg_read_all_data');

-- The project's migrations run as the project's owner, usually role postgres. They create policies on storage.objects, triggers on
-- auth.users, and functions in the platform's schemas. Supabase permits this without ownership through a C extension (supautils).
-- PostgreSQL itself requires membership in the owners of the tables, which Supabase's images before 2025 granted as well. The
-- difference from Supabase: here postgres may also alter or drop the tables.
select cloch.ensure_member(cloch.project_owner(), '',
  'supabase_auth_admin', 'supabase_storage_admin', 'supabase_realtime_admin',
  'supabase_functions_admin', 'supabase_privileged_role',
  'pg_monitor', 'pg_read_all_data', 'pg_signal_backend');

select cloch.ensure_member(cloch.project_owner(), 'with admin option', 'anon', 'authenticated');

-- Makes service_role bypass row-level security, and lets supabase_storage_admin switch to the API roles.
do $$
begin
  if (select rolbypassrls or rolsuper from pg_catalog.pg_roles where rolname = 'service_role') then
    perform cloch.ensure_member(cloch.project_owner(), 'with admin option', 'service_role');
    perform cloch.ensure_member('supabase_storage_admin', '',
      'authenticator', 'anon', 'authenticated', 'service_role');
  else
    -- Only a superuser can grant BYPASSRLS. Row-level security does not apply to the owner of a table or to a member of the owner
    -- either: service_role becomes a member of the project's owner instead.
    perform cloch.note('service_role', 'BYPASSRLS is not available here: service_role passes row security as a member of the tables'' owner');
    perform cloch.ensure_member('service_role', '', cloch.project_owner());
    perform cloch.ensure_member('supabase_storage_admin', '', 'anon', 'authenticated');
  end if;
end;
$$;

-- Many migrations contain `alter role authenticator set pgrst.…`. From PostgreSQL 16 on, the statement requires the ADMIN option on the
-- role. The option is granted without INHERIT and SET, so that the project's owner does not get the rights of authenticator.
do $$
begin
  if current_setting('server_version_num')::int >= 160000 then
    perform cloch.ensure_member(cloch.project_owner(), 'with admin true, inherit false, set false', 'authenticator');
  end if;
end;
$$;

-- Sets the search paths and timeouts of roles as in Supabase's image.
do $$
declare
  setting text;
begin
  foreach setting in array array[
    'supabase_admin set search_path = "$user", public, auth, extensions',
    'postgres set search_path = "$user", public, extensions',
    'anon set statement_timeout = ''3s''',
    'authenticated set statement_timeout = ''8s''',
    'authenticator set statement_timeout = ''8s''',
    'authenticator set lock_timeout = ''8s''',
    -- Errors of callers' statements are returned to the caller and not logged. Otherwise callers could fill the server's log, and the
    -- log would contain their data: values, keys, addresses.
    'authenticator set log_min_messages = log',
    'supabase_auth_admin set search_path = auth',
    'supabase_auth_admin set idle_in_transaction_session_timeout = 60000',
    'supabase_storage_admin set search_path = storage',
    'supabase_functions_admin set search_path = supabase_functions'
  ] loop
    perform cloch.attempt('alter role ' || setting);
  end loop;
end;
$$;

-- Lets role postgres, which is no superuser, set parameters that migrations and dumps set, for example `alter role authenticator set
-- pgrst.server_timing_enabled = 'true'`. A role postgres of another program keeps its rights.
do $$
declare
  parameter text;
begin
  if not cloch.is_superuser() or cloch.is_existing_role('postgres') then
    return;
  end if;
  foreach parameter in array array[
    'session_replication_role', 'log_min_duration_statement', 'log_statement',
    'log_min_messages', 'track_functions', 'safeupdate.enabled',
    'pgrst.db_schemas', 'pgrst.db_extra_search_path', 'pgrst.db_max_rows',
    'pgrst.db_pre_request', 'pgrst.db_aggregates_enabled', 'pgrst.db_plan_enabled',
    'pgrst.db_tx_end', 'pgrst.db_root_spec', 'pgrst.db_hoisted_tx_settings',
    'pgrst.openapi_mode', 'pgrst.openapi_server_proxy_uri',
    'pgrst.server_cors_allowed_origins', 'pgrst.server_timing_enabled', 'pgrst.server_trace_header',
    'app.settings.jwt_secret', 'app.settings.jwt_exp',
    'app.settings.supabase_url', 'app.settings.service_role_key'
  ] loop
    perform cloch.attempt(format('grant set on parameter %I to postgres', parameter));
  end loop;
end;
$$;

-- Makes sessions of supabase_read_only_user read-only. On a database that another program made (cloch.attached exists), the role keeps
-- its settings.
do $$
begin
  if to_regclass('cloch.attached') is null then
    perform cloch.attempt('alter role supabase_read_only_user set default_transaction_read_only = on');
  end if;
end;
$$;
