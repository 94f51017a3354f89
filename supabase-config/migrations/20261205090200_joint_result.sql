-- The joint result: every judge's own places and scores of a category side by side, and the places that an administrator settles. The columns of
-- places stay the one result that the website, the mails and the papers of the ceremony read; musicians and nominees have one now.

alter table public.young_citizen_nominations
  add column place smallint,
  add constraint place_1_to_3 check (place between 1 and 3);
alter table public.young_musician_entries
  add column place smallint,
  add constraint place_1_to_3 check (place between 1 and 3);

create or replace view club.entries with (security_invoker = true) as
  select 'citizen' as award, nomination_type as category, id, nominee_name as name, uploaded_files, created_at,
         place, withdrawn_at, parent_guardian_email
    from public.young_citizen_nominations
  union all
  select 'musician', case when category ilike '%vocal%' then 'vocal' else 'instrumental' end, id, entrant_name,
         uploaded_files, created_at, place, withdrawn_at, parent_guardian_email
    from public.young_musician_entries
  union all
  select 'photographer', lower(category), id, entrant_name, uploaded_files, created_at,
         coalesce(junior_ranking, senior_ranking), withdrawn_at, parent_guardian_email
    from public.young_photographer_entries
  union all
  select 'artist', lower(category), id, entrant_name, uploaded_files, created_at,
         coalesce(junior_ranking, senior_ranking), withdrawn_at, parent_guardian_email
    from public.young_artist_entries;

create or replace view club.public_entries with (security_invoker = true) as
  select 'citizen' as award, id, initcap(nomination_type) as category, nominee_name as name, null::text as title,
         place, null::text as picture, created_at
    from public.young_citizen_nominations
   where publicity_consent = 'agree' and withdrawn_at is null
  union all
  select 'musician', id, case when category ilike '%vocal%' then 'Vocal' else 'Instrumental' end, entrant_name, piece_title, place, null, created_at
    from public.young_musician_entries
   where publicity_consent = 'agree' and withdrawn_at is null
  union all
  select 'photographer', id, initcap(category), entrant_name, photo_title, coalesce(junior_ranking, senior_ranking),
         (select path from unnest(uploaded_files) with ordinality as f (path, at) where path ~* '\.(jpe?g|png|webp)$' order by at limit 1), created_at
    from public.young_photographer_entries
   where publicity_consent = 'agree' and withdrawn_at is null
  union all
  select 'artist', id, initcap(category), entrant_name, artwork_title, coalesce(junior_ranking, senior_ranking),
         (select path from unnest(uploaded_files) with ordinality as f (path, at) where path ~* '\.(jpe?g|png|webp)$' order by at limit 1), created_at
    from public.young_artist_entries
   where publicity_consent = 'agree' and withdrawn_at is null;

-- The judges with a link, and how many of their categories that have entries they have finished.
create function public.judge_links()
returns table (judge uuid, works boolean, created_at timestamptz, created_by text, used_at timestamptz, revoked_at timestamptz, revoked_by text,
               sections bigint, finished bigint)
language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_column
begin
  perform club.require_admin();
  return query
    with judged as materialized (
      select distinct e.award, e.category from club.judged_entries as e
    )
    select l.judge, w.id is not null, l.created_at, l.created_by, l.used_at, l.revoked_at, l.revoked_by,
           (select count(*) from club.sections_of(l.judge) as s join judged as e on e.award = s.award and e.category = s.category),
           (select count(*) from club.sections_of(l.judge) as s
              join judged as e on e.award = s.award and e.category = s.category
              join club.judge_finished as f on f.judge = l.judge and f.award = s.award and f.category = s.category
             where f.finished_at >= club.season_begins_at())
      from club.judge_links as l
      join public.judges as j on j.id = l.judge
      left join club.working_judge_links as w on w.id = l.id
     order by l.judge;
end;
$$;

