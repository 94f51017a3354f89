-- Tells every node which sessions have ended, and which users may not sign in any more: channels that they joined end.
-- A notification is a hint only: nodes look into the tables before they end anything.
create or replace function cloch.tell_ended_sessions() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  ids text;
begin
  -- A notification holds 8,000 bytes.
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
