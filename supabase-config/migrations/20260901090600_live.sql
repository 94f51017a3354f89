-- What an admin or a judge looks at follows what others do: each statement that changes
-- a followed table says so on a private channel, and whoever listens reads anew what
-- they may read. A message names the table and nothing else, so nobody learns from it
-- what row security would not show them. Only admins hear the desk, only judges with
-- the current password the judging; nobody but the database speaks there.

-- After a statement; the arguments are the channels that hear of it.
create function club.tell_of_change() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  channel text;
begin
  foreach channel in array tg_argv loop
    perform realtime.send(jsonb_build_object('table', tg_table_name), 'changed', channel, true);
  end loop;
  return null;
-- A change is made whether or not anybody can be told.
exception when others then
  raise warning 'A change is not told: %', sqlerrm;
  return null;
end;
$$;

do $$
declare
  followed text;
begin
  foreach followed in array array[
    'young_citizen_nominations', 'young_musician_entries', 'offline_submissions', 'schools', 'departments',
    'contacts', 'judges', 'event_checklist_items', 'invited_guests', 'seasons', 'extra_files'
  ] loop
    execute format(
      'create trigger tell_of_change after insert or update or delete on public.%I
         for each statement execute function club.tell_of_change(''desk'')', followed);
  end loop;
  foreach followed in array array['young_photographer_entries', 'young_artist_entries'] loop
    execute format(
      'create trigger tell_of_change after insert or update or delete on public.%I
         for each statement execute function club.tell_of_change(''desk'', ''judging'')', followed);
  end loop;
end;
$$;

-- Another password ends what judges may read: they are told, so that nothing stays on a
-- screen that its token no longer opens.
create trigger tell_of_change after insert or update or delete on club.judging_password
  for each statement execute function club.tell_of_change('judging');

grant usage on schema realtime to judge;
grant select on realtime.messages to judge;
create policy "Admins hear of changes" on realtime.messages for select to authenticated
  using (extension = 'broadcast' and (select realtime.topic()) = 'desk' and (select club.is_admin()));
create policy "Judges hear of changes" on realtime.messages for select to judge
  using (extension = 'broadcast' and (select realtime.topic()) = 'judging' and (select club.judge_is_current()));
