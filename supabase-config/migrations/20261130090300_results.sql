-- The results page: winners, places and pictures, of entries whose consent to publicity is recorded, and of no others. A publication names
-- entries by their ids. Names, titles and pictures are read from the entries when the page is sent: an entry that is withdrawn or deleted, or
-- whose consent is taken back, is gone from the page and the gallery at once.

-- The entries that may be shown, with what may be shown of them. Pictures are those that every browser draws.
create view club.public_entries with (security_invoker = true) as
  select 'citizen' as award, id, initcap(nomination_type) as category, nominee_name as name, null::text as title,
         null::smallint as place, null::text as picture, created_at
    from public.young_citizen_nominations
   where publicity_consent = 'agree' and withdrawn_at is null
  union all
  select 'musician', id, case when category ilike '%vocal%' then 'Vocal' else 'Instrumental' end, entrant_name, piece_title, null, null, created_at
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
grant select on club.public_entries to authenticated, service_role;

-- What the club wants to show: a result, or only the picture in the gallery.
create table public.site_results (
  id         uuid not null default gen_random_uuid(),
  award      text not null,
  entry      uuid not null,
  kind       text not null default 'result',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint site_results_pkey primary key (id),
  constraint site_results_entry_key unique (entry),
  constraint result_award_is_known check (award in ('citizen', 'musician', 'photographer', 'artist')),
  constraint result_kind_is_known check (kind in ('result', 'picture'))
);
select club.register_table('public.site_results');
create trigger tell_of_change after insert or update or delete on public.site_results
  for each statement execute function club.tell_of_change('desk');

create function club.require_consent() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if not exists (select from club.public_entries as e where e.award = new.award and e.id = new.entry) then
    raise exception 'No consent to publicity is recorded for this entry' using errcode = 'check_violation';
  end if;
  return new;
end;
$$;
revoke execute on function club.require_consent() from public;
create trigger require_consent before insert or update on public.site_results
  for each row execute function club.require_consent();

create function club.forget_results() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from public.site_results where entry = old.id;
  return null;
end;
$$;
revoke execute on function club.forget_results() from public;
create trigger forget_results after delete on public.young_citizen_nominations for each row execute function club.forget_results();
create trigger forget_results after delete on public.young_musician_entries for each row execute function club.forget_results();
create trigger forget_results after delete on public.young_photographer_entries for each row execute function club.forget_results();
create trigger forget_results after delete on public.young_artist_entries for each row execute function club.forget_results();

-- Puts the entries that came in between two moments on the list: those with a place or the mail of a winner, or all that have a picture.
-- Returns how many were added.
create function public.take_results(since timestamptz, until timestamptz, pictures boolean default false) returns integer
language plpgsql set search_path = '' as $$
declare
  added integer;
begin
  perform club.require_admin();
  insert into public.site_results as r (award, entry, kind)
  select e.award, e.id, case when pictures then 'picture' else 'result' end
    from club.public_entries as e
   where e.created_at >= coalesce(since, '-infinity') and e.created_at < coalesce(until, 'infinity')
     and case when pictures then e.picture is not null
              else e.place is not null
                   or exists (select from public.entry_mails as m where m.entry = e.id and m.award = e.award and m.state = 'winner') end
  on conflict (entry) do update set kind = 'result' where r.kind = 'picture' and excluded.kind = 'result';
  get diagnostics added = row_count;
  return added;
end;
$$;

-- The list as administrators see it. An entry that may not be shown any more has no name here.
create function public.listed_results() returns table (id uuid, award text, kind text, name text, category text, place smallint, title text, picture text, updated_at timestamptz)
language plpgsql stable set search_path = '' as $$
#variable_conflict use_column
begin
  perform club.require_admin();
  return query
    select r.id, r.award, r.kind, e.name, e.category, e.place, e.title, e.picture, r.updated_at
      from public.site_results as r
      left join club.public_entries as e on e.id = r.entry and e.award = r.award
     order by array_position(array['citizen', 'musician', 'photographer', 'artist'], r.award), e.category, e.place, e.name, r.id;
end;
$$;
revoke execute on function public.take_results(timestamptz, timestamptz, boolean), public.listed_results() from public;
grant execute on function public.take_results(timestamptz, timestamptz, boolean), public.listed_results() to authenticated, service_role;

