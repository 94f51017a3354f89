set local role supabase_auth_admin;

create or replace function auth.email() returns text
language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.email', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
  )::text
$$;
comment on function auth.email() is 'The caller''s address: claim email. (select auth.jwt() ->> ''email'') is the newer form.';

reset role;
