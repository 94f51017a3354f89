-- Makes schema auth, part 4 of 4: row-level security and grants of its tables. The functions for policies, such as auth.uid(), are in
-- functions/auth.

set local role supabase_auth_admin;

do $$
declare
  table_name text;
begin
  -- Row-level security without policies: the API roles read no rows of the tables, even if a project grants SELECT to them.
  foreach table_name in array array[
    'schema_migrations', 'instances', 'users', 'audit_log_entries', 'saml_relay_states',
    'refresh_tokens', 'mfa_factors', 'sessions', 'sso_providers', 'sso_domains',
    'mfa_challenges', 'mfa_amr_claims', 'saml_providers', 'flow_state', 'identities',
    'one_time_tokens'
  ] loop
    -- On a database that another program made, existing tables stay as they are.
    continue when ('auth.' || table_name) = any (string_to_array(current_setting('cloch.existing_tables', true), ','));
    execute format('alter table auth.%I enable row level security', table_name);
    execute format('grant select on auth.%I to postgres with grant option', table_name);
  end loop;
end;
$$;

-- The default privileges of 0003_schemas.sql cover objects that supabase_auth_admin creates. On a managed server another login may have
-- created the tables, so the rights are granted here as well.
grant all on all tables in schema auth to postgres, dashboard_user;
grant all on all sequences in schema auth to postgres, dashboard_user;
grant all on all routines in schema auth to postgres, dashboard_user;
revoke all on auth.schema_migrations from dashboard_user;

reset role;
