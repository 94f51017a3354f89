-- An event that is over leaves the home page and the head of the events page. In the list of the events page it stands last and says "Past",
-- until the club deletes it. A club that publishes for the first time, and has not changed the first events, keeps them as they were: publishing
-- a speaker changes no event.

create or replace function club.shown_content(draft jsonb, today date) returns jsonb
language sql stable set search_path = '' as $$
  with events as (
    select place, (e ->> 'last_day')::date < today is true as is_past, (e ->> 'is_featured')::boolean as is_featured, (e ->> 'is_on_home')::boolean as is_on_home,
           jsonb_build_object(
             'slug', e -> 'slug', 'title', e -> 'title', 'date', e -> 'date_text',
             'boardLarge', e -> 'board_large', 'boardSmall', e -> 'board_small',
             'time', e -> 'time_text', 'location', e -> 'location', 'description', e -> 'description',
             -- The first 150 characters, where there are more.
             'folded', case when char_length(e ->> 'description') > 150 then left(e ->> 'description', 150) || '...' end,
             'longDescription', e -> 'long_description', 'type', e -> 'kind',
             'isWeekly', e ->> 'kind' = 'Weekly', 'isFeatured', (e ->> 'is_featured')::boolean,
             'isPast', (e ->> 'last_day')::date < today is true,
             -- Nobody answers an invitation to what is over.
             'rsvpSubject', case when (e ->> 'last_day')::date < today then 'null' else e -> 'rsvp_subject' end) as event
      from jsonb_array_elements(draft -> 'events') with ordinality as list (e, place)
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
    'events', (select coalesce(jsonb_agg(event order by is_past, place), '[]') from events),
    'home', (select coalesce(jsonb_agg(event order by place), '[]') from events where is_on_home and not is_past),
    'featured', (select coalesce(jsonb_agg(event order by place), '[]') from (select * from events where is_featured and not is_past order by place limit 1) as one),
    'speakers', (select coalesce(jsonb_agg(evenings order by month), '[]') from months),
    'winners', (
      select jsonb_object_agg(award, (
        select coalesce(jsonb_agg(w - 'award' order by place), '[]')
          from jsonb_array_elements(draft -> 'winners') with ordinality as list (w, place)
         where w ->> 'award' = award))
        from unnest(array['citizen', 'musician', 'photographer', 'artist']) as award),
    'partners', draft -> 'partners')
$$;

-- The day as of which the next publication shows events; null for the present day.
create function club.next_as_of() returns date
language sql stable set search_path = '' as $$
  select case when p.content -> 'events' = club.site_draft() -> 'events' then p.shown_as_of end
    from public.site_publications as p
   order by p.created_at desc
   limit 1
$$;
grant execute on function club.next_as_of() to authenticated, service_role;

create or replace function public.draft_content() returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  draft jsonb;
begin
  perform club.require_admin();
  draft := club.site_draft();
  return club.shown_content(draft, coalesce(club.next_as_of(), club.today())) || club.shown_pages(draft)
         || jsonb_build_object('retention', club.retention());
end;
$$;

create or replace function public.publish_site() returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform club.require_admin();
  insert into public.site_publications (content, published_by, shown_as_of) values (club.site_draft(), auth.email(), club.next_as_of());
  delete from public.site_publications
   where id not in (select id from public.site_publications order by created_at desc limit 20);
end;
$$;
