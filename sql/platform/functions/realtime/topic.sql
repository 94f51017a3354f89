set local role supabase_realtime_admin;

-- Returns the topic of the channel for which a policy on realtime.messages is evaluated; null outside of such an evaluation. Callable
-- by all roles.
create or replace function realtime.topic() returns text
language sql stable as $$
  select nullif(current_setting('realtime.topic', true), '')::text
$$;

reset role;
