-- What the website says that changes with the season: its dates and texts, events,
-- speakers, winners and partners. Admins edit the tables, which nobody else reads;
-- publish_site takes a copy of all of them, and only that copy is shown.

-- Single texts, by the names that the pages know. They are changed, never added or removed.
create table public.site_texts (
  id         uuid not null default gen_random_uuid(),
  name       text not null,
  label      text not null,
  value      text not null,
  position   integer not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint site_texts_pkey primary key (id),
  constraint site_texts_name_key unique (name),
  constraint site_text_1_to_1000_characters check (char_length(value) <= 1000 and value ~ '\S')
);

create table public.site_events (
  id               uuid not null default gen_random_uuid(),
  -- The event's name in links: /events#slug.
  slug             text not null,
  title            text not null,
  -- As it is read out, such as "Every Thursday".
  date_text        text not null,
  -- As the board shows it: large, and the line beneath.
  board_large      text not null,
  board_small      text not null,
  time_text        text not null,
  location         text not null,
  description      text not null,
  long_description text,
  kind             text not null,
  is_featured      boolean not null default false,
  is_on_home       boolean not null default false,
  rsvp_subject     text,
  -- After this day the event is shown no more; null for one that recurs.
  last_day         date,
  position         integer not null default 100,
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now(),
  constraint site_events_pkey primary key (id),
  constraint site_events_slug_key unique (slug),
  constraint event_slug_is_plain check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 80),
  constraint event_title_1_to_200_characters check (char_length(title) <= 200 and title ~ '\S'),
  constraint event_date_1_to_100_characters check (char_length(date_text) <= 100 and date_text ~ '\S'),
  constraint event_board_at_most_30_characters check (char_length(board_large) <= 8 and char_length(board_small) <= 30),
  constraint event_time_at_most_100_characters check (char_length(time_text) <= 100),
  constraint event_location_at_most_200_characters check (char_length(location) <= 200),
  constraint event_description_1_to_1000_characters check (char_length(description) <= 1000 and description ~ '\S'),
  constraint event_long_description_at_most_5000_characters check (char_length(long_description) <= 5000),
  constraint event_kind_is_known check (kind in ('Annual Event', 'Special Event', 'Weekly')),
  constraint event_rsvp_subject_at_most_200_characters check (char_length(rsvp_subject) <= 200)
);

create table public.site_speakers (
  id         uuid not null default gen_random_uuid(),
  held_on    date not null,
  speaker    text,
  notes      text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint site_speakers_pkey primary key (id),
  constraint speaker_at_most_200_characters check (char_length(speaker) <= 200),
  constraint speaker_notes_at_most_200_characters check (char_length(notes) <= 200)
);

create table public.site_winners (
  id         uuid not null default gen_random_uuid(),
  award      text not null,
  year       integer not null,
  text       text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint site_winners_pkey primary key (id),
  constraint winner_award_is_known check (award in ('citizen', 'musician', 'photographer', 'artist')),
  constraint winner_year_1925_to_2200 check (year between 1925 and 2200),
  constraint winner_text_1_to_500_characters check (char_length(text) <= 500 and text ~ '\S')
);

create table public.site_partners (
  id         uuid not null default gen_random_uuid(),
  name       text not null,
  text       text not null,
  position   integer not null default 100,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint site_partners_pkey primary key (id),
  constraint partner_name_1_to_200_characters check (char_length(name) <= 200 and name ~ '\S'),
  constraint partner_text_1_to_1000_characters check (char_length(text) <= 1000 and text ~ '\S')
);

-- A copy of the tables for each time they were published; the last one is shown.
create table public.site_publications (
  id           uuid not null default gen_random_uuid(),
  content      jsonb not null,
  published_by text,
  created_at   timestamptz not null default clock_timestamp(),
  updated_at   timestamptz not null default now(),
  constraint site_publications_pkey primary key (id),
  constraint publication_at_most_262144_bytes check (octet_length(content::text) <= 262144)
);
create index site_publications_created_at_idx on public.site_publications (created_at desc);

