-- Functions over the four awards, named as the dashboard names them: citizen,
-- musician, photographer, artist.

-- Every entry to every award in the few columns that all have, and its place.
create view club.entries with (security_invoker = true) as
  select 'citizen' as award, nomination_type as category, id, nominee_name as name, uploaded_files, created_at,
         null::smallint as place
    from public.young_citizen_nominations
  union all
  select 'musician', case when category ilike '%vocal%' then 'vocal' else 'instrumental' end, id, entrant_name,
         uploaded_files, created_at, null
    from public.young_musician_entries
  union all
  select 'photographer', lower(category), id, entrant_name, uploaded_files, created_at,
         coalesce(junior_ranking, senior_ranking)
    from public.young_photographer_entries
  union all
  select 'artist', lower(category), id, entrant_name, uploaded_files, created_at,
         coalesce(junior_ranking, senior_ranking)
    from public.young_artist_entries;
grant select on club.entries to authenticated, service_role;

-- Gives a school to the entries of an award that have none; returns how many.
create function public.assign_school(award text, school uuid) returns integer
language plpgsql set search_path = '' as $$
declare
  assigned integer;
begin
  perform club.require_admin();
  perform from public.schools where id = assign_school.school;
  if not found then
    raise exception 'The school does not exist any more';
  end if;
  case award
    when 'citizen' then
      update public.young_citizen_nominations set school_id = assign_school.school where school_id is null;
    when 'musician' then
      update public.young_musician_entries set school_id = assign_school.school where school_id is null;
    when 'photographer' then
      update public.young_photographer_entries set school_id = assign_school.school where school_id is null;
    when 'artist' then
      update public.young_artist_entries set school_id = assign_school.school where school_id is null;
    else
      raise exception 'There is no award named %', award
        using hint = 'citizen, musician, photographer or artist';
  end case;
  get diagnostics assigned = row_count;
  return assigned;
end;
$$;

-- Names of schools are typed by visitors: compared without case, dots, quotes and
-- doubled spaces.
create function club.comparable_name(name text) returns text
language sql immutable set search_path = '' as $$
  select trim(regexp_replace(regexp_replace(lower(name), '[.,''’`]', '', 'g'), '\s+', ' ', 'g'))
$$;

-- Gives entries without a school the one whose name the entry carries; where two
-- schools compare alike, neither is chosen. Returns how many were matched.
create function public.match_schools() returns integer
language plpgsql set search_path = '' as $$
declare
  matched integer := 0;
  changed integer;
  table_name text;
begin
  perform club.require_admin();
  foreach table_name in array array[
    'young_musician_entries', 'young_photographer_entries', 'young_artist_entries'
  ] loop
    execute format($update$
      update public.%I as e
         set school_id = s.id
        from (select min(id::text)::uuid as id, club.comparable_name(name) as name
                from public.schools
               group by club.comparable_name(name)
              having count(*) = 1) as s
       where e.school_id is null
         and club.comparable_name(e.school) = s.name
    $update$, table_name);
    get diagnostics changed = row_count;
    matched := matched + changed;
  end loop;
  return matched;
end;
$$;

-- Entries of each award and category, how many carry a place, and how many came
-- on paper. A judge gets the four totals of what judges read.
create function public.award_counts()
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
      left join club.entries as e using (award, category)
      left join paper as p on p.award = n.award
     where not for_judge
        or (n.award in ('photographer', 'artist') and n.category in ('intermediate', 'senior'))
     group by n.award, n.category
     order by n.award, n.category;
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
  public.assign_school(text, uuid), public.match_schools(), club.comparable_name(text), public.duplicate_hints()
  to authenticated, service_role;
grant execute on function public.award_counts() to authenticated, judge, service_role;
