-- Moves the row `old` to cloch.object_versions, before a write or deletion removes it from storage.objects. `status` is the bucket's
-- versioning status, ENABLED or SUSPENDED. In a SUSPENDED bucket an unversioned row is not kept. Returns the version whose blob is now
-- unused, because no row references it; null if there is none. Callable by service_role.
create or replace function cloch.archive_version(old storage.objects, status text) returns text
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  dropped text;
begin
  if status = 'SUSPENDED' then
    dropped := cloch.drop_null_version(old.bucket_id, old.name);
    if not old.is_versioned then
      return old.version;
    end if;
  end if;
  -- A row without a version has no blob in the object store. Nothing is kept of it.
  if old.version is not null then
    insert into cloch.object_versions (version, bucket_id, name, object_id, owner, owner_id, created_at, updated_at,
                                       last_accessed_at, metadata, user_metadata, archived_at, is_versioned)
    select v.version, v.bucket_id, v.name, v.object_id, v.owner, v.owner_id, v.created_at, v.updated_at, v.last_accessed_at,
           v.metadata, v.user_metadata, clock_timestamp(), v.is_versioned
      from cloch.current_version(old) as v
    on conflict do nothing;
  end if;
  return dropped;
end;
$$;
revoke execute on function cloch.archive_version(storage.objects, text) from public;
grant execute on function cloch.archive_version(storage.objects, text) to service_role;
