-- Who is calling, for policies: auth.uid(), auth.role(), auth.email(), auth.jwt().
-- The claims stand in request.jwt.claims; the older one-setting-a-claim form
-- wins where it is set, as upstream reads them.

set local role supabase_auth_admin;

create or replace function auth.uid() returns uuid
language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
  )::uuid
$$;

create or replace function auth.role() returns text
language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
  )::text
$$;

create or replace function auth.email() returns text
language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.email', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
  )::text
$$;

create or replace function auth.jwt() returns jsonb
language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')
  )::jsonb
$$;

comment on function auth.uid() is 'The caller''s user id: claim sub. (select auth.jwt() ->> ''sub'') is the newer form.';
comment on function auth.role() is 'The caller''s role: claim role. A policy''s "to role" is the newer form.';
comment on function auth.email() is 'The caller''s address: claim email. (select auth.jwt() ->> ''email'') is the newer form.';

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
