-- An event may have a picture, with words for whoever does not see it. It is published with the event: the file is in a private bucket, and
-- visitors read those files only that the last publication names.

alter table public.site_events
  add column picture     text,
  add column picture_alt text,
  add constraint event_picture_is_a_path check (picture ~ '^events/[0-9]{10,17}-[^/]+$' and char_length(picture) <= 500),
  add constraint event_picture_has_words check (picture is null or coalesce(picture_alt, '') ~ '\S'),
  add constraint event_picture_alt_at_most_300_characters check (char_length(picture_alt) <= 300);

-- What is published says the same as the tables, as before.
update public.site_publications as p
   set content = jsonb_set(p.content, '{events}', (
         select coalesce(jsonb_agg(e || '{"picture": null, "picture_alt": null}' order by place), '[]')
           from jsonb_array_elements(p.content -> 'events') with ordinality as list (e, place)));

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ('site-pictures', 'site-pictures', false, 10 * 1024 * 1024, array['image/jpeg', 'image/png', 'image/webp'])
on conflict (id) do update
  set public = excluded.public,
      file_size_limit = excluded.file_size_limit,
      allowed_mime_types = excluded.allowed_mime_types;

-- The pictures that visitors are shown.
create function club.published_pictures() returns text[]
language sql stable security definer set search_path = '' as $$
  select coalesce(array_agg(e ->> 'picture'), '{}')
    from (select content from public.site_publications order by created_at desc limit 1) as p
   cross join jsonb_array_elements(p.content -> 'events') as e
   where e ->> 'picture' is not null
$$;
revoke execute on function club.published_pictures() from public;
grant execute on function club.published_pictures() to anon, authenticated, service_role;

create policy "Visitors read the pictures that are published" on storage.objects
  for select to anon, authenticated
  using (bucket_id = 'site-pictures' and name = any ((select club.published_pictures())::text[]));
create policy "Admins keep the pictures of the website" on storage.objects
  for all to authenticated
  using (bucket_id = 'site-pictures' and (select club.is_admin()))
  with check (bucket_id = 'site-pictures' and (select club.is_admin()));
create policy "Admins see the bucket of pictures" on storage.buckets
  for select to authenticated
  using (id = 'site-pictures' and (select club.is_admin()));

-- The pictures that neither the website nor an event shows. One of the last day may belong to a form that is not saved yet.
create function public.unused_pictures() returns table (name text)
language plpgsql stable set search_path = '' as $$
begin
  perform club.require_admin();
  return query
    select o.name
      from storage.objects as o
     where o.bucket_id = 'site-pictures' and o.created_at < now() - interval '1 day'
       and o.name <> all (club.published_pictures())
       and not exists (select from public.site_events as e where e.picture = o.name)
     order by o.name;
end;
$$;
revoke execute on function public.unused_pictures() from public;
grant execute on function public.unused_pictures() to authenticated, service_role;

-- As before, with the picture of an event.
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
             'longDescription', e -> 'long_description', 'picture', e -> 'picture', 'pictureAlt', e -> 'picture_alt', 'type', e -> 'kind',
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
