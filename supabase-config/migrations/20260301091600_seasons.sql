-- When a season ends, and what goes with it: the privacy notice promises that a
-- season's personal data is destroyed three months after the event. Nothing is
-- deleted by itself: from that day on the dashboard reminds the admins. It shows what
-- would go (season_report, season_files, season_mail), removes the files through the
-- storage API, and then the rows (delete_season), of which anonymous totals remain.

create table public.seasons (
  id         uuid not null default gen_random_uuid(),
  name       text not null,
  event_on   date not null,
  -- Entries made before this moment belong to this season, later ones to the next.
  ends_at    timestamptz not null generated always as (timezone('Europe/London', (event_on + 1)::timestamp)) stored,
  -- The privacy notice promises deletion from this day on.
  due_on     date not null generated always as ((event_on + interval '3 months')::date) stored,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint seasons_pkey primary key (id),
  constraint seasons_name_key unique (name),
  constraint season_name_1_to_50_characters check (char_length(name) <= 50 and name ~ '\S')
);
select club.register_table('public.seasons');
-- That a season's data was deleted is recorded by delete_season alone.
revoke insert, update, delete on public.seasons from authenticated;
grant insert (name, event_on), update (name, event_on) on public.seasons to authenticated;

create table public.season_totals (
  id         uuid not null default gen_random_uuid(),
  season     text not null,
  award      text not null,
  category   text not null,
  entries    integer not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint season_totals_pkey primary key (id),
  constraint season_totals_season_award_category_key unique (season, award, category),
  constraint season_1_to_50_characters check (char_length(season) <= 50 and season ~ '\S'),
  constraint season_entries_is_not_negative check (entries >= 0)
);
select club.register_table('public.season_totals', read_only_policy => 'Admins read the totals');

-- What delete_season would delete; nothing is changed.
create function public.season_report(before timestamptz)
returns table (award text, category text, entries bigint, oldest timestamptz, newest timestamptz)
language plpgsql stable set search_path = '' as $$
begin
  perform club.require_admin();
  return query
    select e.award, e.category, count(*), min(e.created_at), max(e.created_at)
      from club.entries as e
     where e.created_at < before
     group by e.award, e.category
     order by e.award, e.category;
end;
$$;

-- Which files the entries name, and whether an entry of a later season does.
create function club.named_files(before timestamptz) returns table (name text, is_later boolean)
language sql stable set search_path = '' as $$
  select path, bool_or(e.created_at >= before)
    from club.entries as e
   cross join unnest(e.uploaded_files) as path
   group by path
$$;
grant execute on function club.named_files(timestamptz) to authenticated, service_role;

-- The files to remove first: what visitors put into the two buckets before that
-- moment, what the season's entries name whenever it was stored, and every export,
-- which holds all entries. What a later entry names stays.
create function public.season_files(before timestamptz) returns table (bucket_id text, name text)
language plpgsql stable set search_path = '' as $$
begin
  perform club.require_admin();
  return query
    select o.bucket_id, o.name
      from storage.objects as o
      left join club.named_files(before) as n
        on n.name = o.name and o.bucket_id = 'youth-awards-submissions'
     where o.bucket_id in ('youth-awards-submissions', 'music-uploads')
       and n.is_later is not true
       and (
         o.created_at < before
         or n.is_later is false
         or (o.bucket_id = 'youth-awards-submissions' and o.name like 'exports/%'))
     order by o.bucket_id, o.name;
end;
$$;

-- The mails of the season: everything sent before that moment, and what admins
-- sent through send-email since: their exports hold all entries. Where the
-- project's mail is not in this database there is none.
create function club.season_mail(before timestamptz) returns table (id uuid, kind text)
language plpgsql stable security definer set search_path = '' as $$
begin
  if to_regclass('cloch.mail_outbox') is null then
    return;
  end if;
  return query
    select m.id, m.kind
      from cloch.mail_outbox as m
     where m.created_at < before
        or (m.kind = 'send-email' and m.requested_by is not null);
end;
$$;

-- How many mails of which kind delete_season would delete, the kept copies of
-- letters to guests among them.
create function public.season_mail(before timestamptz) returns table (kind text, mails bigint)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform club.require_admin();
  return query
    select m.kind, count(*) from club.season_mail(before) as m group by m.kind
    union all
    select 'guest letters', count(*) from public.guest_letters as l where l.sent_at < before having count(*) > 0
    order by 1;
end;
$$;

-- Deletes the entries made before that moment, what the log says of them, the
-- mails and the letters; returns how many entries. Anonymous totals stay, and the
-- counts of entries on paper become part of them. With its owner's rights, for
-- the log and the mail.
create function public.delete_season(before timestamptz, season text) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  gone uuid[];
begin
  perform club.require_admin();
  if before > now() + interval '1 day' then
    raise exception 'The season is not over yet';
  end if;
  if exists (select from public.season_files(before)) then
    raise exception 'Files of this season are still stored' using hint = 'Remove them first: season_files lists them.';
  end if;
  select coalesce(array_agg(e.id), '{}') into gone from club.entries as e where e.created_at < before;

  insert into public.season_totals as t (season, award, category, entries)
  select delete_season.season, e.award, e.category, count(*)::integer
    from club.entries as e
   where e.id = any (gone)
   group by e.award, e.category
  union all
  select delete_season.season, o.category, 'on paper', sum(o.count)::integer
    from public.offline_submissions as o
   where o.created_at < before
   group by o.category
  having sum(o.count) > 0
  on conflict on constraint season_totals_season_award_category_key do update
    set entries = t.entries + excluded.entries;

  -- The log keeps that a record was deleted, not what stood in it.
  perform set_config('club.deleting_season', 'on', true);
  delete from public.audit_log where record_id = any (gone);
  delete from public.young_citizen_nominations where id = any (gone);
  delete from public.young_musician_entries where id = any (gone);
  delete from public.young_photographer_entries where id = any (gone);
  delete from public.young_artist_entries where id = any (gone);
  delete from public.offline_submissions where created_at < before;
  delete from public.guest_letters where sent_at < before;
  if to_regclass('cloch.mail_outbox') is not null then
    delete from cloch.mail_outbox where id in (select m.id from club.season_mail(before) as m);
  end if;
  update public.seasons as s set deleted_at = now() where s.name = delete_season.season;
  perform set_config('club.deleting_season', '', true);
  return cardinality(gone);
end;
$$;

grant execute on function
  public.season_report(timestamptz), public.season_files(timestamptz), public.season_mail(timestamptz),
  public.delete_season(timestamptz, text)
  to authenticated, service_role;
