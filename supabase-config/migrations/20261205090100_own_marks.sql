-- Judges with a link give places and scores of their own, and say when they have finished a category. No judge sees another's. The tables are not
-- part of the API: the functions below show and change what belongs to the judge who calls them.

-- What entries are scored by; an award without criteria has no scores.
create table public.judging_criteria (
  id         uuid not null default gen_random_uuid(),
  award      text not null,
  name       text not null,
  -- The best score; the lowest is 0.
  maximum    smallint not null default 10,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint judging_criteria_pkey primary key (id),
  constraint judging_criteria_award_name_key unique (award, name),
  constraint criterion_award_is_known check (award in ('citizen', 'musician', 'photographer', 'artist')),
  constraint criterion_name_1_to_100_characters check (char_length(name) <= 100 and name ~ '\S'),
  constraint criterion_maximum_1_to_20 check (maximum between 1 and 20)
);
select club.register_table('public.judging_criteria');
create trigger tell_of_change after insert or update or delete on public.judging_criteria
  for each statement execute function club.tell_of_change('desk');

create table club.judge_marks (
  judge      uuid not null,
  award      text not null,
  entry      uuid not null,
  place      smallint,
  -- The judge said: I know this entrant.
  known      boolean not null default false,
  -- {"criterion": score}
  scores     jsonb not null default '{}',
  updated_at timestamptz not null default now(),
  constraint judge_marks_pkey primary key (judge, entry),
  constraint mark_place_1_to_3 check (place between 1 and 3)
);
alter table club.judge_marks enable row level security;
create index judge_marks_entry_idx on club.judge_marks (entry);
create trigger tell_of_change after insert or update or delete on club.judge_marks
  for each statement execute function club.tell_of_change('desk');

create table club.judge_finished (
  judge       uuid not null,
  award       text not null,
  category    text not null,
  finished_at timestamptz not null default now(),
  constraint judge_finished_pkey primary key (judge, award, category)
);
alter table club.judge_finished enable row level security;
create trigger tell_of_change after insert or update or delete on club.judge_finished
  for each statement execute function club.tell_of_change('desk');

-- A mark goes with its entry: deleted, or with its season.
create function club.forget_marks() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from club.judge_marks where entry = old.id;
  return null;
end;
$$;
revoke execute on function club.forget_marks() from public;
create trigger forget_marks after delete on public.young_citizen_nominations for each row execute function club.forget_marks();
create trigger forget_marks after delete on public.young_musician_entries for each row execute function club.forget_marks();
create trigger forget_marks after delete on public.young_photographer_entries for each row execute function club.forget_marks();
create trigger forget_marks after delete on public.young_artist_entries for each row execute function club.forget_marks();

-- As before, and the kept entry takes over the marks of judges who have not marked it.
create or replace function club.take_over_mails(award text, keep uuid, merged uuid[]) returns void
language plpgsql set search_path = '' as $$
#variable_conflict use_column
begin
  insert into club.judge_marks (judge, award, entry, place, known, scores)
  select distinct on (m.judge) m.judge, m.award, $2, m.place, m.known, m.scores
    from club.judge_marks as m
   where m.award = $1 and m.entry = any ($3)
   order by m.judge, m.place, m.updated_at desc
  on conflict on constraint judge_marks_pkey do nothing;
  -- A mail that is requested for a merged entry at the same time is recorded before the merge, or not at all.
  lock table public.entry_mails in share row exclusive mode;
  insert into public.entry_mails (award, entry, state, sent_by, created_at)
  select distinct on (m.state) m.award, $2, m.state, m.sent_by, m.created_at
    from public.entry_mails as m
   where m.award = $1 and m.entry = any ($3)
   order by m.state, m.created_at
  on conflict on constraint entry_mails_award_entry_state_key do nothing;
  update club.reminder_mails as m
     set targets = (select array_agg(distinct case when t = any ($3) then $2 else t end) from unnest(m.targets) as t)
   where m.targets && $3;

  update club.mail_jobs as j set entry = $2 where j.entry = any ($3);
  -- Of the mails of one state that both had, one is written: the one in the outbox, otherwise the one that was tried most often.
  delete from club.mail_jobs as j
   where j.award = $1 and j.entry = $2 and j.state = 'queued' and j.kind in ('shortlisted', 'invited', 'winner', 'thanked')
     and exists (select from club.mail_jobs as o
                  where o.award = j.award and o.entry = j.entry and o.kind = j.kind
                    and (o.message_id is not null or o.state = 'queued')
                    and (o.message_id is not null, o.attempts, o.id) > (false, j.attempts, j.id));
end;
$$;

