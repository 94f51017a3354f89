set local role supabase_realtime_admin;

-- The channel that a policy on realtime.messages is asked about.
create or replace function realtime.topic() returns text
language sql stable as $$
  select nullif(current_setting('realtime.topic', true), '')::text
$$;

reset role;
