-- Whoever has sent an entry can come back to it. A link shows what was sent and takes corrections and further files until the last day for
-- entries. Its token is made by the sender's browser and stored as a hash; it opens one entry and nothing else. It is shown on the page that
-- thanks for the entry, and not in the receipt: nobody has shown that the receipt's address is the sender's.

create table public.entry_links (
  id           uuid not null default gen_random_uuid(),
  award        text not null,
  entry        uuid not null,
  token_hash   bytea not null,
  created_at   timestamptz not null default now(),
  -- When an entry was corrected with it last; the log has what was changed.
  corrected_at timestamptz,
  revoked_at   timestamptz,
  revoked_by   text,
  constraint entry_links_pkey primary key (id),
  constraint entry_links_token_hash_key unique (token_hash),
  constraint entry_link_award_is_known check (award in ('citizen', 'musician', 'photographer', 'artist'))
);
select club.register_table('public.entry_links', read_only_policy => 'Admins read the links of entries');
revoke select on public.entry_links from authenticated;
grant select (id, award, entry, created_at, corrected_at, revoked_at, revoked_by) on public.entry_links to authenticated;
create index entry_links_entry_idx on public.entry_links (entry);
create trigger tell_of_change after insert or update or delete on public.entry_links
  for each statement execute function club.tell_of_change('desk');

-- After a visitor's entry; its argument is the award. The token comes in the header x-entry-link: 64 hexadecimal digits. A late entry, which
-- is sent after the last day, has no link.
create function club.keep_entry_link() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  token text;
begin
  token := nullif(current_setting('request.headers', true), '')::json ->> 'x-entry-link';
  if token ~ '^[0-9a-f]{64}$' and not (select c.is_closed from club.closed_entries() as c) then
    insert into public.entry_links (award, entry, token_hash) values (tg_argv[0], new.id, club.token_hash(token))
    on conflict (token_hash) do nothing;
  end if;
  return null;
exception when others then
  -- The entry is what counts.
  raise warning 'No link is kept for an entry: %', sqlerrm;
  return null;
end;
$$;
revoke execute on function club.keep_entry_link() from public, anon, authenticated;

create trigger keep_entry_link after insert on public.young_citizen_nominations
  for each row when (current_user = 'anon') execute function club.keep_entry_link('citizen');
create trigger keep_entry_link after insert on public.young_musician_entries
  for each row when (current_user = 'anon') execute function club.keep_entry_link('musician');
create trigger keep_entry_link after insert on public.young_photographer_entries
  for each row when (current_user = 'anon') execute function club.keep_entry_link('photographer');
create trigger keep_entry_link after insert on public.young_artist_entries
  for each row when (current_user = 'anon') execute function club.keep_entry_link('artist');

-- The entry that a token opens now. It ends with the last day for entries, with the season, after sixty days where there is no last day, when
-- an administrator ends it, and when the entry is withdrawn or deleted.
create function club.linked_entry(token text) returns table (link uuid, award text, entry uuid)
language sql stable security definer set search_path = '' as $$
  select l.id, l.award, l.entry
    from public.entry_links as l
    join club.entries as e on e.id = l.entry and e.award = l.award
   where token ~ '^[0-9a-f]{64}$' and l.token_hash = club.token_hash(token)
     and l.revoked_at is null and e.withdrawn_at is null
     and l.created_at > now() - interval '60 days' and l.created_at >= club.season_begins_at()
     and not (select c.is_closed from club.closed_entries() as c)
$$;
revoke execute on function club.linked_entry(text) from public;

-- What the sender may see and correct: the columns of the form, which are those that a visitor may insert.
create function club.form_columns(award text) returns text[]
language sql stable security definer set search_path = '' as $$
  select array_agg(a.attname::text order by a.attnum)
    from pg_catalog.pg_attribute as a
   where a.attrelid = club.entry_table(award) and a.attnum > 0 and not a.attisdropped
     and has_column_privilege('anon', a.attrelid, a.attnum, 'insert')
     and a.attname not in ('submission_key', 'uploaded_files')
$$;
revoke execute on function club.form_columns(text) from public;

-- A network may use links three hundred times in an hour, whether they open something or not: a school has one address.
create function club.count_entry_link() returns void
language plpgsql set search_path = '' as $$
declare
  network text := coalesce(nullif(current_setting('cloch.network', true), ''), 'unknown');
begin
  if cloch.take('club/entry-links/' || network, 300, interval '1 hour') > interval '0' then
    raise exception using errcode = 'PT429', message = 'Too many links were used from this network', hint = 'Try again in an hour.';
  end if;
end;
$$;
revoke execute on function club.count_entry_link() from public;

