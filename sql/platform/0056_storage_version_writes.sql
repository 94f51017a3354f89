-- Writes, deletions and moves in buckets that keep versions of their objects. The functions run as the login of the callers' pool and take
-- the role that each step needs.

-- What returns more columns than before has to be made anew.
drop function if exists cloch.write_object_if(
  text[], text[], text, text, uuid, text, text, jsonb, jsonb, boolean, text);
drop function if exists cloch.write_object(text[], text[], text, text, uuid, text, text, jsonb, jsonb, boolean);

-- Writes the row in a bucket that keeps versions, in the service role.
create or replace function cloch.write_version(
  status text, to_bucket text, to_name text, row_owner uuid, row_owner_id text, row_version text, row_metadata jsonb,
  row_user_metadata jsonb, replaces boolean)
returns table (id uuid, replaced text, is_versioned boolean)
language plpgsql set search_path = storage, public, extensions
as $$
#variable_conflict use_column
declare
  old storage.objects;
  is_there boolean;
  -- One round is enough, unless somebody else takes the key between two statements of it.
  rounds constant integer := 10;
begin
  is_versioned := status = 'ENABLED';
  for round in 1..rounds loop
    select o.* into old from storage.objects as o where o.bucket_id = to_bucket and o.name = to_name for update;
    is_there := found;
    -- Executed again after a lost connection, it has done its work, and another may have taken the place of what it wrote.
    select v.object_id into id from cloch.object_versions as v where v.version = row_version;
    if found then
      return next;
      return;
    end if;
    if is_there and replaces then
      if old.version is distinct from row_version then
        replaced := cloch.archive_version(old, status);
        update storage.objects as o
           set metadata = row_metadata, version = row_version, is_versioned = (status = 'ENABLED'),
               user_metadata = coalesce(row_user_metadata, o.user_metadata),
               owner = coalesce(row_owner, o.owner), owner_id = coalesce(row_owner_id, o.owner_id)
         where o.id = old.id;
      end if;
      id := old.id;
      return next;
      return;
    end if;
    -- Before the row: whoever removes the marker locks it first, too.
    if status = 'SUSPENDED' then
      replaced := cloch.drop_null_version(to_bucket, to_name);
    end if;
    update cloch.object_versions as v set archived_at = clock_timestamp()
     where v.bucket_id = to_bucket and v.name = to_name and v.archived_at is null;
    if replaces then
      insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata, is_versioned)
      values (to_bucket, to_name, row_owner, row_owner_id, row_version, row_metadata, row_user_metadata, status = 'ENABLED')
      on conflict (bucket_id, name) do nothing
      returning o.id into id;
    else
      insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata, is_versioned)
      values (to_bucket, to_name, row_owner, row_owner_id, row_version, row_metadata, row_user_metadata, status = 'ENABLED')
      returning o.id into id;
    end if;
    if id is not null then
      return next;
      return;
    end if;
    -- Somebody else was faster: theirs is replaced.
  end loop;
  -- Or a trigger of the project lets no row in.
  raise sqlstate '55P03' using message = 'the object could not be written';
end;
$$;

-- Writes the row for good, in a transaction of the service role. Inserts it, or replaces what is at the key: the row keeps its id then;
-- its owner and custom metadata too, unless new ones are given. `replaced` is the version whose blob nothing names any more. Without
-- versions, of two upserts at once that of one may be told wrongly; the sweep finds what neither deletes.
--
-- It names no type of schema storage: it is compiled before it takes the role that may look into it.
create function cloch.write_object(
  names text[], texts text[],
  to_bucket text, to_name text, row_owner uuid, row_owner_id text, row_version text, row_metadata jsonb,
  row_user_metadata jsonb, replaces boolean)
returns table (id uuid, replaced text, is_versioned boolean)
language plpgsql set search_path = storage, public, extensions
as $$
#variable_conflict use_column
declare
  status text;
begin
  perform set_config(setting.name, setting.text, true) from unnest(names, texts) as setting (name, text);
  perform set_config('role', 'service_role', true);
  status := cloch.versioning_status(to_bucket);
  if coalesce(status, 'DISABLED') <> 'DISABLED' then
    return query
      select written.id, written.replaced, written.is_versioned
        from cloch.write_version(status, to_bucket, to_name, row_owner, row_owner_id, row_version, row_metadata,
                                 row_user_metadata, replaces) as written;
  elsif replaces then
    return query
      with old as (
        select o.version from storage.objects as o where o.bucket_id = to_bucket and o.name = to_name
      )
      insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
      values (to_bucket, to_name, row_owner, row_owner_id, row_version, row_metadata, row_user_metadata)
      on conflict (bucket_id, name) do update
        set metadata = excluded.metadata,
            version = excluded.version,
            user_metadata = coalesce(excluded.user_metadata, o.user_metadata),
            owner = coalesce(excluded.owner, o.owner),
            owner_id = coalesce(excluded.owner_id, o.owner_id)
      returning o.id, (select old.version from old), false;
  else
    return query
      insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
      values (to_bucket, to_name, row_owner, row_owner_id, row_version, row_metadata, row_user_metadata)
      returning o.id, null::text, false;
  end if;
