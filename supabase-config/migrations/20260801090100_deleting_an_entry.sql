-- A parent may ask that an entry be deleted: the row, its files, the mails that tell of
-- it and what the log says of it. The log keeps that a record was deleted, when, and by
-- which administrator; not what stood in it. The dashboard shows what would go
-- (entry_files, entry_mail), removes the files through the storage API, and then the
-- rest (delete_entry).

-- Deleting goes by that function alone: a plain delete would leave the entry in the log.
revoke delete on
  public.young_citizen_nominations, public.young_musician_entries,
  public.young_photographer_entries, public.young_artist_entries
  from authenticated;

-- The table of an award's entries.
create function club.entry_table(award text) returns regclass
language plpgsql immutable set search_path = '' as $$
begin
  case award
    when 'citizen' then return 'public.young_citizen_nominations';
    when 'musician' then return 'public.young_musician_entries';
    when 'photographer' then return 'public.young_photographer_entries';
    when 'artist' then return 'public.young_artist_entries';
    else raise exception 'There is no award named %', award using hint = 'citizen, musician, photographer or artist';
  end case;
end;
$$;

-- A name as the forms write it into the path of a file.
create function club.path_name(name text) returns text
language sql immutable set search_path = '' as $$
  select trim(both '-' from regexp_replace(
    lower(regexp_replace(normalize(name, nfkd), '[\u0300-\u036f]', '', 'g')), '[^a-z0-9]+', '-', 'g'))
$$;

-- Another entry bears the same name: then the name alone does not say whose something is.
create function club.has_namesake(award text, entry uuid) returns boolean
language sql stable set search_path = '' as $$
  select exists (
    select from club.entries as this
      join club.entries as other on other.id <> this.id and club.path_name(other.name) = club.path_name(this.name)
     where this.award = $1 and this.id = $2)
$$;

-- The files to remove first: what the entry names and no other entry does, what lies
-- beside it, what was sent later under this name where nobody else bears it, and every
-- export, which holds all entries. Files sent before the name was typed lie in a folder
-- that all such entries share ("entrant"): of those only what the entry names.
create function public.entry_files(award text, entry uuid) returns table (bucket_id text, name text)
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
        from club.entries as e
       cross join unnest(e.uploaded_files) as path
       where e.id <> $2
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

-- The mails about an entry: those that name the person (with a namesake: and the parent's
-- address), and what admins sent through send-email: their exports hold all entries.
-- Where the project's mail is not in this database there is none.
create function club.entry_mail(award text, entry uuid) returns table (id uuid, kind text)
language plpgsql stable security definer set search_path = '' as $$
declare
  phrases text[];
begin
  if to_regclass('cloch.mail_outbox') is null then
    return;
  end if;
  select case when club.has_namesake($1, $2) then array[e.name, e.parent_guardian_email] else array[e.name] end
    into phrases
    from club.entries as e
   where e.award = $1 and e.id = $2;
  return query
    select m.id, m.kind from cloch.mails_about(phrases) as m
    union
    select m.id, m.kind from cloch.mail_outbox as m
     where phrases is not null and m.kind = 'send-email' and m.requested_by is not null;
  -- The mails that the database itself has asked for name their entry.
  if to_regclass('club.mail_jobs') is not null then
    return query execute
      'select m.id, m.kind from cloch.mail_outbox as m join club.mail_jobs as j on j.message_id = m.id where j.entry = $1'
      using $2;
  end if;
end;
$$;

-- How many mails of which kind delete_entry would delete.
create function public.entry_mail(award text, entry uuid) returns table (kind text, mails bigint)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform club.require_admin();
  return query
    select m.kind, count(distinct m.id) from club.entry_mail($1, $2) as m group by m.kind order by m.kind;
end;
$$;

-- Deletes an entry whose files are gone; returns how many mails went with it. With its
-- owner's rights, for the log and the mail.
create function public.delete_entry(award text, entry uuid) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  entry_table regclass := club.entry_table(award);
  mails uuid[];
  found_one boolean;
begin
  perform club.require_admin();
  execute format('select true from %s where id = $1 for update', entry_table) into found_one using entry;
  if found_one is not true then
    raise exception 'The entry does not exist any more';
  end if;
  if exists (select from public.entry_files($1, $2)) then
    raise exception 'Files of this entry are still stored' using hint = 'Remove them first: entry_files lists them.';
  end if;
  select coalesce(array_agg(distinct m.id), '{}') into mails from club.entry_mail($1, $2) as m;
  if cardinality(mails) > 0 then
    delete from cloch.mail_outbox where id = any (mails);
  end if;
  if to_regclass('club.mail_jobs') is not null then
    execute 'delete from club.mail_jobs where entry = $1' using $2;
  end if;

  -- As at the end of a season: the log may be changed, and takes no values over.
  perform set_config('club.deleting_season', 'on', true);
  delete from public.audit_log where record_id = entry;
  execute format('delete from %s where id = $1', entry_table) using entry;
  perform set_config('club.deleting_season', '', true);
  return cardinality(mails);
end;
$$;

grant execute on function
  club.entry_table(text), club.path_name(text), club.has_namesake(text, uuid),
  public.entry_files(text, uuid), public.entry_mail(text, uuid), public.delete_entry(text, uuid)
  to authenticated, service_role;
