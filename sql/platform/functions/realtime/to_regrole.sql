set local role supabase_realtime_admin;

-- Converts the name of a role to regrole, for the generated column realtime.subscription.claims_role. PostgreSQL requires that a generated
-- column uses only functions declared immutable. Callable by all roles.
create or replace function realtime.to_regrole(role_name text) returns regrole
language sql immutable as $$
  select role_name::regrole
$$;

reset role;