select club.register_table('public.site_texts');
revoke insert, update, delete on public.site_texts from authenticated;
grant update (value) on public.site_texts to authenticated;
select club.register_table('public.site_events');
select club.register_table('public.site_speakers');
select club.register_table('public.site_winners');
select club.register_table('public.site_partners');
select club.register_table('public.site_publications', read_only_policy => 'Admins read what was published');

-- The tables as one value.
create function club.site_draft() returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'texts', (select jsonb_object_agg(t.name, t.value) from public.site_texts as t),
    'events', (select coalesce(jsonb_agg(to_jsonb(e) - 'id' - 'created_at' - 'updated_at' order by e.position, e.title), '[]') from public.site_events as e),
    'speakers', (select coalesce(jsonb_agg(jsonb_build_object('held_on', s.held_on, 'speaker', s.speaker, 'notes', s.notes) order by s.held_on, s.created_at), '[]') from public.site_speakers as s),
    'winners', (select coalesce(jsonb_agg(jsonb_build_object('award', w.award, 'year', w.year, 'text', w.text) order by w.year desc, w.created_at), '[]') from public.site_winners as w),
    'partners', (select coalesce(jsonb_agg(jsonb_build_object('name', p.name, 'text', p.text) order by p.position, p.name), '[]') from public.site_partners as p))
$$;

-- What the pages show of such a value on a day: events that are over have left, an
-- evening with neither speaker nor notes is not shown, evenings stand by month.
create function club.shown_content(draft jsonb, today date) returns jsonb
language sql stable set search_path = '' as $$
  with events as (
    select place, e ->> 'slug' as slug, (e ->> 'is_featured')::boolean as is_featured, (e ->> 'is_on_home')::boolean as is_on_home,
           jsonb_build_object(
             'slug', e -> 'slug', 'title', e -> 'title', 'date', e -> 'date_text',
             'boardLarge', e -> 'board_large', 'boardSmall', e -> 'board_small',
             'time', e -> 'time_text', 'location', e -> 'location', 'description', e -> 'description',
             -- The first 150 characters, where there are more.
             'folded', case when char_length(e ->> 'description') > 150 then left(e ->> 'description', 150) || '...' end,
             'longDescription', e -> 'long_description', 'type', e -> 'kind',
             'isWeekly', e ->> 'kind' = 'Weekly', 'isFeatured', (e ->> 'is_featured')::boolean,
             'rsvpSubject', e -> 'rsvp_subject') as event
      from jsonb_array_elements(draft -> 'events') with ordinality as list (e, place)
     where (e ->> 'last_day') is null or (e ->> 'last_day')::date >= today
  ), evenings as (
    select (s ->> 'held_on')::date as held_on, place, coalesce(s ->> 'speaker', '') as speaker, coalesce(s ->> 'notes', '') as notes
      from jsonb_array_elements(draft -> 'speakers') with ordinality as list (s, place)
     where coalesce(s ->> 'speaker', '') <> '' or coalesce(s ->> 'notes', '') <> ''
  ), months as (
    select date_trunc('month', held_on::timestamp) as month,
           jsonb_build_object(
             'month', to_char(min(held_on), 'FMMonth YYYY'),
             'rows', jsonb_agg(jsonb_build_object(
               'date', to_char(held_on, 'FMDD FMMonth YYYY'), 'shortDate', to_char(held_on, 'FMDD Mon'),
               'speaker', speaker, 'notes', notes) order by place)) as evenings
      from evenings
     group by 1
  )
  select jsonb_build_object(
    'texts', draft -> 'texts',
    'events', (select coalesce(jsonb_agg(event order by place), '[]') from events),
    'home', (select coalesce(jsonb_agg(event order by place), '[]') from events where is_on_home),
    'featured', (select coalesce(jsonb_agg(event order by place), '[]') from (select * from events where is_featured order by place limit 1) as one),
    'speakers', (select coalesce(jsonb_agg(evenings order by month), '[]') from months),
    'winners', (
      select jsonb_object_agg(award, (
        select coalesce(jsonb_agg(w - 'award' order by place), '[]')
          from jsonb_array_elements(draft -> 'winners') with ordinality as list (w, place)
         where w ->> 'award' = award))
        from unnest(array['citizen', 'musician', 'photographer', 'artist']) as award),
    'partners', draft -> 'partners')
