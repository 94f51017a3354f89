-- More of the website that the back-office edits: the chapters of the club's history,
-- figures, and what corporate membership offers. The texts that the pages had until now
-- are the first content. The first events get the days after which they leave.

create table public.site_chapters (
  id         uuid not null default gen_random_uuid(),
  -- As it is shown: a year, or "Since then".
  years      text not null,
  title      text not null,
  text       text not null,
  position   integer not null default 100,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint site_chapters_pkey primary key (id),
  constraint chapter_years_1_to_30_characters check (char_length(years) <= 30 and years ~ '\S'),
  constraint chapter_title_1_to_200_characters check (char_length(title) <= 200 and title ~ '\S'),
  constraint chapter_text_1_to_1000_characters check (char_length(text) <= 1000 and text ~ '\S')
);

create table public.site_figures (
  id         uuid not null default gen_random_uuid(),
  page       text not null,
  figure     text not null,
  text       text not null,
  position   integer not null default 100,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint site_figures_pkey primary key (id),
  constraint figure_page_is_known check (page in ('about', 'history')),
  constraint figure_1_to_20_characters check (char_length(figure) <= 20 and figure ~ '\S'),
  constraint figure_text_1_to_200_characters check (char_length(text) <= 200 and text ~ '\S')
);

create table public.site_corporate (
  id         uuid not null default gen_random_uuid(),
  part       text not null,
  -- A step has only its text.
  name       text,
  text       text not null,
  -- What is seen beside a project.
  picture    text not null default 'lighthouse',
  position   integer not null default 100,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint site_corporate_pkey primary key (id),
  constraint corporate_part_is_known check (part in ('benefit', 'project', 'step')),
  constraint corporate_name_is_given_except_for_steps check (part = 'step' or coalesce(name, '') ~ '\S'),
  constraint corporate_name_at_most_200_characters check (char_length(name) <= 200),
  constraint corporate_text_1_to_1000_characters check (char_length(text) <= 1000 and text ~ '\S'),
  constraint corporate_picture_is_known
    check (picture in ('skiff', 'dinghies', 'viewfinder', 'canvas', 'dinner', 'lectern', 'lighthouse', 'ferry'))
);

select club.register_table('public.site_chapters');
select club.register_table('public.site_figures');
select club.register_table('public.site_corporate');

-- The first content is of one season and is shown as on the day that began it, until the
-- club publishes its own: from then on, what is over leaves by itself.
alter table public.site_publications add column shown_as_of date;

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
    'corporate', (select coalesce(jsonb_agg(jsonb_build_object('part', o.part, 'name', o.name, 'text', o.text, 'picture', o.picture) order by o.position, o.created_at), '[]') from public.site_corporate as o))
$$;

-- What the pages of history and of corporate membership show of such a value.
create function club.shown_pages(draft jsonb) returns jsonb
language sql stable set search_path = '' as $$
  with figures as (
    select f ->> 'page' as page, jsonb_agg(f - 'page' order by place) as list
      from jsonb_array_elements(draft -> 'figures') with ordinality as all_of_them (f, place)
     group by 1
  ), corporate as (
    select o ->> 'part' as part,
           jsonb_agg(case o ->> 'part'
             when 'step' then jsonb_build_object('text', o -> 'text')
             when 'benefit' then jsonb_build_object('name', o -> 'name', 'text', o -> 'text')
             -- A page asks of each picture whether it is the one.
             else jsonb_build_object('name', o -> 'name', 'text', o -> 'text', 'pictures', jsonb_build_object(o ->> 'picture', true))
           end order by place) as list
      from jsonb_array_elements(draft -> 'corporate') with ordinality as all_of_them (o, place)
     group by 1
  )
  select jsonb_build_object(
    'chapters', coalesce(draft -> 'chapters', '[]'),
    'figures', jsonb_build_object(
      'about', coalesce((select list from figures where page = 'about'), '[]'),
      'history', coalesce((select list from figures where page = 'history'), '[]')),
    'corporate', jsonb_build_object(
      'benefits', coalesce((select list from corporate where part = 'benefit'), '[]'),
      'projects', coalesce((select list from corporate where part = 'project'), '[]'),
      'steps', coalesce((select list from corporate where part = 'step'), '[]')))
$$;
grant execute on function club.shown_pages(jsonb) to authenticated, service_role;

create or replace function public.published_content() returns jsonb
language sql stable security definer set search_path = '' as $$
  select club.shown_content(p.content, coalesce(p.shown_as_of, club.today())) || club.shown_pages(p.content)
         || jsonb_build_object('retention', club.retention())
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
  return club.shown_content(draft, club.today()) || club.shown_pages(draft) || jsonb_build_object('retention', club.retention());
