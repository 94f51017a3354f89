-- A row that a visitor sends names files of its own form that no other row names. Naming another's would show it to judges (the picture of a
-- withdrawn entry), keep it when that entry is deleted, or have it deleted with this one.

-- After the row's own constraints: a second click or a retry is told that the entry is there.
create function club.refuse_foreign_files() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  is_music boolean := tg_table_name = 'extra_files' and to_jsonb(new) ->> 'kind' = 'music';
  -- Pictures of both awards and additional files lie in one folder.
  folders text := case tg_table_name
    when 'young_citizen_nominations' then '^young-citizen/'
    when 'young_musician_entries' then '^musician/'
    when 'young_photographer_entries' then '^(artist|photographer)/'
    when 'young_artist_entries' then '^artist/'
    when 'extra_files' then case when is_music then '^[^/]+/' else '^(artist|additional-files)/' end
  end;
begin
  if exists (
    select from unnest(new.uploaded_files) as path
     where path !~ folders
        or (not is_music and exists (select from club.entries as e where e.id <> new.id and e.uploaded_files @> array[path]))
        or exists (select from public.extra_files as x
                    where x.id <> new.id and x.uploaded_files @> array[path] and (x.kind = 'music') = is_music)
  ) then
    raise exception 'A file of this entry was not sent with it' using errcode = 'check_violation';
  end if;
  return null;
end;
$$;
revoke execute on function club.refuse_foreign_files() from public, anon, authenticated;

create trigger refuse_foreign_files after insert on public.young_citizen_nominations
  for each row when (current_user = 'anon') execute function club.refuse_foreign_files();
create trigger refuse_foreign_files after insert on public.young_musician_entries
  for each row when (current_user = 'anon') execute function club.refuse_foreign_files();
create trigger refuse_foreign_files after insert on public.young_photographer_entries
  for each row when (current_user = 'anon') execute function club.refuse_foreign_files();
create trigger refuse_foreign_files after insert on public.young_artist_entries
  for each row when (current_user = 'anon') execute function club.refuse_foreign_files();
create trigger refuse_foreign_files after insert on public.extra_files
  for each row when (current_user = 'anon') execute function club.refuse_foreign_files();

-- As before, and what was sent later for another entry is not this one's, wherever it lies.
create or replace function club.files_of_entry(award text, entry uuid) returns table (bucket_id text, name text)
language plpgsql stable set search_path = '' as $$
begin
  perform club.require_admin();
  return query
    with this as (
      select e.uploaded_files as paths, club.path_name(e.name) as path_name,
             club.has_namesake($1, $2) as has_namesake
        from club.entries as e
       where e.award = $1 and e.id = $2
    ), others as (
      select path, regexp_replace(path, '/[^/]*$', '') as folder
        from (
          select e.uploaded_files from club.entries as e where e.id <> $2
          union all
          select x.uploaded_files from public.extra_files as x
           where x.kind <> 'music' and x.id not in (select own.id from club.extra_files_of($1, $2) as own)
        ) as other
       cross join unnest(other.uploaded_files) as path
    ), folders as (
      select regexp_replace(path, '/[^/]*$', '') as folder
        from this cross join unnest(this.paths) as path
       where path !~ '/entrant/[^/]*$'
      except
      select folder from others
    )
    select o.bucket_id, o.name
      from storage.objects as o
     cross join this
     where (o.bucket_id = 'youth-awards-submissions' and not exists (select from others where path = o.name)
            and (o.name = any (this.paths)
                 or regexp_replace(o.name, '/[^/]*$', '') in (select folder from folders)
                 or o.name like 'exports/%'
                 or (not this.has_namesake and split_part(o.name, '/', 2) = this.path_name)))
        or (o.bucket_id = 'music-uploads' and not this.has_namesake and split_part(o.name, '/', 1) = this.path_name)
     order by o.bucket_id, o.name;
end;
$$;
