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

create or replace function cloch.tell_refused_user() returns trigger
language plpgsql security definer set search_path = '' as $$
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

revoke execute on function cloch.tell_ended_sessions(), cloch.tell_refused_user() from public;

create or replace trigger cloch_tell_ended_sessions after delete on auth.sessions
  referencing old table as ended for each statement execute function cloch.tell_ended_sessions();

create or replace trigger cloch_tell_refused_user after update of banned_until, deleted_at on auth.users
  for each row when (new.banned_until is distinct from old.banned_until or new.deleted_at is distinct from old.deleted_at)
  execute function cloch.tell_refused_user();
