set local role supabase_auth_admin;

-- Returns the role of the caller for policies: claim `role` of the request's token, null without a token. The setting
-- request.jwt.claim.role (one setting for each claim, the older form) takes precedence over request.jwt.claims, as on Supabase.
-- Callable by all roles. cloch.policy_claims recognises the function by its body, which therefore has no comments.
create or replace function auth.role() returns text
language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
  )::text
$$;
comment on function auth.role() is 'The caller''s role: claim role. A policy''s "to role" is the newer form.';

reset role;