-- The entries that are judged now, with what judges need: nobody's contact data, and of the words only those about the work or the deed. Pictures
-- and papers of the picture awards, and recordings. The letters that come with a nomination name other people and stay with the club.
create view club.judged_entries with (security_invoker = true) as
  select 'citizen' as award, e.nomination_type as category, e.id, e.nominee_name as entrant, e.nominee_age as age, s.name as school,
         null::text as title,
         jsonb_build_array(
           jsonb_build_array('Key achievement', e.key_achievement), jsonb_build_array('Impact on the community', e.community_impact),
           jsonb_build_array('Why they deserve the award', e.why_deserving)) as facts,
         '{}'::text[] as files, e.created_at
    from public.young_citizen_nominations as e
    left join public.schools as s on s.id = e.school_id
   where e.withdrawn_at is null and e.created_at >= (select club.season_begins_at())
  union all
  select 'musician', case when e.category ilike '%vocal%' then 'vocal' else 'instrumental' end, e.id, e.entrant_name, e.age,
         coalesce(s.name, nullif(btrim(e.school), '')), e.piece_title,
         jsonb_build_array(
           jsonb_build_array(case when e.category ilike '%vocal%' then 'Voice type' else 'Instrument' end, e.instrument),
           jsonb_build_array('Composer', e.composer), jsonb_build_array('Duration', e.piece_duration)),
         array(select path from unnest(e.uploaded_files) with ordinality as f (path, at)
                where path ~ '^musician/' and path ~* '\.(mp3|m4a|wav|ogg|opus|flac|aac|aiff?|wma)$' order by at),
         e.created_at
    from public.young_musician_entries as e
    left join public.schools as s on s.id = e.school_id
   where e.withdrawn_at is null and e.created_at >= (select club.season_begins_at())
  union all
  select 'photographer', lower(e.category), e.id, e.entrant_name, e.age, coalesce(s.name, nullif(btrim(e.school), '')), e.photo_title,
         jsonb_build_array(jsonb_build_array('', e.photo_description), jsonb_build_array('Equipment', e.camera_equipment)),
         array(select path from unnest(e.uploaded_files) with ordinality as f (path, at) where path ~ '^(artist|photographer)/' order by at),
         e.created_at
    from public.young_photographer_entries as e
    left join public.schools as s on s.id = e.school_id
   where e.withdrawn_at is null and e.created_at >= (select club.season_begins_at())
  union all
  select 'artist', lower(e.category), e.id, e.entrant_name, e.age, coalesce(s.name, nullif(btrim(e.school), '')), e.artwork_title,
         jsonb_build_array(jsonb_build_array('Medium', e.medium), jsonb_build_array('', e.artwork_description)),
         array(select path from unnest(e.uploaded_files) with ordinality as f (path, at) where path ~ '^artist/' order by at),
         e.created_at
    from public.young_artist_entries as e
    left join public.schools as s on s.id = e.school_id
   where e.withdrawn_at is null and e.created_at >= (select club.season_begins_at());

-- The recordings that were sent after an entry under its name, where no other musician of the season has the name.
create view club.judged_recordings with (security_invoker = true) as
  select e.id, path
    from (select min(m.id::text)::uuid as id, club.path_name(m.entrant) as name
            from club.judged_entries as m
           where m.award = 'musician'
           group by club.path_name(m.entrant)
          having count(*) = 1) as e
    join public.extra_files as x
      on x.kind = 'music' and x.created_at >= (select club.season_begins_at()) and club.path_name(x.entrant_name) = e.name
   cross join unnest(x.uploaded_files) as path;

-- What the judge of a link may download, as bucket/path.
create function club.link_judge_files() returns text[]
language sql stable security definer set search_path = '' as $$
  with mine as (
    select e.id, e.files
      from (select club.link_judge() as judge) as me
     cross join club.sections_of(me.judge) as s
      join club.judged_entries as e on e.award = s.award and e.category = s.category
  )
  select coalesce(array_agg(path), '{}')
    from (select 'youth-awards-submissions/' || unnest(m.files) as path from mine as m
          union
          select 'music-uploads/' || r.path from mine as m join club.judged_recordings as r on r.id = m.id) as f
$$;
revoke execute on function club.link_judge_files() from public;
grant execute on function club.link_judge_files() to judge;

alter policy "A judge's token ends with the password" on storage.objects
  using ((select club.judge_is_current()) or (select club.link_judge()) is not null)
  with check ((select club.judge_is_current()) or (select club.link_judge()) is not null);
alter policy "A judge's token ends with the password" on storage.objects rename to "A judge's token ends with the password or the link";
create policy "Judges with a link read the files of what they judge" on storage.objects
  for select to judge using (bucket_id || '/' || name = any ((select club.link_judge_files())::text[]));