end;
$$;

create function cloch.write_object_if(
  names text[], texts text[],
  to_bucket text, to_name text, row_owner uuid, row_owner_id text, row_version text, row_metadata jsonb,
  row_user_metadata jsonb, replaces boolean, expected_etag text)
returns table (id uuid, replaced text, is_versioned boolean)
language plpgsql set search_path = storage, public, extensions
as $$
#variable_conflict use_column
begin
  perform set_config('role', 'service_role', true);
  perform from storage.objects as o
    where o.bucket_id = to_bucket and o.name = to_name and o.metadata ->> 'eTag' = expected_etag
      for update;
  if not found then
    raise sqlstate 'CLPRE' using message = 'the object has another version';
  end if;
  perform set_config('role', 'none', true);
  return query
    select written.id, written.replaced, written.is_versioned
      from cloch.write_object(names, texts, to_bucket, to_name, row_owner, row_owner_id, row_version, row_metadata,
                              row_user_metadata, replaces) as written;
end;
$$;

-- Deletes objects that the caller may see and delete. `dropped` is a version whose blob nothing names any more, `marker` the version of
-- the delete marker that took the object's place.
create or replace function cloch.delete_objects(caller_role text, from_bucket text, wanted text[])
returns table (
  name text, bucket_id text, owner uuid, owner_id text, version text, id uuid, updated_at timestamptz,
  created_at timestamptz, last_accessed_at timestamptz, metadata jsonb, user_metadata jsonb, dropped text, marker text)
language plpgsql set search_path = storage, public, extensions
as $$
#variable_conflict use_column
declare
  gone storage.objects[];
  old storage.objects;
  status text;
begin
  perform set_config('role', caller_role, true);
  with deleted as (
    delete from storage.objects as o where o.bucket_id = from_bucket and o.name = any(wanted) returning o
  )
  select array_agg(deleted.o) into gone from deleted;
  if gone is null then
    return;
  end if;
  perform set_config('role', 'service_role', true);
  status := cloch.versioning_status(from_bucket);
  foreach old in array gone loop
    dropped := old.version;
    marker := null;
    if coalesce(status, 'DISABLED') <> 'DISABLED' then
      dropped := cloch.archive_version(old, status);
      -- As the S3 protocol names it.
      marker := cloch.mark_deleted(old, status);
      if status = 'SUSPENDED' then
        marker := 'null';
      end if;
    end if;
    name := old.name;
    bucket_id := old.bucket_id;
    owner := old.owner;
    owner_id := old.owner_id;
    version := old.version;
    id := old.id;
    updated_at := old.updated_at;
    created_at := old.created_at;
    last_accessed_at := old.last_accessed_at;
    metadata := old.metadata;
    user_metadata := old.user_metadata;
    return next;
  end loop;
end;
$$;

-- Brings the newest version to its key, if nothing is there.
create or replace function cloch.promote_version(of_bucket text, of_name text) returns void
language plpgsql set search_path = storage, public, extensions
as $$
declare
  newest cloch.object_versions;
  claims text[];
begin
  select v.* into newest from cloch.object_versions as v
   where v.bucket_id = of_bucket and v.name = of_name
   order by v.number desc limit 1 for update;
  -- A row that SQL has put at a key whose object was deleted.
  if not found or exists (select from storage.objects as o where o.bucket_id = of_bucket and o.name = of_name) then
    return;
  end if;
  if newest.is_delete_marker then
    update cloch.object_versions as v set archived_at = null where v.version = newest.version;
    return;
  end if;
  claims := cloch.exchange_claims();
  -- Changed now, as one that an update brings back: its expiry begins anew.
  insert into storage.objects (id, bucket_id, name, owner, owner_id, version, metadata, user_metadata, created_at,
                               updated_at, last_accessed_at, is_versioned)
  values (case when exists (select from storage.objects as o where o.id = newest.object_id)
               then gen_random_uuid() else newest.object_id end,
          newest.bucket_id, newest.name, newest.owner, newest.owner_id, newest.version, newest.metadata,
          newest.user_metadata, newest.created_at, now(), newest.last_accessed_at, newest.is_versioned)
  on conflict (bucket_id, name) do nothing;
  if found then
    delete from cloch.object_versions as v where v.version = newest.version;
  end if;
  perform cloch.exchange_claims(claims);
end;
$$;

-- Deletes what is at a key for good. The newest version that is left takes its place.
create or replace function cloch.delete_current(gone cloch.object_versions) returns void
language plpgsql set search_path = storage, public, extensions
as $$
declare
  newest cloch.object_versions;
  claims text[];
