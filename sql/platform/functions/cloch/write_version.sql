-- Writes the row of an uploaded object in a bucket with versioning. Called by cloch.write_object. `status` is the bucket's versioning
-- status, ENABLED or SUSPENDED. With `replaces`, the key may have an object, whose row becomes a former version. `replaced` is the version
-- whose blob is now unused, because no row references it. Raises 55P03 if the row could not be written in ten attempts. Callable by
-- service_role.
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
  -- An attempt fails only if another transaction writes to the key between two statements of this function.
  rounds constant integer := 10;
begin
  is_versioned := status = 'ENABLED';
  for round in 1..rounds loop
    select o.* into old from storage.objects as o where o.bucket_id = to_bucket and o.name = to_name for update;
    is_there := found;
    -- The server executes the statement again after a lost connection. The first execution may have written the version, and another write
    -- may have replaced it since then.
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
    -- The delete marker is locked before the row is inserted. Functions that remove the marker use the same order.
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
  end loop;
  -- Every attempt failed: either other transactions wrote to the key each time, or a trigger of the project suppresses the row.
  raise sqlstate '55P03' using message = 'the object could not be written';
end;
$$;
revoke execute on function cloch.write_version(text, text, text, uuid, text, text, jsonb, jsonb, boolean) from public;
grant execute on function cloch.write_version(text, text, text, uuid, text, text, jsonb, jsonb, boolean) to service_role;