-- What was sent, by its link; null if the link opens nothing. Files are named, not shown.
create function public.entry_by_link(token text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  found record;
  row jsonb;
begin
  perform club.count_entry_link();
  select * into found from club.linked_entry(token);
  if found.link is null then
    return null;
  end if;
  execute format('select to_jsonb(e) from %s as e where id = $1', club.entry_table(found.award)) into row using found.entry;
  return jsonb_build_object(
    'award', found.award,
    'reference', upper(left(replace(found.entry::text, '-', ''), 8)),
    'createdAt', row -> 'created_at',
    'readAt', row -> 'updated_at',
    'until', (select to_char(s.deadline_on, 'FMDD FMMonth YYYY') from public.seasons as s where s.ends_at > now() order by s.ends_at, s.id limit 1),
    'columns', (select jsonb_object_agg(c, row -> c) from unnest(club.form_columns(found.award)) as c),
    'files', (
      select coalesce(jsonb_agg(regexp_replace(path, '^.*/([0-9]+-)?', '') order by place), '[]')
        from jsonb_array_elements_text(coalesce(nullif(row -> 'uploaded_files', 'null'), '[]')) with ordinality as f (path, place)));
end;
$$;

-- Files of the form's folder that are stored and that no other row names: nobody takes another's into their entry.
create function club.are_new_files(award text, files text[]) returns boolean
language sql stable set search_path = '' as $$
  select coalesce(bool_and(
           path ~ case award when 'citizen' then '^young-citizen/' when 'musician' then '^musician/'
                             when 'photographer' then '^(artist|photographer)/' else '^artist/' end
           and exists (select from storage.objects as o where o.bucket_id = 'youth-awards-submissions' and o.name = path)
           and not exists (select from club.entries as e where e.uploaded_files @> array[path])
           and not exists (select from public.extra_files as x where x.kind <> 'music' and x.uploaded_files @> array[path])), true)
    from unnest(files) as path
$$;
revoke execute on function club.are_new_files(text, text[]) from public;

-- Corrects an entry by its link: `answers` take the place of those that were sent, `files` are added. Returns 'saved'; 'changed' if the entry
-- was changed after `read_at`; 'ended' if the link opens nothing. The log has what was there before.
create function public.correct_entry(token text, read_at timestamptz, answers jsonb, files text[] default '{}') returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  found record;
  entry_table regclass;
  before jsonb;
  after jsonb;
  columns text;
begin
  perform club.count_entry_link();
  select * into found from club.linked_entry(token);
  if found.link is null then
    return 'ended';
  end if;
  entry_table := club.entry_table(found.award);
  execute format('select to_jsonb(e) from %s as e where id = $1 for update', entry_table) into before using found.entry;
  if before is null then
    return 'ended';
  elsif (before ->> 'updated_at')::timestamptz is distinct from read_at then
    return 'changed';
  end if;
  if array_position(files, null) is not null or not club.are_new_files(found.award, files) then
    raise exception 'A file of this correction was not sent with it' using errcode = 'check_violation';
  end if;
  select before || coalesce(jsonb_object_agg(a.key, a.value), '{}') || jsonb_build_object(
           'uploaded_files', coalesce(nullif(before -> 'uploaded_files', 'null'), '[]') || coalesce(to_jsonb(files), '[]'))
    into after
    from jsonb_each(answers) as a
   where a.key = any (club.form_columns(found.award));
  select string_agg(quote_ident(c), ', ') into columns from unnest(club.form_columns(found.award) || 'uploaded_files'::text) as c;
  begin
    execute format('update %1$s set (%2$s) = (select %2$s from jsonb_populate_record(null::%1$s, $1)) where id = $2', entry_table, columns)
      using after, found.entry;
  exception
    -- The details of these errors would show the whole row.
    when integrity_constraint_violation or data_exception then
      raise exception 'An answer of this correction is not one that the form allows' using errcode = 'check_violation';
  end;
  update public.entry_links set corrected_at = now() where id = found.link;
  return 'saved';
end;
$$;

-- Ends the links of an entry; returns how many.
create function public.revoke_entry_links(award text, entry uuid) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  ended integer;
begin
  perform club.require_admin();
  update public.entry_links as l
     set revoked_at = now(), revoked_by = auth.email()
   where l.award = $1 and l.entry = $2 and l.revoked_at is null;
  get diagnostics ended = row_count;
  return ended;
end;
$$;

grant execute on function public.entry_by_link(text), public.correct_entry(text, timestamptz, jsonb, text[]) to anon, service_role;
grant execute on function public.revoke_entry_links(text, uuid) to authenticated, service_role;

-- A link goes with its entry: deleted, merged into another, or with its season.
create function club.forget_entry_links() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from public.entry_links where entry = old.id;
  return null;
end;
$$;
revoke execute on function club.forget_entry_links() from public;
create trigger forget_entry_links after delete on public.young_citizen_nominations
  for each row execute function club.forget_entry_links();
create trigger forget_entry_links after delete on public.young_musician_entries
  for each row execute function club.forget_entry_links();
create trigger forget_entry_links after delete on public.young_photographer_entries
  for each row execute function club.forget_entry_links();
create trigger forget_entry_links after delete on public.young_artist_entries
  for each row execute function club.forget_entry_links();
