set local role supabase_auth_admin;

-- Returns the e-mail address of the caller for policies: claim `email` of the request's token, null without a token. The setting
-- request.jwt.claim.email (one setting for each claim, the older form) takes precedence over request.jwt.claims, as on Supabase.
-- Callable by all roles. cloch.policy_claims recognises the function by its body, which therefore has no comments.
create or replace function auth.email() returns text
language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.email', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
  )::text
$$;
comment on function auth.email() is 'The caller''s address: claim email. (select auth.jwt() ->> ''email'') is the newer form.';

reset role;