$$;

create function club.today() returns date
language sql stable set search_path = '' as $$
  select timezone('Europe/London', now())::date
$$;

-- What visitors are shown. The server writes it into the pages that it sends.
create function public.published_content() returns jsonb
language sql stable security definer set search_path = '' as $$
  select club.shown_content(p.content, club.today())
    from public.site_publications as p
   order by p.created_at desc
   limit 1
$$;

-- What they would be shown: for the preview.
create function public.draft_content() returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  perform club.require_admin();
  return club.shown_content(club.site_draft(), club.today());
end;
$$;

-- When the site was published last, by whom, and whether the tables say something else now.
create function public.site_status() returns table (published_at timestamptz, published_by text, has_changes boolean)
language plpgsql stable set search_path = '' as $$
begin
  perform club.require_admin();
  return query
    select p.created_at, p.published_by, p.content is distinct from club.site_draft()
      from public.site_publications as p
     order by p.created_at desc
     limit 1;
end;
$$;

-- Shows the tables as they are now. The last twenty copies are kept.
create function public.publish_site() returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform club.require_admin();
  insert into public.site_publications (content, published_by) values (club.site_draft(), auth.email());
  delete from public.site_publications
   where id not in (select id from public.site_publications order by created_at desc limit 20);
end;
$$;

grant execute on function public.published_content() to anon, authenticated, service_role;
grant execute on function
  club.site_draft(), club.shown_content(jsonb, date), club.today(),
  public.draft_content(), public.site_status(), public.publish_site()
  to authenticated, service_role;

-- The first content: every name is made up, and says so.
insert into public.site_texts (name, label, value, position) values
  ('opens', 'Nominations open', 'August', 1),
  ('deadline', 'Deadline', '31st October', 2),
  ('ceremony', 'Ceremony', '13th November', 3),
  ('ceremonyTime', 'Time of the ceremony', '6:30 PM', 4),
  ('ageDate', 'Ages are counted on', '31 August 2025', 5),
  ('ageDateOrdinal', 'The same day, as mails write it', '31st August 2025', 6),
  ('theme', 'Theme of the Young Artist award', 'Happiness in Nature', 7),
  ('speakersTitle', 'Title of the speaker schedule', 'Speaker Schedule 2025–26', 8),
  ('memorial', 'In memory (club history)', 'We remember the members who are no longer with us. They gave their Thursdays, their skill and their good humour to this town, and much of what we do was theirs first.', 9);
insert into public.site_events
  (slug, title, date_text, board_large, board_small, time_text, location, description, long_description, kind, is_featured, is_on_home, rsvp_subject, position) values
  ('youth-awards', 'Youth Awards', '13th November', '13', 'November', '6:30 PM', 'The arts centre',
   'Four awards, one evening: the ceremony for Young Citizen, Young Musician, Young Photographer and Young Artist. Family, friends and teachers are all welcome.',
   'The evening brings together everyone who entered: the musicians perform, the photographs and paintings hang in the foyer, and the citizens are thanked by the people they helped. Doors open before 6:30 PM; tickets come from the arts centre.', 'Annual Event', true, true, null, 1),
  ('weekly-guest-speakers', 'Weekly Guest Speakers', 'Every Thursday', 'Thu', 'every week', '7:00 PM', 'The golf club, Gourock',
   'Good company and a talk. No booking: come as a visitor and see if it suits you.',
   'Every Thursday somebody interesting stands up and tells us what they know. The schedule further down this page says who is coming. Visitors are welcome, and nobody will ask you to join before you have finished your tea.', 'Weekly', false, true, null, 2),
  ('anniversary-cruise', '50th Anniversary Celebration (Queen Anne Cruise)', '9th October 2026', '9', 'October 2026', '4 nights / 5 days', 'Queen Anne',
   'Four nights and five days at sea to mark fifty years. £108 per person per night for an inside cabin, £120 per person per night with an ocean view. RSVP by 1 September.',
   'We are celebrating our 50th anniversary aboard the Queen Anne, leaving on 9th October 2026. An inside cabin costs £108 per person per night and a cabin with an ocean view £120 per person per night, for four nights. Please let us know by 1 September whether you are coming.', 'Special Event', false, true, 'RSVP – 50th Anniversary Celebration (Queen Anne Cruise)', 3),
  ('chartered-dinner', 'Chartered Rotary Dinner', '14th May 2026', '14', 'May 2026', '7:00 PM', 'The golf club, Gourock',
   'The evening on which the club marks another year of service, with dinner, a toast and a few old stories.',
   null, 'Annual Event', false, false, null, 4);
