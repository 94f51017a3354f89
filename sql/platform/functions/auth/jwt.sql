set local role supabase_auth_admin;

-- Returns all claims of the request's token, for policies; null without a token. Callable by all roles. cloch.policy_claims recognises the
-- function by its body. Therefore the body has no comments.
create or replace function auth.jwt() returns jsonb
language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')
  )::jsonb
$$;

reset role;
