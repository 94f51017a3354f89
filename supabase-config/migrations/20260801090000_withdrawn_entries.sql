-- An entry may be withdrawn. It stays with its history and can be taken back, but no
-- judge sees it, it counts nowhere, and it is nobody's duplicate.

alter table public.young_citizen_nominations add column withdrawn_at timestamptz;
alter table public.young_musician_entries add column withdrawn_at timestamptz;
alter table public.young_photographer_entries add column withdrawn_at timestamptz;
alter table public.young_artist_entries add column withdrawn_at timestamptz;

-- The files of an entry and the name of its school follow the entry: their policies ask these.
alter policy "Judges read what they judge" on public.young_photographer_entries
  using (lower(category) in ('intermediate', 'senior') and withdrawn_at is null);
alter policy "Judges place what they judge" on public.young_photographer_entries
  using (lower(category) in ('intermediate', 'senior') and withdrawn_at is null)
  with check (lower(category) in ('intermediate', 'senior') and withdrawn_at is null);
alter policy "Judges read what they judge" on public.young_artist_entries
  using (lower(category) in ('intermediate', 'senior') and withdrawn_at is null);
alter policy "Judges place what they judge" on public.young_artist_entries
  using (lower(category) in ('intermediate', 'senior') and withdrawn_at is null)
  with check (lower(category) in ('intermediate', 'senior') and withdrawn_at is null);

create or replace view club.entries with (security_invoker = true) as
  select 'citizen' as award, nomination_type as category, id, nominee_name as name, uploaded_files, created_at,
         null::smallint as place, withdrawn_at, parent_guardian_email
    from public.young_citizen_nominations
  union all
  select 'musician', case when category ilike '%vocal%' then 'vocal' else 'instrumental' end, id, entrant_name,
         uploaded_files, created_at, null, withdrawn_at, parent_guardian_email
    from public.young_musician_entries
  union all
  select 'photographer', lower(category), id, entrant_name, uploaded_files, created_at,
         coalesce(junior_ranking, senior_ranking), withdrawn_at, parent_guardian_email
    from public.young_photographer_entries
  union all
  select 'artist', lower(category), id, entrant_name, uploaded_files, created_at,
         coalesce(junior_ranking, senior_ranking), withdrawn_at, parent_guardian_email
    from public.young_artist_entries;

-- As before, without what is withdrawn.
create or replace function public.award_counts()
returns table (award text, category text, entries bigint, placed bigint, offline bigint)
language plpgsql stable security definer set search_path = '' as $$
declare
  for_judge boolean := coalesce(auth.role() = 'judge', false);
begin
  if not for_judge then
    perform club.require_admin();
  elsif not club.judge_is_current() then
    raise insufficient_privilege using message = 'The judging password has changed';
  end if;
  return query
    with paper as (
      select o.category as award, sum(o.count) as offline
        from public.offline_submissions as o
       group by o.category
    ), named (award, category) as (
      values ('citizen', 'individual'), ('citizen', 'group'),
             ('musician', 'vocal'), ('musician', 'instrumental'),
             ('photographer', 'intermediate'), ('photographer', 'senior'),
             ('artist', 'junior'), ('artist', 'intermediate'), ('artist', 'senior')
    )
    select n.award, n.category, count(e.id), count(e.place),
           case when for_judge then 0 else coalesce(max(p.offline), 0) end::bigint
      from named as n
      left join club.entries as e
        on e.award = n.award and e.category = n.category and e.withdrawn_at is null
      left join paper as p on p.award = n.award
     where not for_judge
        or (n.award in ('photographer', 'artist') and n.category in ('intermediate', 'senior'))
     group by n.award, n.category
     order by n.award, n.category;
end;
$$;

-- As before, without what is withdrawn.
create or replace function public.duplicate_hints() returns table (award text, kind text, entries uuid[])
language plpgsql stable set search_path = '' as $$
begin
  perform club.require_admin();
  return query
    select e.award, 'name', array_agg(e.id order by e.created_at)
      from club.entries as e
     where e.withdrawn_at is null
     group by e.award, club.comparable_name(e.name)
    having count(*) > 1
    union all
    select min(f.award), 'file', array_agg(distinct f.id)
      from (select e.award, e.id, o.metadata ->> 'eTag' as etag, o.metadata ->> 'size' as size
              from club.entries as e
             cross join unnest(e.uploaded_files) as path
              join storage.objects as o
                on o.bucket_id = 'youth-awards-submissions' and o.name = path
             where o.metadata ->> 'eTag' is not null and e.withdrawn_at is null) as f
     group by f.etag, f.size
    having count(distinct f.id) > 1;
end;
$$;