insert into public.site_speakers (held_on, speaker, notes) values
  ('2025-08-14', null, 'First meeting of the season'),
  ('2025-08-21', 'A lighthouse keeper’s family', null),
  ('2025-08-28', 'The outdoor pool', 'Bring a towel if you are brave'),
  ('2025-09-04', 'The lifeboat crew', null),
  ('2025-09-11', null, null),
  ('2025-09-18', 'Ferries of the Clyde', 'With slides'),
  ('2025-10-02', 'A head teacher', null),
  ('2025-10-09', 'The food bank', 'Collection on the night'),
  ('2025-10-23', null, 'Club business'),
  ('2025-10-30', 'Beekeeping on a hillside', null),
  ('2025-11-13', null, 'Youth Awards at the arts centre, 6:30 PM'),
  ('2025-11-20', 'A ship’s engineer', null),
  ('2025-12-04', 'Carols', 'Guests welcome'),
  ('2025-12-18', null, null),
  ('2026-01-08', 'The winter garden', null),
  ('2026-01-22', null, 'Burns supper'),
  ('2026-02-05', 'Mountain rescue', null),
  ('2026-02-19', 'A local historian', 'Gourock before the railway'),
  ('2026-03-05', 'The hospice', null),
  ('2026-03-19', 'Last year’s Young Musicians', 'With music'),
  ('2026-04-02', null, null),
  ('2026-04-16', 'Seabirds of the Firth', null),
  ('2026-05-14', null, 'Chartered Rotary Dinner, 7:00 PM'),
  ('2026-05-21', null, 'Last meeting of the season');
insert into public.site_winners (award, year, text) values
  ('citizen', 2024, 'A Sample Youth Group (a made-up name): weekly visits to people who live alone, and a Christmas dinner for sixty.'),
  ('citizen', 2023, 'Jamie Sample (a made-up name): part of a family’s long campaign that has raised £300,000 for a children’s charity.'),
  ('citizen', 2022, 'Robin Example (a made-up name): ran the school’s beach clean for three winters.'),
  ('musician', 2023, 'Alex Example, vocal, and Sam Sample, instrumental (made-up names).'),
  ('musician', 2022, 'Chris Example, vocal, and Jo Sample, instrumental (made-up names).'),
  ('photographer', 2023, 'Pat Example, senior, and Kit Sample, intermediate (made-up names).'),
  ('photographer', 2022, 'Lee Example, senior, and Max Sample, intermediate (made-up names).'),
  ('artist', 2023, 'Ellis Example, senior, Rory Sample, intermediate, and Bo Specimen, junior (made-up names).'),
  ('artist', 2022, 'Dale Example, senior, Wren Sample, intermediate, and Sky Specimen, junior (made-up names).');
insert into public.site_partners (name, text, position) values
  ('Sample Chandlers Ltd (made up)', 'Three of the team share one membership. They rigged the bunting for the awards evening, and came back the next year.', 1),
  ('Example Dental Practice (made up)', 'Joined for the speakers, stayed for the beach clean, and now judges the singing with their eyes shut.', 2);
insert into public.site_publications (content) values (club.site_draft());
