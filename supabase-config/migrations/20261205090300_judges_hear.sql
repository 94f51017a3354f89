-- Judges with a link see changes at once. Each link has a private channel, which only the judge of this link may join. The database sends to the channels
-- of links that work, so a link that has ended hears nothing more, also on a connection that is still open. Messages name a changed table and nothing
-- else: the judge's page then reads what it may read.

create function club.judge_channel(link uuid) returns text
language sql immutable set search_path = '' as $$
  select 'judge:' || link
$$;
revoke execute on function club.judge_channel(uuid) from public;

-- The channel of the link that gave the token of this request; null for everybody else, and once the link has ended.
create function club.own_judge_channel() returns text
language sql stable security definer set search_path = '' as $$
  select club.judge_channel(l.id) from club.working_judge_links as l where l.judge = club.link_judge()
$$;
revoke execute on function club.own_judge_channel() from public;
grant execute on function club.own_judge_channel() to judge;

create policy "Judges with a link hear of changes" on realtime.messages for select to judge
  using (extension = 'broadcast' and (select realtime.topic()) = (select club.own_judge_channel()));

-- Sends the name of a changed table to channels. A change is made whether or not anybody can be told.
create function club.tell_channels(changed text, channels text[]) returns void
language plpgsql security definer set search_path = '' as $$
declare
  channel text;
begin
  foreach channel in array channels loop
    perform realtime.send(jsonb_build_object('table', changed), 'changed', channel, true);
  end loop;
exception when others then
  raise warning 'A change is not told: %', sqlerrm;
end;
$$;
revoke execute on function club.tell_channels(text, text[]) from public;

-- Tells the judges of an award: the argument, or the award of the changed row. Without an award, all judges with a link.
create function club.tell_judges() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  changed text := tg_argv[0];
begin
  if tg_level = 'ROW' then
    changed := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end ->> 'award';
  end if;
  perform club.tell_channels(tg_table_name, array(
    select club.judge_channel(l.id)
      from club.working_judge_links as l
     where changed is null or exists (select from club.sections_of(l.judge) as s where s.award = changed)));
  return null;
end;
$$;
revoke execute on function club.tell_judges() from public;

create trigger tell_judges after insert or update or delete on public.young_citizen_nominations
  for each statement execute function club.tell_judges('citizen');
create trigger tell_judges after insert or update or delete on public.young_musician_entries
  for each statement execute function club.tell_judges('musician');
create trigger tell_judges after insert or update or delete on public.young_photographer_entries
  for each statement execute function club.tell_judges('photographer');
create trigger tell_judges after insert or update or delete on public.young_artist_entries
  for each statement execute function club.tell_judges('artist');
-- Recordings that were sent later.
create trigger tell_judges after insert or update or delete on public.extra_files
  for each statement execute function club.tell_judges('musician');
create trigger tell_judges after insert or update or delete on public.judging_criteria
  for each row execute function club.tell_judges();
-- Before the statement: links that end with the season are told so, as the last thing that they hear. A season that ends by the clock tells nobody;
-- the judge's page looks for itself every half a minute.
create trigger tell_judges before insert or update or delete on public.seasons
  for each statement execute function club.tell_judges();

-- Tells the judge to whom a row belongs, on all devices of the judge. A judge hears of no mark of another judge.
create function club.tell_own_judge() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  changed jsonb := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
begin
  perform club.tell_channels(tg_table_name, array(
    select club.judge_channel(l.id)
      from club.working_judge_links as l
     where l.judge::text = coalesce(changed ->> 'judge', changed ->> 'judge_id', changed ->> 'id')));
  if tg_op = 'DELETE' then
    return old;
  end if;
  return new;
end;
$$;
revoke execute on function club.tell_own_judge() from public;
create trigger tell_own_judge after insert or update or delete on club.judge_marks
  for each row execute function club.tell_own_judge();
create trigger tell_own_judge after insert or update or delete on club.judge_finished
  for each row execute function club.tell_own_judge();
create trigger tell_own_judge after insert or update or delete on public.judge_categories
  for each row execute function club.tell_own_judge();
create trigger tell_own_judge after insert or update on public.judges
  for each row execute function club.tell_own_judge();
-- Before a link ends with its judge, is revoked or replaced: the page is told so, as the last thing that it hears.
create trigger tell_ended_judge before delete on public.judges
  for each row execute function club.tell_own_judge();
create trigger tell_ended_judge before update on club.judge_links
  for each row when (old.revoked_at is null and (new.revoked_at is not null or new.id <> old.id))
  execute function club.tell_own_judge();

-- As before, with the channel.
create or replace function public.own_judging() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := club.require_link_judge();
begin
  return jsonb_build_object(
    'judge', (select j.name from public.judges as j where j.id = me),
    -- The private channel of the link, which tells of changes.
    'channel', club.own_judge_channel(),
    'sections', (
      select coalesce(jsonb_agg(jsonb_build_object(
               'award', s.award, 'category', s.category,
               'entries', (select count(*) from club.judged_entries as e where e.award = s.award and e.category = s.category),
               'finishedAt', (select f.finished_at from club.judge_finished as f
                               where f.judge = me and f.award = s.award and f.category = s.category
                                 and f.finished_at >= club.season_begins_at())) order by s.position), '[]')
        from club.sections_of(me) as s),
    'criteria', (
      select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'award', c.award, 'name', c.name, 'maximum', c.maximum)
                                order by c.created_at, c.id), '[]')
        from public.judging_criteria as c
       where c.award in (select s.award from club.sections_of(me) as s)));
end;
$$;
