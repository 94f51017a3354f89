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
revoke execute on function cloch.write_version(text, text, text, uuid, text, text, jsonb, jsonb, boolean) from public;
grant execute on function cloch.write_version(text, text, text, uuid, text, text, jsonb, jsonb, boolean) to service_role;
