set local role supabase_realtime_admin;

-- Converts the name of a role to regrole, for the generated column realtime.subscription.claims_role. A generated column needs a
-- function that is declared immutable. Callable by all roles.
create or replace function realtime.to_regrole(role_name text) returns regrole
language sql immutable as $$
  select role_name::regrole
$$;

reset role;
