set local role supabase_realtime_admin;

-- Returns the topic of the channel for which the server is evaluating a policy on realtime.messages; null at any other time. Callable by
-- all roles.
create or replace function realtime.topic() returns text
language sql stable as $$
  select nullif(current_setting('realtime.topic', true), '')::text
$$;

reset role;
