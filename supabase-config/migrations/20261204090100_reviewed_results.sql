-- What the results page and the gallery show was looked at by an administrator, has a bounded size, and is read by visitors only as a page shows it.

-- As before, and an account that is no administrator's does not learn which entries may be shown.
create or replace function club.require_consent() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if current_setting('role', true) = 'authenticated' then
    perform club.require_admin();
  end if;
  if not exists (select from club.public_entries as e where e.award = new.award and e.id = new.entry) then
    raise exception 'No consent to publicity is recorded for this entry' using errcode = 'check_violation';
  end if;
  return new;
end;
$$;

-- As before. A correction that changes what visitors are shown of an entry takes it from the website until an administrator publishes again.
create or replace function public.correct_entry(token text, read_at timestamptz, answers jsonb, files text[] default '{}') returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  found record;
  entry_table regclass;
  before jsonb;
  after jsonb;
  columns text;
  shown jsonb;
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
  select to_jsonb(e) into shown from club.public_entries as e where e.award = found.award and e.id = found.entry;
  begin
    execute format('update %1$s set (%2$s) = (select %2$s from jsonb_populate_record(null::%1$s, $1)) where id = $2', entry_table, columns)
      using after, found.entry;
  exception
    -- The details of these errors would show the whole row.
    when integrity_constraint_violation or data_exception then
      raise exception 'An answer of this correction is not one that the form allows' using errcode = 'check_violation';
  end;
  if shown is distinct from (select to_jsonb(e) from club.public_entries as e where e.award = found.award and e.id = found.entry) then
    perform club.unpublish_entry(found.entry);
  end if;
  update public.entry_links set corrected_at = clock_timestamp() where id = found.link;
  return 'saved';
end;
$$;

-- As before, with whether the last publication has the entry, and when its sender corrected it after that publication.
drop function public.listed_results();
create function public.listed_results() returns table (
  id uuid, award text, kind text, name text, category text, place smallint, title text, picture text, updated_at timestamptz,
  is_published boolean, corrected_at timestamptz)
language plpgsql stable set search_path = '' as $$
#variable_conflict use_column
begin
  perform club.require_admin();
  return query
    select r.id, r.award, r.kind, e.name, e.category, e.place, e.title, e.picture, r.updated_at,
           coalesce(p.content -> 'results' @> jsonb_build_array(jsonb_build_object('entry', r.entry)), false),
           (select max(l.corrected_at) from public.entry_links as l
             where l.award = r.award and l.entry = r.entry and l.corrected_at > p.created_at)
      from public.site_results as r
      left join club.public_entries as e on e.id = r.entry and e.award = r.award
      left join (select content, created_at from public.site_publications order by created_at desc limit 1) as p on true
     order by array_position(array['citizen', 'musician', 'photographer', 'artist'], r.award), e.category, e.place, e.name, r.id;
end;
$$;
revoke execute on function public.listed_results() from public;
grant execute on function public.listed_results() to authenticated, service_role;

-- As before, up to 500 results and 500 pictures, the oldest entries first.
create or replace function public.take_results(since timestamptz, until timestamptz, pictures boolean default false) returns integer
language plpgsql set search_path = '' as $$
declare
  wanted text := case when pictures then 'picture' else 'result' end;
  added integer;
begin
  perform club.require_admin();
  insert into public.site_results as r (award, entry, kind)
  select e.award, e.id, wanted
    from club.public_entries as e
   where e.created_at >= coalesce(since, '-infinity') and e.created_at < coalesce(until, 'infinity')
     and case when pictures then e.picture is not null
              else e.place is not null
                   or exists (select from public.entry_mails as m where m.entry = e.id and m.award = e.award and m.state = 'winner') end
     and not exists (select from public.site_results as o where o.entry = e.id and o.kind in (wanted, 'result'))
   order by e.created_at, e.id
   limit (select greatest(500 - count(*), 0) from public.site_results as o where o.kind = wanted)
  on conflict (entry) do update set kind = 'result' where r.kind = 'picture' and excluded.kind = 'result';
  get diagnostics added = row_count;
  return added;
end;
$$;

-- As before. The server shows no content above 512 KiB: it would go on showing the one before, with entries that are withdrawn since.
create or replace function public.publish_site() returns void
language plpgsql security definer set search_path = '' as $$
declare
  size integer;
begin
  perform club.require_admin();
  if exists (select from public.site_results as r group by r.kind having count(*) > 500) then
    raise exception 'The website shows at most 500 results and 500 pictures: remove some of the list “Results”' using errcode = 'check_violation';
  end if;
  size := octet_length(public.draft_content()::text);
  if size > 400 * 1024 then
    raise exception 'The website would have % KiB of text, and at most 400 are possible: remove some of the list “Results”, or shorten other texts', ceil(size / 1024.0)
      using errcode = 'check_violation';
  end if;
  insert into public.site_publications (content, published_by, shown_as_of) values (club.site_draft(), auth.email(), club.next_as_of());
  delete from public.site_publications
   where id not in (select id from public.site_publications order by created_at desc limit 20);
end;
$$;

-- Visitors download the current version of a published file. They sign no link, which would work after a withdrawal, and copy and list nothing.
alter policy "Visitors read the pictures of published results" on storage.objects
  using (bucket_id = 'youth-awards-submissions' and archived_at is null
         and storage.allow_any_operation(array['storage.object.get_authenticated', 'storage.render.image_authenticated'])
         and name = any ((select club.published_entry_pictures())::text[]));
alter policy "Visitors read the pictures that are published" on storage.objects
  using (bucket_id = 'site-pictures' and archived_at is null
         and storage.allow_any_operation(array['storage.object.get_authenticated', 'storage.render.image_authenticated'])
         and name = any ((select club.published_pictures())::text[]));
