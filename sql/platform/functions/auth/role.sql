set local role supabase_auth_admin;

create or replace function auth.role() returns text
language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
  )::text
$$;
comment on function auth.role() is 'The caller''s role: claim role. A policy''s "to role" is the newer form.';

reset role;
