-- Who is calling, for policies: auth.uid(), auth.role(), auth.email(), auth.jwt().
-- The claims stand in request.jwt.claims; the older one-setting-a-claim form
-- wins where it is set, as upstream reads them.

set local role supabase_auth_admin;

do $$
declare
  table_name text;
begin
  -- Without policies: the API roles see nothing of auth even where someone grants it.
  foreach table_name in array array[
    'schema_migrations', 'instances', 'users', 'audit_log_entries', 'saml_relay_states',
    'refresh_tokens', 'mfa_factors', 'sessions', 'sso_providers', 'sso_domains',
    'mfa_challenges', 'mfa_amr_claims', 'saml_providers', 'flow_state', 'identities',
    'one_time_tokens'
  ] loop
    execute format('alter table auth.%I enable row level security', table_name);
    execute format('grant select on auth.%I to postgres with grant option', table_name);
  end loop;
end;
$$;

-- The tables above were made before these default privileges covered them where
-- the creator is another login.
grant all on all tables in schema auth to postgres, dashboard_user;
grant all on all sequences in schema auth to postgres, dashboard_user;
grant all on all routines in schema auth to postgres, dashboard_user;
revoke all on auth.schema_migrations from dashboard_user;

reset role;
