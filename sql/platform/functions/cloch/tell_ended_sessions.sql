-- Trigger function of auth.sessions (after DELETE, for each statement): notifies all nodes of the ids of ended sessions (channel
-- cloch_sessions). Nodes then close the realtime channels of these sessions. A forged notification has no effect, because nodes check the
-- tables before they close a channel. Runs with its owner's rights.
create or replace function cloch.tell_ended_sessions() returns trigger
language plpgsql security definer set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  ids text;
begin
  -- The payload of a notification is limited to 8,000 bytes, which is enough for 200 ids.
  for ids in
    select string_agg(numbered.id::text, ',')
      from (select id, (row_number() over () - 1) / 200 as part from ended) as numbered
     group by numbered.part
  loop
    perform pg_notify('cloch_sessions', ids);
  end loop;
  return null;
end;
$$;
revoke execute on function cloch.tell_ended_sessions() from public;
