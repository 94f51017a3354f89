set local role supabase_auth_admin;

-- Returns the user id of the caller for policies: claim `sub` of the request's token, null without a token. The setting
-- request.jwt.claim.sub (one setting for each claim, the older form) takes precedence over request.jwt.claims, as on Supabase. Callable
-- by all roles. cloch.policy_claims recognises the function by its body, which therefore has no comments.
create or replace function auth.uid() returns uuid
language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
  )::uuid
$$;
comment on function auth.uid() is 'The caller''s user id: claim sub. (select auth.jwt() ->> ''sub'') is the newer form.';

reset role;
