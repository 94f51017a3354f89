-- A season ends with the day of its event. From the next day on, judges and totals have what came in since, and nothing of the season before,
-- whether or not its data was deleted already. The dashboard shows an earlier season on demand.

-- When the present season began: at the end of the last one.
create function club.season_begins_at() returns timestamptz
language sql stable security definer set search_path = '' as $$
  select coalesce(max(s.ends_at), '-infinity') from public.seasons as s where s.ends_at <= now()
$$;
grant execute on function club.season_begins_at() to authenticated, judge, service_role;

-- The season that a moment belongs to: the first one that ends after it.
create function club.season_name(moment timestamptz, otherwise text) returns text
language sql stable set search_path = '' as $$
  select coalesce((select s.name from public.seasons as s where s.ends_at > moment order by s.ends_at, s.id limit 1), otherwise)
$$;

-- The files of an entry and the name of its school follow the entry: their policies ask these.
alter policy "Judges read what they judge" on public.young_photographer_entries
  using (lower(category) in ('intermediate', 'senior') and withdrawn_at is null and created_at >= (select club.season_begins_at()));
alter policy "Judges place what they judge" on public.young_photographer_entries
  using (lower(category) in ('intermediate', 'senior') and withdrawn_at is null and created_at >= (select club.season_begins_at()))
  with check (lower(category) in ('intermediate', 'senior') and withdrawn_at is null and created_at >= (select club.season_begins_at()));
alter policy "Judges read what they judge" on public.young_artist_entries
  using (lower(category) in ('intermediate', 'senior') and withdrawn_at is null and created_at >= (select club.season_begins_at()));
alter policy "Judges place what they judge" on public.young_artist_entries
  using (lower(category) in ('intermediate', 'senior') and withdrawn_at is null and created_at >= (select club.season_begins_at()))
  with check (lower(category) in ('intermediate', 'senior') and withdrawn_at is null and created_at >= (select club.season_begins_at()));

-- As before, of the present season.
create or replace function public.award_counts()
returns table (award text, category text, entries bigint, placed bigint, offline bigint)
language plpgsql stable security definer set search_path = '' as $$
declare
  for_judge boolean := coalesce(auth.role() = 'judge', false);
  begins timestamptz := club.season_begins_at();
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
       where o.created_at >= begins
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
        on e.award = n.award and e.category = n.category and e.withdrawn_at is null and e.created_at >= begins
      left join paper as p on p.award = n.award
     where not for_judge
        or (n.award in ('photographer', 'artist') and n.category in ('intermediate', 'senior'))
     group by n.award, n.category
     order by n.award, n.category;
end;
$$;

-- There is one count on paper for a school and an award. Set in a new season, it is the new season's: what it was becomes part of the totals
-- of its own season.
create function club.carry_offline_count() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if old.count > 0 then
    insert into public.season_totals as t (season, award, category, entries)
    values (club.season_name(old.created_at, 'before'), old.category, 'on paper', old.count)
    on conflict on constraint season_totals_season_award_category_key do update set entries = t.entries + excluded.entries;
  end if;
  new.created_at := now();
  return new;
end;
$$;
revoke execute on function club.carry_offline_count() from public;
create trigger carry_offline_count before update of count on public.offline_submissions
  for each row when (old.school_id = new.school_id and old.created_at < club.season_begins_at())
  execute function club.carry_offline_count();

-- Makes the counts that schools have from earlier seasons a part of the totals of these seasons.
create function club.close_offline_counts(schools uuid[]) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform club.require_admin();
  with closed as (
    delete from public.offline_submissions as o
     where o.school_id = any (schools) and o.created_at < club.season_begins_at()
    returning o.category, o.count, o.created_at
  )
  insert into public.season_totals as t (season, award, category, entries)
  select club.season_name(c.created_at, 'before'), c.category, 'on paper', sum(c.count)::integer
    from closed as c
   group by 1, c.category
  having sum(c.count) > 0
  on conflict on constraint season_totals_season_award_category_key do update set entries = t.entries + excluded.entries;
end;
$$;
revoke execute on function club.close_offline_counts(uuid[]) from public;
grant execute on function club.close_offline_counts(uuid[]) to authenticated, service_role;

-- As before, and counts of two seasons are not added.
create or replace function public.merge_schools(keep uuid, others uuid[]) returns integer
language plpgsql set search_path = '' as $$
declare
  merged uuid[] := club.lock_for_merge('public.schools', keep, others);
begin
  update public.young_citizen_nominations set school_id = keep where school_id = any (merged);
  update public.young_musician_entries set school_id = keep where school_id = any (merged);
  update public.young_photographer_entries set school_id = keep where school_id = any (merged);
  update public.young_artist_entries set school_id = keep where school_id = any (merged);
  update public.departments set school_id = keep where school_id = any (merged);

  perform club.close_offline_counts(merged || keep);
  -- One count a school and category: those of the others are added.
  insert into public.offline_submissions as kept (school_id, category, count, notes)
  select keep, o.category, sum(o.count)::integer,
         left(string_agg(o.notes, E'\n' order by o.created_at), 1000)
    from public.offline_submissions as o
   where o.school_id = any (merged)
   group by o.category
  on conflict (school_id, category) do update
    set count = kept.count + excluded.count,
        notes = left(concat_ws(E'\n', kept.notes, excluded.notes), 1000);
  delete from public.offline_submissions where school_id = any (merged);

  delete from public.schools where id = any (merged);
  return cardinality(merged);
end;
$$;

-- As before, but each entry counts in the totals of its own season: what an earlier season has left goes at the same time, and that season is
-- marked as deleted too.
create or replace function public.delete_season(before timestamptz, season text) returns integer
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
  select club.season_name(e.created_at, delete_season.season), e.award, e.category, count(*)::integer
    from club.entries as e
   where e.id = any (gone) and e.withdrawn_at is null
   group by 1, e.award, e.category
  union all
  select club.season_name(o.created_at, delete_season.season), o.category, 'on paper', sum(o.count)::integer
    from public.offline_submissions as o
   where o.created_at < before
   group by 1, o.category
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
  update public.seasons as s
     set deleted_at = now()
   where s.name = delete_season.season or (s.ends_at <= before and s.deleted_at is null);
  perform set_config('club.deleting_season', '', true);
  return cardinality(gone);
end;
$$;
