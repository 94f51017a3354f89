set local role supabase_realtime_admin;

create or replace function realtime.to_regrole(role_name text) returns regrole
language sql immutable as $$
  select role_name::regrole
$$;

reset role;
