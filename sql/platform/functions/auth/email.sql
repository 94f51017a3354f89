set local role supabase_auth_admin;

-- Returns the e-mail address of the caller, for policies: the claim `email` of the request's token, or null without a token. As on
-- Supabase, the setting request.jwt.claim.email (the older form, with one setting for each claim) takes precedence over request.jwt.claims.
--
-- Callable by all roles. cloch.policy_claims recognises the function by its body. Therefore the body has no comments.
create or replace function auth.email() returns text
language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.email', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
  )::text
$$;
comment on function auth.email() is 'The caller''s address: claim email. (select auth.jwt() ->> ''email'') is the newer form.';

reset role;