-- As before, with the results: which entry, as what, in which place.
create or replace function club.site_draft() returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'texts', (select jsonb_object_agg(t.name, t.value) from public.site_texts as t),
    'events', (select coalesce(jsonb_agg(to_jsonb(e) - 'id' - 'created_at' - 'updated_at' order by e.position, e.title), '[]') from public.site_events as e),
    'speakers', (select coalesce(jsonb_agg(jsonb_build_object('held_on', s.held_on, 'speaker', s.speaker, 'notes', s.notes) order by s.held_on, s.created_at), '[]') from public.site_speakers as s),
    'winners', (select coalesce(jsonb_agg(jsonb_build_object('award', w.award, 'year', w.year, 'text', w.text) order by w.year desc, w.created_at), '[]') from public.site_winners as w),
    'partners', (select coalesce(jsonb_agg(jsonb_build_object('name', p.name, 'text', p.text) order by p.position, p.name), '[]') from public.site_partners as p),
    'chapters', (select coalesce(jsonb_agg(jsonb_build_object('years', c.years, 'title', c.title, 'text', c.text) order by c.position, c.created_at), '[]') from public.site_chapters as c),
    'figures', (select coalesce(jsonb_agg(jsonb_build_object('page', f.page, 'figure', f.figure, 'text', f.text) order by f.position, f.created_at), '[]') from public.site_figures as f),
    'corporate', (select coalesce(jsonb_agg(jsonb_build_object('part', o.part, 'name', o.name, 'text', o.text, 'picture', o.picture) order by o.position, o.created_at), '[]') from public.site_corporate as o),
    'results', (
      select coalesce(jsonb_agg(jsonb_build_object('award', r.award, 'entry', r.entry, 'kind', r.kind, 'place', e.place) order by r.award, e.place, r.entry), '[]')
        from public.site_results as r
        join club.public_entries as e on e.id = r.entry and e.award = r.award))
$$;
update public.site_publications set content = content || '{"results": []}';

-- The results and the gallery of what was published (or is to be), as the pages show them.
create function club.shown_results(draft jsonb) returns jsonb
language sql stable set search_path = '' as $$
  with listed as (
    select e.award, array_position(array['citizen', 'musician', 'photographer', 'artist'], e.award) as award_at, e.category, e.name,
           coalesce(e.title, '') as title, e.picture, r ->> 'kind' = 'result' as is_result, (r ->> 'place')::integer as place
      from jsonb_array_elements(draft -> 'results') as r
      join club.public_entries as e on e.id = (r ->> 'entry')::uuid and e.award = r ->> 'award'
  ), awards as (
    select award_at,
           jsonb_build_object(
             'award', 'Young ' || initcap(min(award)) || ' Award',
             'rows', jsonb_agg(jsonb_build_object(
               'result', case place when 1 then '1st place' when 2 then '2nd place' when 3 then '3rd place' else 'Winner' end,
               'category', category, 'name', name, 'title', title) order by category, place, name)) as award
      from listed
     where is_result
     group by award_at
  )
  select jsonb_build_object(
    'results', (select coalesce(jsonb_agg(award order by award_at), '[]') from awards),
    'gallery', (
      select coalesce(jsonb_agg(jsonb_build_object(
               'picture', picture, 'name', name, 'title', title,
               'alt', case when title = '' then 'Picture by ' || name else title || ', by ' || name end) order by award_at, place nulls last, name), '[]')
        from listed
       where picture is not null))
$$;
revoke execute on function club.shown_results(jsonb) from public;
grant execute on function club.shown_results(jsonb) to authenticated, service_role;

create or replace function public.published_content() returns jsonb
language sql stable security definer set search_path = '' as $$
  select club.shown_content(club.in_season(p.content), coalesce(p.shown_as_of, club.today())) || club.shown_pages(p.content)
         || club.shown_results(p.content)
         || jsonb_build_object('retention', club.retention(), 'entries', club.entry_state())
    from public.site_publications as p
   order by p.created_at desc
   limit 1
$$;

create or replace function public.draft_content() returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  draft jsonb;
begin
  perform club.require_admin();
  draft := club.site_draft();
  return club.shown_content(club.in_season(draft), coalesce(club.next_as_of(), club.today())) || club.shown_pages(draft)
         || club.shown_results(draft)
         || jsonb_build_object('retention', club.retention(), 'entries', club.entry_state());
end;
$$;

-- The pictures of entries that the gallery shows to everybody.
create function club.published_entry_pictures() returns text[]
language sql stable security definer set search_path = '' as $$
  select coalesce(array_agg(e.picture), '{}')
    from (select content from public.site_publications order by created_at desc limit 1) as p
   cross join jsonb_array_elements(p.content -> 'results') as r
    join club.public_entries as e on e.id = (r ->> 'entry')::uuid and e.award = r ->> 'award'
   where e.picture is not null
$$;
revoke execute on function club.published_entry_pictures() from public;
grant execute on function club.published_entry_pictures() to anon, authenticated, service_role;
create policy "Visitors read the pictures of published results" on storage.objects
  for select to anon, authenticated
  using (bucket_id = 'youth-awards-submissions' and name = any ((select club.published_entry_pictures())::text[]));
