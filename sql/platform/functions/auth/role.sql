set local role supabase_auth_admin;

-- Returns the role of the caller, for policies: the claim `role` of the request's token, or null without a token. As on Supabase, the
-- setting request.jwt.claim.role (the older form, with one setting for each claim) takes precedence over request.jwt.claims.
--
-- Callable by all roles. cloch.policy_claims recognises the function by its body. Therefore the body has no comments.
create or replace function auth.role() returns text
language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
  )::text
$$;
comment on function auth.role() is 'The caller''s role: claim role. A policy''s "to role" is the newer form.';

reset role;
