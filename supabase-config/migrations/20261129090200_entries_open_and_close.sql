-- Forms open and close by themselves, by the dates of the season and the clock of the database. A visitor's row is refused outside the
-- season, with the dates in the error. An administrator may give one entrant a late link, which is good for one row of one form.

-- Whether entries are closed, since which last day, and on which day they open; null where the season does not say.
create function club.closed_entries(out is_closed boolean, out closed_on date, out opens_on date)
language plpgsql stable security definer set search_path = '' as $$
declare
  coming public.seasons;
  past public.seasons;
begin
  select s.* into coming from public.seasons as s where s.ends_at > now() order by s.ends_at, s.id limit 1;
  select s.* into past from public.seasons as s where s.ends_at <= now() order by s.ends_at desc, s.id limit 1;
  if coming.id is null then
    -- A season without a last day never closes; nor does a project without a season.
    is_closed := past.closes_at is not null;
    closed_on := past.deadline_on;
  elsif coming.opens_at > now() then
    is_closed := true;
    closed_on := past.deadline_on;
    opens_on := coming.opens_on;
  elsif coming.closes_at <= now() then
    is_closed := true;
    closed_on := coming.deadline_on;
    opens_on := (select s.opens_on from public.seasons as s where s.ends_at > coming.ends_at order by s.ends_at, s.id limit 1);
  else
    is_closed := false;
  end if;
end;
$$;
revoke execute on function club.closed_entries() from public;
grant execute on function club.closed_entries() to authenticated, service_role;

-- The same for the pages, with days as they are read out. What the website shows has the dates of the season, and whether entries are closed.
create function club.entry_state() returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'isClosed', c.is_closed,
    'closedOn', to_char(c.closed_on, 'FMDD FMMonth YYYY'),
    'opensOn', to_char(c.opens_on, 'FMDD FMMonth YYYY'))
    from club.closed_entries() as c
$$;
revoke execute on function club.entry_state() from public;
grant execute on function club.entry_state() to authenticated, service_role;

create or replace function public.published_content() returns jsonb
language sql stable security definer set search_path = '' as $$
  select club.shown_content(club.in_season(p.content), coalesce(p.shown_as_of, club.today())) || club.shown_pages(p.content)
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
         || jsonb_build_object('retention', club.retention(), 'entries', club.entry_state());
end;
$$;

-- Late links. The link itself is shown once, to the administrator who makes it: here is only its hash. The table has no updated_at, so the
-- log does not repeat the entrant's name.
create table public.late_links (
  id         uuid not null default gen_random_uuid(),
  -- The form: citizen, musician, photographer, artist, additional or music.
  award      text not null,
  -- For whom, as the administrator wrote it.
  entrant    text not null,
  token_hash bytea not null,
  created_by text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at    timestamptz,
  -- The row that was sent with it.
  entry      uuid,
  revoked_at timestamptz,
  revoked_by text,
  constraint late_links_pkey primary key (id),
  constraint late_links_token_hash_key unique (token_hash),
  constraint late_link_award_is_known check (award in ('citizen', 'musician', 'photographer', 'artist', 'additional', 'music')),
  constraint late_link_entrant_1_to_200_characters check (char_length(entrant) <= 200 and entrant ~ '\S')
);
select club.register_table('public.late_links', read_only_policy => 'Admins read the late links');
revoke select on public.late_links from authenticated;
grant select (id, award, entrant, created_by, created_at, expires_at, used_at, entry, revoked_at, revoked_by)
  on public.late_links to authenticated;
create index late_links_entry_idx on public.late_links (entry);
create trigger tell_of_change after insert or update or delete on public.late_links
  for each statement execute function club.tell_of_change('desk');

-- What is stored of a link's token.
create function club.token_hash(token text) returns bytea
language sql immutable set search_path = '' as $$
  select sha256(convert_to(token, 'utf8'))
$$;
revoke execute on function club.token_hash(text) from public;

-- Makes a link for one entrant and one form, good until the end of a day that is not after the season's event. Returns its token: 244 random
-- bits, which nothing can show again.
create function public.create_late_link(award text, entrant text, last_day date) returns text
language plpgsql security definer set search_path = '' as $$
declare
  token text := replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  event date;
begin
  perform club.require_admin();
  select s.event_on into event from public.seasons as s where s.ends_at > now() order by s.ends_at, s.id limit 1;
  if event is null then
    raise exception 'There is no season to enter: set the date of its event first';
  end if;
  if last_day is null or last_day < club.today() or last_day > event then
    raise exception 'The last day is from today to the day of the event';
  end if;
  insert into public.late_links (award, entrant, token_hash, created_by, expires_at)
  values (create_late_link.award, btrim(create_late_link.entrant), club.token_hash(token), auth.email(),
          timezone('Europe/London', (last_day + 1)::timestamp));
  return token;
end;
$$;