-- What the judges of a category have given: those who judge it and have a link that works or have marked an entry. `state` names exactly this.
create function public.joint_result(award text, category text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_column
declare
  result jsonb;
begin
  perform club.require_admin();
  with judging as (
    select j.id, j.name
      from public.judges as j
     where exists (select from club.sections_of(j.id) as s where s.award = $1 and s.category = $2)
       and (exists (select from club.working_judge_links as l where l.judge = j.id)
            or exists (select from club.judge_marks as m join club.judged_entries as e on e.id = m.entry
                        where m.judge = j.id and e.award = $1 and e.category = $2))
  ), judged as (
    select e.id, e.entrant, e.school, e.title, e.created_at, p.place
      from club.judged_entries as e
      join club.entries as p on p.award = e.award and p.id = e.id
     where e.award = $1 and e.category = $2
  )
  select jsonb_build_object(
           'judges', (
             select coalesce(jsonb_agg(jsonb_build_object(
                      'id', j.id, 'name', j.name,
                      'finishedAt', (select f.finished_at from club.judge_finished as f
                                      where f.judge = j.id and f.award = $1 and f.category = $2 and f.finished_at >= club.season_begins_at()))
                      order by j.name, j.id), '[]')
               from judging as j),
           'criteria', (
             select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'name', c.name, 'maximum', c.maximum) order by c.created_at, c.id), '[]')
               from public.judging_criteria as c
              where c.award = $1),
           'entries', (
             select coalesce(jsonb_agg(jsonb_build_object(
                      'id', e.id, 'entrant', e.entrant, 'school', e.school, 'title', e.title, 'place', e.place,
                      'marks', (
                        select coalesce(jsonb_agg(jsonb_build_object('judge', m.judge, 'place', m.place, 'known', m.known, 'scores', m.scores)
                                                  order by m.judge), '[]')
                          from club.judge_marks as m
                          join judging as j on j.id = m.judge
                         where m.entry = e.id and m.award = $1)) order by e.created_at, e.id), '[]')
               from judged as e))
    into result;
  return result || jsonb_build_object('state', md5(result::text));
end;
$$;

-- Settles the places of a category: {"entry": 1 to 3}; the other entries of the category have none. Returns 'settled', or 'changed' if anything is
-- not as joint_result showed it with this `state`. The log has what each place was, and who settled it.
create function public.settle_places(award text, category text, state text, places jsonb) returns text
language plpgsql security definer set search_path = '' as $$
declare
  target_table regclass := club.entry_table(award);
  target_column text := case when award in ('citizen', 'musician') then 'place'
                             when category = 'intermediate' then 'junior_ranking' else 'senior_ranking' end;
  shown jsonb;
  ids uuid[];
begin
  perform club.require_admin();
  -- Nobody places, marks or finishes while the places are settled. The rows come first, as in a deletion, which takes the marks with it.
  execute format('select array_agg(id) from (select id from %s where created_at >= club.season_begins_at() order by id for update) as e', target_table)
    into ids;
  lock table club.judge_marks, club.judge_finished in share mode;
  shown := public.joint_result(award, category);
  if shown ->> 'state' is distinct from state then
    return 'changed';
  end if;
  select coalesce(array_agg((e ->> 'id')::uuid), '{}') into ids from jsonb_array_elements(shown -> 'entries') as e;
  if jsonb_typeof(places) is distinct from 'object'
     or exists (select from jsonb_each(places) as p where p.value not in ('1', '2', '3') or not p.key = any (ids::text[])) then
    raise exception 'Places are 1 to 3, of entries of the category' using errcode = 'check_violation';
  end if;
  execute format('update %1$s as e set %2$I = ($1 ->> e.id::text)::numeric::smallint
                   where e.id = any ($2) and e.%2$I is distinct from ($1 ->> e.id::text)::numeric::smallint', target_table, target_column)
    using places, ids;
  return 'settled';
end;
$$;

revoke execute on function public.judge_links(), public.joint_result(text, text), public.settle_places(text, text, text, jsonb) from public;
grant execute on function public.judge_links(), public.joint_result(text, text), public.settle_places(text, text, text, jsonb)
  to authenticated, service_role;
