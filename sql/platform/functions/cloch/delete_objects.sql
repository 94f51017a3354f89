-- Deletes the objects of bucket `from_bucket` that are named in `wanted` and that role `caller_role` may see and delete. Returns their
-- rows. In a bucket with versioning, each object is replaced by a delete marker. `dropped` is the version whose blob is now unused, because
-- no row references it; or null. `marker` is the version of the delete marker; null without versioning. The caller's role or service_role
-- is set for the rest of the transaction. Callable by service_role.
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
      marker := cloch.mark_deleted(old, status);
      -- In the S3 protocol, the version of an unversioned delete marker is `null`.
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
revoke execute on function cloch.delete_objects(text, text, text[]) from public;
grant execute on function cloch.delete_objects(text, text, text[]) to service_role;
