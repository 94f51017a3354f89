-- What comes after an entry: additional files, and recordings of musicians. Each time
-- somebody sends some it is a row, with whose they are and what the sender says; the
-- dashboard shows them with the entry of that name, or in a list of their own.

create table public.extra_files (
  id              uuid not null default gen_random_uuid(),
  -- Recordings lie in the bucket music-uploads, additional files with those of the entries.
  kind            text not null,
  entrant_name    text not null,
  organisation    text,
  additional_info text,
  uploaded_files  text[] not null,
  submission_key  uuid not null default gen_random_uuid(),
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  constraint extra_files_pkey primary key (id),
  constraint extra_files_submission_key_key unique (submission_key),
  constraint extra_files_kind_is_additional_or_music check (kind in ('additional', 'music')),
  constraint entrant_name_1_to_200_characters check (char_length(entrant_name) <= 200 and entrant_name ~ '\S'),
  constraint organisation_at_most_200_characters check (char_length(organisation) <= 200),
  constraint additional_info_at_most_5000_characters check (char_length(additional_info) <= 5000),
  constraint uploaded_files_1_to_50 check (cardinality(uploaded_files) between 1 and 50),
  constraint uploaded_files_are_paths check (club.are_object_paths(uploaded_files))
);
select club.register_table('public.extra_files');
create index extra_files_created_at_idx on public.extra_files (created_at desc);
create index extra_files_uploaded_files_idx on public.extra_files using gin (uploaded_files);

grant insert (kind, entrant_name, organisation, additional_info, uploaded_files, submission_key)
  on public.extra_files to anon;
create policy "Visitors send files" on public.extra_files for insert to anon with check (true);

-- The club is told of each, as of an entry.
create function club.queue_extra_files_mail() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform club.queue_mail('entry', new.kind, new.id);
  return null;
end;
$$;
create trigger queue_extra_files_mail after insert on public.extra_files
  for each row execute function club.queue_extra_files_mail();

-- Recordings that no row names: sent before there were rows, or whose page was closed
-- between the upload and the row.
create function public.unlisted_recordings() returns table (name text, created_at timestamptz)
language plpgsql stable set search_path = '' as $$
begin
  perform club.require_admin();
  return query
    select o.name, o.created_at
      from storage.objects as o
     where o.bucket_id = 'music-uploads'
       and not exists (
         select from public.extra_files as e where e.kind = 'music' and e.uploaded_files @> array[o.name])
     order by o.created_at desc
     limit 5000;
end;
$$;
grant execute on function public.unlisted_recordings() to authenticated, service_role;

-- They go with their season: delete_season has found that their files are gone, and
-- marks the season last.
create function club.delete_extra_files_of_season() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  with gone as (delete from public.extra_files where created_at < new.ends_at returning id)
  delete from public.audit_log as a using gone where a.record_id = gone.id;
  return null;
end;
$$;
create trigger delete_extra_files after update of deleted_at on public.seasons
  for each row when (new.deleted_at is not null and old.deleted_at is null)
  execute function club.delete_extra_files_of_season();