-- Who the judge is, what there is to judge, and by what.
create function public.own_judging() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := club.require_link_judge();
begin
  return jsonb_build_object(
    'judge', (select j.name from public.judges as j where j.id = me),
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

-- The entries of a category with the judge's own marks, oldest first; none of a category that is not the judge's.
create function public.entries_to_judge(award text, category text)
returns table (id uuid, entrant text, age integer, school text, title text, facts jsonb, files text[], recordings text[],
               place smallint, known boolean, scores jsonb, created_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_column
declare
  me uuid := club.require_link_judge();
begin
  return query
    with sent_later as materialized (
      select r.id, array_agg(r.path order by r.path) as paths from club.judged_recordings as r where $1 = 'musician' group by r.id
    )
    select e.id, e.entrant, e.age, e.school, e.title, e.facts, e.files, coalesce(r.paths, '{}'),
           m.place, coalesce(m.known, false), coalesce(m.scores, '{}'), e.created_at
      from club.sections_of(me) as s
      join club.judged_entries as e on e.award = s.award and e.category = s.category
      left join sent_later as r on r.id = e.id
      left join club.judge_marks as m on m.judge = me and m.entry = e.id and m.award = e.award
     where s.award = $1 and s.category = $2
     order by e.created_at, e.id;
end;
$$;

-- Whether the scores are those of criteria of the award, each from 0 to its maximum, or null to take one back.
create function club.are_scores(award text, scores jsonb) returns boolean
language sql stable set search_path = '' as $$
  select jsonb_typeof(scores) = 'object' and not exists (
    select from jsonb_each(case jsonb_typeof(scores) when 'object' then scores else '{}' end) as s
     where not exists (
       select from public.judging_criteria as c
        where c.award = $1 and c.id::text = s.key
          and (s.value = 'null' or (s.value::text ~ '^[0-9]{1,2}$' and s.value::text::integer <= c.maximum))))
$$;
revoke execute on function club.are_scores(text, jsonb) from public;

create function club.is_mark(award text, change jsonb) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  if jsonb_typeof(change) is distinct from 'object' then
    return false;
  end if;
  return not exists (select from jsonb_object_keys(change) as k where k not in ('place', 'known', 'scores'))
     and (not change ? 'place' or change -> 'place' in ('1', '2', '3', 'null'))
     and (not change ? 'known' or jsonb_typeof(change -> 'known') = 'boolean')
     and (not change ? 'scores' or club.are_scores(award, change -> 'scores'));
end;
$$;
revoke execute on function club.is_mark(text, jsonb) from public;

-- Changes the judge's own mark of an entry: {"place": 1 to 3 or null, "known": boolean, "scores": {"criterion": score or null}}, each optional.
create function public.save_mark(entry uuid, change jsonb) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me uuid := club.require_link_judge();
  target record;
begin
  select e.award, e.category into target
    from club.judged_entries as e
    join club.sections_of(me) as s on s.award = e.award and s.category = e.category
   where e.id = save_mark.entry;
  if target.award is null then
    raise insufficient_privilege using message = 'This entry is not yours to judge';
  end if;
  if not club.is_mark(target.award, change) then
    raise exception 'This is no mark of an entry' using errcode = 'check_violation';
  end if;
  -- One statement of a judge after the other: a category is finished before a mark, or after it.
  perform from public.judges as j where j.id = me for update;
  if exists (select from club.judge_finished as f
              where f.judge = me and f.award = target.award and f.category = target.category and f.finished_at >= club.season_begins_at()) then
    raise exception using errcode = 'CLB02', message = 'You have finished this category', hint = 'Open it again to change a mark.';
  end if;
  insert into club.judge_marks as m (judge, award, entry, place, known, scores)
  values (me, target.award, save_mark.entry, (change ->> 'place')::numeric::smallint, coalesce((change ->> 'known')::boolean, false),
          jsonb_strip_nulls(coalesce(change -> 'scores', '{}')))
  on conflict on constraint judge_marks_pkey do update
    set place = case when change ? 'place' then excluded.place else m.place end,
        known = case when change ? 'known' then excluded.known else m.known end,
        scores = jsonb_strip_nulls(m.scores || coalesce(change -> 'scores', '{}')),
        updated_at = clock_timestamp();
end;
$$;

-- Says that the judge has finished a category, or takes it back. Returns since when it is finished.
create function public.finish_judging(award text, category text, finished boolean) returns timestamptz
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
declare
  me uuid := club.require_link_judge();
  since timestamptz;
begin
  if not exists (select from club.sections_of(me) as s where s.award = $1 and s.category = $2) then
    raise insufficient_privilege using message = 'This category is not yours to judge';
  end if;
  perform from public.judges as j where j.id = me for update;
  delete from club.judge_finished as f
   where f.judge = me and (f.finished_at < club.season_begins_at() or (not $3 and f.award = $1 and f.category = $2));
  if $3 then
    insert into club.judge_finished (judge, award, category) values (me, $1, $2) on conflict on constraint judge_finished_pkey do nothing;
    select f.finished_at into since from club.judge_finished as f where f.judge = me and f.award = $1 and f.category = $2;
  end if;
  return since;
end;
$$;

revoke execute on function
  public.own_judging(), public.entries_to_judge(text, text), public.save_mark(uuid, jsonb), public.finish_judging(text, text, boolean)
  from public;
grant execute on function
  public.own_judging(), public.entries_to_judge(text, text), public.save_mark(uuid, jsonb), public.finish_judging(text, text, boolean)
  to judge;