-- Ends a link that was not used; false if it had ended already.
create function public.revoke_late_link(link uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  perform club.require_admin();
  update public.late_links as l
     set revoked_at = now(), revoked_by = auth.email()
   where l.id = link and l.revoked_at is null and l.used_at is null;
  return found;
end;
$$;

-- Which form a link opens, and until when; no row for one that is unknown, used, revoked or past. It does not say for whom it is. A network
-- may ask three hundred times in an hour: a school has one address.
create function public.late_link(token text) returns table (award text, expires_at timestamptz)
language plpgsql volatile security definer set search_path = '' as $$
declare
  network text := coalesce(nullif(current_setting('cloch.network', true), ''), 'unknown');
begin
  if cloch.take('club/late-links/' || network, 300, interval '1 hour') > interval '0' then
    raise exception using errcode = 'PT429', message = 'Too many late links were tried from this network', hint = 'Try again in an hour.';
  end if;
  return query
    select l.award, l.expires_at
      from public.late_links as l
     where l.token_hash = club.token_hash(token) and l.used_at is null and l.revoked_at is null and l.expires_at > now();
end;
$$;

grant execute on function public.create_late_link(text, text, date), public.revoke_late_link(uuid) to authenticated, service_role;
grant execute on function public.late_link(text) to anon, service_role;

-- The token that came with a request, in the header x-late-link.
create function club.sent_late_link() returns text
language plpgsql stable set search_path = '' as $$
begin
  return nullif(current_setting('request.headers', true), '')::json ->> 'x-late-link';
exception when others then
  return null;
end;
$$;
revoke execute on function club.sent_late_link() from public;

-- After a visitor's row; its argument is the form, which a row of extra_files names itself. After the row's own constraints: a second click or
-- a retry is told that the entry is there, also when entries have closed meanwhile.
create function club.admit() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  state record;
begin
  select * into state from club.closed_entries();
  if not state.is_closed then
    return null;
  end if;
  update public.late_links as l
     set used_at = now(), entry = new.id
   where l.token_hash = club.token_hash(club.sent_late_link())
     and l.award = coalesce(tg_argv[0], to_jsonb(new) ->> 'kind')
     and l.used_at is null and l.revoked_at is null and l.expires_at > now();
  if found then
    return null;
  end if;
  raise exception using
    errcode = 'CLB01',
    message = concat_ws('. ',
      case when state.closed_on is null then 'Entries are closed' else 'Entries closed at the end of ' || to_char(state.closed_on, 'FMDD FMMonth YYYY') end,
      'They open on ' || to_char(state.opens_on, 'FMDD FMMonth YYYY')),
    hint = 'An administrator of the club can send a late link for one entry.';
end;
$$;
revoke execute on function club.admit() from public, anon, authenticated;

-- Its name comes before those of the other triggers, which then do nothing for a row that is refused.
create trigger admit after insert on public.young_citizen_nominations
  for each row when (current_user = 'anon') execute function club.admit('citizen');
create trigger admit after insert on public.young_musician_entries
  for each row when (current_user = 'anon') execute function club.admit('musician');
create trigger admit after insert on public.young_photographer_entries
  for each row when (current_user = 'anon') execute function club.admit('photographer');
create trigger admit after insert on public.young_artist_entries
  for each row when (current_user = 'anon') execute function club.admit('artist');
create trigger admit after insert on public.extra_files
  for each row when (current_user = 'anon') execute function club.admit();

-- Files come before their row: they are taken while entries are open, or while a late link is.
create function club.takes_files() returns boolean
language sql stable security definer set search_path = '' as $$
  select not (select c.is_closed from club.closed_entries() as c)
      or exists (
        select from public.late_links as l where l.used_at is null and l.revoked_at is null and l.expires_at > now())
$$;
revoke execute on function club.takes_files() from public;
grant execute on function club.takes_files() to anon, service_role;
create policy "Visitors upload while entries are open" on storage.objects as restrictive for insert to anon
  with check (bucket_id not in ('youth-awards-submissions', 'music-uploads') or (select club.takes_files()));

-- A link goes with the row that was sent with it, and with its season.
create function club.forget_late_link() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from public.late_links where entry = old.id;
  return null;
end;
$$;
revoke execute on function club.forget_late_link() from public;
create trigger forget_late_link after delete on public.young_citizen_nominations
  for each row execute function club.forget_late_link();
create trigger forget_late_link after delete on public.young_musician_entries
  for each row execute function club.forget_late_link();
create trigger forget_late_link after delete on public.young_photographer_entries
  for each row execute function club.forget_late_link();
create trigger forget_late_link after delete on public.young_artist_entries
  for each row execute function club.forget_late_link();
create trigger forget_late_link after delete on public.extra_files
  for each row execute function club.forget_late_link();

create function club.delete_late_links_of_season() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from public.late_links where created_at < new.ends_at;
  return null;
end;
$$;
revoke execute on function club.delete_late_links_of_season() from public;
create trigger delete_late_links after update of deleted_at on public.seasons
  for each row when (new.deleted_at is not null and old.deleted_at is null)
  execute function club.delete_late_links_of_season();
