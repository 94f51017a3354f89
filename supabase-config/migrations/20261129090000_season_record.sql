-- The row of a season is the one place where its dates are set: when entries open, their last day, the day and time of the ceremony, the day on
-- which ages are counted, and (three months after the ceremony) the day from which its personal data is destroyed. Pages, forms, mails, letters
-- and the privacy page read it. A date that no season sets is as the rules of the awards say it (site_texts): a new project has no season.

alter table public.seasons
  add column opens_on    date,
  add column deadline_on date,
  add column event_time  text,
  add column ages_on     date,
  -- Entries are taken from the first moment of the first day to the last moment of the last, in Gourock.
  add column opens_at    timestamptz generated always as (timezone('Europe/London', opens_on::timestamp)) stored,
  add column closes_at   timestamptz generated always as (timezone('Europe/London', (deadline_on + 1)::timestamp)) stored,
  add constraint season_deadline_is_not_before_opening check (deadline_on >= opens_on),
  add constraint season_event_is_not_before_deadline check (event_on >= deadline_on),
  add constraint season_event_is_not_before_opening check (event_on >= opens_on),
  add constraint season_event_time_1_to_50_characters check (char_length(event_time) <= 50 and event_time ~ '\S');
grant insert (opens_on, deadline_on, event_time, ages_on), update (opens_on, deadline_on, event_time, ages_on)
  on public.seasons to authenticated;

-- The season that the website tells of: the one whose event is next, or else the last one.
create function club.shown_season() returns setof public.seasons
language sql stable set search_path = '' as $$
  select s.*
    from public.seasons as s
   order by s.ends_at <= now(), case when s.ends_at > now() then s.ends_at end, s.ends_at desc, s.id
   limit 1
$$;

-- Its dates in the words of the pages, by the names of site_texts. What it does not set is left out.
create function club.season_texts() returns jsonb
language sql stable set search_path = '' as $$
  select coalesce((
    select jsonb_strip_nulls(jsonb_build_object(
             'opens', to_char(s.opens_on, 'FMDDth FMMonth'),
             'opensWhen', 'on ' || to_char(s.opens_on, 'FMDDth FMMonth'),
             'deadline', to_char(s.deadline_on, 'FMDDth FMMonth'),
             'ceremony', to_char(s.event_on, 'FMDDth FMMonth'),
             'ceremonyTime', s.event_time,
             'ageDate', to_char(s.ages_on, 'FMDD FMMonth YYYY'),
             'ageDateOrdinal', to_char(s.ages_on, 'FMDDth FMMonth YYYY')))
      from club.shown_season() as s), '{}')
$$;

-- One of the website's events is the ceremony: its day and time are the season's.
alter table public.site_events add column is_ceremony boolean not null default false;
update public.site_events set is_ceremony = true where slug = 'youth-awards';
update public.site_publications as p
   set content = jsonb_set(p.content, '{events}', (
         select coalesce(jsonb_agg(e || jsonb_build_object('is_ceremony', e ->> 'slug' = 'youth-awards') order by place), '[]')
           from jsonb_array_elements(p.content -> 'events') with ordinality as list (e, place)));

-- What was published (or is to be), with the season's dates in it. The season is no part of a publication: its dates are in force when they
-- are saved, and the pages say so at the same time.
create function club.in_season(draft jsonb) returns jsonb
language sql stable set search_path = '' as $$
  select draft || jsonb_build_object(
    'texts', (draft -> 'texts') || jsonb_build_object('opensWhen', 'in ' || (draft #>> '{texts,opens}')) || club.season_texts(),
    'events', (
      select coalesce(jsonb_agg(
               case when (e ->> 'is_ceremony')::boolean and s.event_on is not null
                 then e || jsonb_strip_nulls(jsonb_build_object(
                        'date_text', to_char(s.event_on, 'FMDDth FMMonth'), 'board_large', to_char(s.event_on, 'FMDD'),
                        'board_small', to_char(s.event_on, 'FMMonth'), 'time_text', s.event_time, 'last_day', s.event_on))
                 else e end order by place), '[]')
        from jsonb_array_elements(draft -> 'events') with ordinality as list (e, place)
        left join club.shown_season() as s on true))
$$;
grant execute on function club.shown_season(), club.season_texts(), club.in_season(jsonb) to authenticated, service_role;

-- These six are set in the season, and nowhere else.
create policy "Dates are set in the season" on public.site_texts as restrictive for update to authenticated
  using (name not in ('opens', 'deadline', 'ceremony', 'ceremonyTime', 'ageDate', 'ageDateOrdinal'));

-- What a letter to a guest may speak of: the events that the website shows and that are not over, a line for each.
create function club.letter_events() returns text[]
language sql stable security definer set search_path = '' as $$
  select coalesce(array_agg(
           (e ->> 'title') || ': ' || concat_ws(', ', e ->> 'date', nullif(btrim(e ->> 'time'), ''), nullif(btrim(e ->> 'location'), ''))
           order by place), '{}')
    from jsonb_array_elements(public.published_content() -> 'events') with ordinality as list (e, place)
   where e ->> 'isPast' = 'false' and place <= 20
$$;
revoke execute on function club.letter_events() from public;