begin
  select v.* into newest from cloch.object_versions as v
   where v.bucket_id = gone.bucket_id and v.name = gone.name
   order by v.number desc limit 1 for update;
  if newest.version is null or newest.is_delete_marker then
    delete from storage.objects as o
     where o.bucket_id = gone.bucket_id and o.name = gone.name and o.version = gone.version;
    if not found then
      raise sqlstate '55P03' using message = 'the object could not be deleted';
    end if;
    perform cloch.promote_version(gone.bucket_id, gone.name);
    return;
  end if;
  claims := cloch.exchange_claims();
  -- The row stays, and so does what refers to it.
  update storage.objects as o
     set version = newest.version, metadata = newest.metadata, user_metadata = newest.user_metadata,
         owner = newest.owner, owner_id = newest.owner_id, created_at = newest.created_at, is_versioned = newest.is_versioned
   where o.bucket_id = gone.bucket_id and o.name = gone.name and o.version = gone.version;
  if not found then
    raise sqlstate '55P03' using message = 'the object could not be deleted';
  end if;
  delete from cloch.object_versions as v where v.version = newest.version;
  perform cloch.exchange_claims(claims);
end;
$$;

-- Deletes a version for good, and brings the newest one that is left to the key where the one there is deleted. Nothing where there is
-- no such version; `refused` where the caller may not delete it. With `only_try` nothing is deleted.
create or replace function cloch.delete_version(
  caller_role text, of_bucket text, of_name text, wanted text, only_try boolean)
returns table (gone cloch.object_versions, refused boolean)
language plpgsql set search_path = storage, public, extensions
as $$
begin
  perform set_config('role', 'service_role', true);
  -- One after the other: what is newest has to stay it.
  perform from storage.objects as o where o.bucket_id = of_bucket and o.name = of_name for update;
  perform from cloch.object_versions as v where v.bucket_id = of_bucket and v.name = of_name and v.archived_at is null for update;
  gone := cloch.version_of(of_bucket, of_name, wanted);
  if (gone).version is null then
    return;
  end if;
  refused := not cloch.may_version(caller_role, gone, true);
  if refused or only_try then
    return next;
    return;
  end if;
  if (gone).number = 9223372036854775807 then
    perform cloch.delete_current(gone);
    return next;
    return;
  end if;
  delete from cloch.object_versions as v where v.version = (gone).version;
  if not found then
    return;
  end if;
  if (gone).archived_at is null then
    perform cloch.promote_version(of_bucket, of_name);
  end if;
  return next;
end;
$$;

-- Makes room at a key for an object that is moved there. Before the row: an upload takes the marker first, too.
create or replace function cloch.prepare_move(to_bucket text, to_name text) returns void
language plpgsql set search_path = '' as $$
declare
  status constant text := coalesce(cloch.versioning_status(to_bucket), 'DISABLED');
begin
  if status = 'SUSPENDED' then
    -- The sweep finds the blob.
    perform cloch.drop_null_version(to_bucket, to_name);
  end if;
  if status <> 'DISABLED' then
    update cloch.object_versions as v set archived_at = clock_timestamp()
     where v.bucket_id = to_bucket and v.name = to_name and v.archived_at is null;
  end if;
end;
$$;

-- Marks the key that an object was moved from.
create or replace function cloch.finish_move(from_bucket text, from_name text, to_bucket text, to_name text) returns void
language plpgsql set search_path = '' as $$
declare
  moved storage.objects;
  status text := cloch.versioning_status(to_bucket);
begin
  select o.* into moved from storage.objects as o where o.bucket_id = to_bucket and o.name = to_name;
  if moved.is_versioned <> (status = 'ENABLED') then
    update storage.objects as o set is_versioned = (status = 'ENABLED') where o.id = moved.id;
  end if;
  status := coalesce(cloch.versioning_status(from_bucket), 'DISABLED');
  if status = 'SUSPENDED' then
    perform cloch.drop_null_version(from_bucket, from_name);
  end if;
  if status <> 'DISABLED' then
    moved.bucket_id := from_bucket;
    moved.name := from_name;
    perform cloch.mark_deleted(moved, status);
  end if;
end;
$$;

revoke execute on function
  cloch.write_version(text, text, text, uuid, text, text, jsonb, jsonb, boolean),
  cloch.write_object(text[], text[], text, text, uuid, text, text, jsonb, jsonb, boolean),
  cloch.write_object_if(text[], text[], text, text, uuid, text, text, jsonb, jsonb, boolean, text),
  cloch.delete_objects(text, text, text[]), cloch.promote_version(text, text), cloch.delete_current(cloch.object_versions),
  cloch.delete_version(text, text, text, text, boolean), cloch.prepare_move(text, text),
  cloch.finish_move(text, text, text, text)
  from public;
-- The login's alone: they take the service role themselves.
grant execute on function
  cloch.write_object(text[], text[], text, text, uuid, text, text, jsonb, jsonb, boolean),
  cloch.write_object_if(text[], text[], text, text, uuid, text, text, jsonb, jsonb, boolean, text)
  to authenticator;
-- What is called in the service role.
grant execute on function
  cloch.delete_objects(text, text, text[]), cloch.delete_version(text, text, text, text, boolean),
  cloch.write_version(text, text, text, uuid, text, text, jsonb, jsonb, boolean),
  cloch.promote_version(text, text), cloch.delete_current(cloch.object_versions), cloch.prepare_move(text, text),
  cloch.finish_move(text, text, text, text)
  to service_role;
