set local role supabase_auth_admin;

-- Returns the user id of the caller, for policies: the claim `sub` of the request's token, or null without a token. As on Supabase, the
-- setting request.jwt.claim.sub (the older form, with one setting for each claim) takes precedence over request.jwt.claims.
--
-- Callable by all roles. cloch.policy_claims recognises the function by its body. Therefore the body has no comments.
create or replace function auth.uid() returns uuid
language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
  )::uuid
$$;
comment on function auth.uid() is 'The caller''s user id: claim sub. (select auth.jwt() ->> ''sub'') is the newer form.';

reset role;