end;
$$;

-- A club that has published nothing of its own shows the first content: it is marked as
-- such. Where the tables are unchanged too, the first events get their last days.
update public.site_publications
   set shown_as_of = '2025-08-14'
 where published_by is null and (select count(*) from public.site_publications) = 1;
update public.site_events as e
   set last_day = d.last_day
  from (values ('youth-awards', '13th November', date '2025-11-13'),
               ('anniversary-cruise', '9th October 2026', date '2026-10-13'),
               ('chartered-dinner', '14th May 2026', date '2026-05-14')) as d (slug, date_text, last_day)
 where e.slug = d.slug and e.date_text = d.date_text and e.last_day is null
   and (select p.shown_as_of is not null from public.site_publications as p order by p.created_at desc limit 1);
update public.site_publications as p
   set content = jsonb_set(p.content, '{events}', (
         select jsonb_agg(case
                  when e ->> 'last_day' is null and s.date_text = e ->> 'date_text' then e || jsonb_build_object('last_day', s.last_day)
                  else e end order by place)
           from jsonb_array_elements(p.content -> 'events') with ordinality as list (e, place)
           left join public.site_events as s on s.slug = e ->> 'slug'))
 where p.shown_as_of is not null;

insert into public.site_texts (name, label, value, position) values
  ('region', 'Our region (club history)', 'The club belongs to the organisation’s region for Scotland, where clubs from the Borders to the islands share their projects, put their young winners forward to district and national finals, and visit one another.', 10),
  ('corporateLede', 'Corporate membership: the sentence at the head', 'A seat for your company at a table where the town gets things done.', 11);
insert into public.site_chapters (years, title, text, position) values
  ('1925', 'A club is founded', 'A group of neighbours in Gourock agreed to meet regularly, to be useful to the town, and to enjoy doing it. The club has been at the town’s service ever since.', 1),
  ('1976', 'Fifty years ago', 'The friendship that our 50th anniversary cruise celebrates began here: 49 years of projects, dinners and Thursday evenings lie between then and the first plans for the Queen Anne.', 2),
  ('Since then', 'The youth awards', 'Young Musician came first, then Young Artist and Young Photographer, and Young Citizen for those who change a place without a stage. More than 500 young people have been supported through them.', 3),
  ('Today', 'Still every Thursday', 'A guest speaker, a project on the go, and a table with an empty chair for whoever walks in.', 4);
insert into public.site_figures (page, figure, text, position) values
  ('about', '1.2 million', 'members worldwide', 1),
  ('about', '47 million', 'volunteer hours a year', 2),
  ('about', '$291 million', 'funding in 2023–24', 3),
  ('about', '200+', 'countries', 4),
  ('history', '£7,000', 'raised in one season for local causes', 1),
  ('history', '£7,500', 'raised in the best one so far', 2),
  ('history', '49 years', 'of fellowship behind the anniversary cruise', 3),
  ('history', '500+', 'young people supported', 4);
insert into public.site_corporate (part, name, text, picture, position) values
  ('benefit', 'One membership, several people', 'Colleagues take turns at the meetings; the seat is the company’s.', 'lighthouse', 1),
  ('benefit', 'Known where you work', 'Your name on the programme of the awards evening, and at the projects you help with.', 'lighthouse', 2),
  ('benefit', 'A project of your own', 'Bring an idea and a team for a day: we bring the experience, the insurance and the tea.', 'lighthouse', 3),
  ('benefit', 'People worth knowing', 'A room of local business, public service and charity, every week of the year.', 'lighthouse', 4),
  ('project', 'Youth Awards Evening', 'Sponsor one of the four awards, or lend a hand on the night.', 'dinghies', 1),
  ('project', 'Community days', 'A garden, a hall or a shoreline put right by lunchtime.', 'skiff', 2),
  ('project', 'Fundraising', 'Past seasons have raised £7,000 and £7,500 for local causes.', 'dinner', 3),
  ('step', null, 'Send the enquiry form, or come to a Thursday as our guest.', 'lighthouse', 1),
  ('step', null, 'We visit you, explain what membership costs and asks, and listen to what you hope for.', 'lighthouse', 2),
  ('step', null, 'Choose who comes, and start on any Thursday.', 'lighthouse', 3);

-- Pages that were published before showed these same texts: they stay.
update public.site_publications as p
   set content = jsonb_set(p.content, '{texts}', draft.value -> 'texts' || (p.content -> 'texts'))
                 || jsonb_build_object('chapters', draft.value -> 'chapters', 'figures', draft.value -> 'figures', 'corporate', draft.value -> 'corporate')
  from (select club.site_draft() as value) as draft;
