-- The privacy notice promises that a season's personal data is destroyed three
-- months after the event. Nothing is deleted by itself: an admin asks what would
-- go (season_report, season_files), removes the files through the storage API,
-- and then the rows (delete_season), of which anonymous totals remain.

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
alter table public.season_totals enable row level security;
revoke all on public.season_totals from public, anon, authenticated;
grant select on public.season_totals to authenticated;
create policy "Admins read the totals" on public.season_totals for select to authenticated
  using ((select club.is_admin()));
create policy "A judge's token ends with the password" on public.season_totals
  as restrictive for all to judge
  using ((select club.judge_is_current())) with check ((select club.judge_is_current()));
create trigger touch before update on public.season_totals
  for each row execute function club.touch();
create trigger audit after insert or update or delete on public.season_totals
  for each row execute function club.audit('id');

-- Every entry to every award in the few columns that all have.
create view club.entries with (security_invoker = true) as
  select 'citizen' as award, nomination_type as category, id, nominee_name as name, uploaded_files, created_at
    from public.young_citizen_nominations
  union all
  select 'musician', case when category ilike '%vocal%' then 'vocal' else 'instrumental' end, id, entrant_name,
         uploaded_files, created_at
    from public.young_musician_entries
  union all
  select 'photographer', lower(category), id, entrant_name, uploaded_files, created_at
    from public.young_photographer_entries
  union all
  select 'artist', lower(category), id, entrant_name, uploaded_files, created_at
    from public.young_artist_entries;
grant select on club.entries to authenticated, service_role;

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

-- The files to remove first: everything that visitors put into the two buckets
-- before that moment, whether an entry names it or not.
create function public.season_files(before timestamptz) returns table (bucket_id text, name text)
language plpgsql stable set search_path = '' as $$
begin
  perform club.require_admin();
  return query
    select o.bucket_id, o.name
      from storage.objects as o
     where o.bucket_id in ('youth-awards-submissions', 'music-uploads')
       and o.created_at < before
     order by o.bucket_id, o.name;
end;
$$;

-- Deletes the entries made before that moment and what the log says of them;
-- returns how many. With its owner's rights, for the log.
create function public.delete_season(before timestamptz, season text) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  gone uuid[];
begin
  perform club.require_admin();
  if exists (select from public.season_files(before)) then
    raise exception 'Files of this season are still stored' using hint = 'Remove them first: season_files lists them.';
  end if;
  select array_agg(e.id) into gone from club.entries as e where e.created_at < before;
  if gone is null then
    return 0;
  end if;

  insert into public.season_totals as t (season, award, category, entries)
  select delete_season.season, e.award, e.category, count(*)::integer
    from club.entries as e
   where e.id = any (gone)
   group by e.award, e.category
  on conflict on constraint season_totals_season_award_category_key do update
    set entries = t.entries + excluded.entries;

  -- The log keeps that an entry was deleted, not what stood in it.
  perform set_config('club.deleting_season', 'on', true);
  delete from public.audit_log where record_id = any (gone);
  delete from public.young_citizen_nominations where id = any (gone);
  delete from public.young_musician_entries where id = any (gone);
  delete from public.young_photographer_entries where id = any (gone);
  delete from public.young_artist_entries where id = any (gone);
  perform set_config('club.deleting_season', '', true);
  return cardinality(gone);
end;
$$;

-- Entries that may be one and the same: a name twice in an award, or one file
-- (same size and checksum) in two entries.
create function public.duplicate_hints() returns table (award text, kind text, entries uuid[])
language plpgsql stable set search_path = '' as $$
begin
  perform club.require_admin();
  return query
    select e.award, 'name', array_agg(e.id order by e.created_at)
      from club.entries as e
     group by e.award, club.comparable_name(e.name)
    having count(*) > 1
    union all
    select min(f.award), 'file', array_agg(distinct f.id)
      from (select e.award, e.id, o.metadata ->> 'eTag' as etag, o.metadata ->> 'size' as size
              from club.entries as e
             cross join unnest(e.uploaded_files) as path
              join storage.objects as o
                on o.bucket_id = 'youth-awards-submissions' and o.name = path
             where o.metadata ->> 'eTag' is not null) as f
     group by f.etag, f.size
    having count(distinct f.id) > 1;
end;
$$;

grant execute on function
  public.season_report(timestamptz), public.season_files(timestamptz),
  public.delete_season(timestamptz, text), public.duplicate_hints()
  to authenticated, service_role;
