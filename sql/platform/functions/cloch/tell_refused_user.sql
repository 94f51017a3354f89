-- Trigger function of auth.users (after UPDATE of banned_until or deleted_at): notifies all nodes of the ids of the sessions of a user who
-- was banned or deleted, as cloch.tell_ended_sessions does. Each notification contains at most 200 ids. Runs with its owner's rights.
create or replace function cloch.tell_refused_user() returns trigger
language plpgsql security definer set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  ids text;
begin
  for ids in
    select string_agg(numbered.id::text, ',')
      from (select s.id, (row_number() over () - 1) / 200 as part from auth.sessions as s where s.user_id = new.id) as numbered
     group by numbered.part
  loop
    perform pg_notify('cloch_sessions', ids);
  end loop;
  return null;
end;
$$;
revoke execute on function cloch.tell_refused_user() from public;
