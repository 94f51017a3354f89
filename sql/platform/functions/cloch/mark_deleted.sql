-- Inserts a delete marker as the current version of a key. `old` is the row of the deleted object. With `status` SUSPENDED the marker is
-- unversioned. Returns the version of the marker. Callable by service_role.
create or replace function cloch.mark_deleted(old storage.objects, status text) returns text
language sql set search_path = 'pg_catalog', 'pg_temp' as $$
  insert into cloch.object_versions (version, bucket_id, name, object_id, owner, owner_id, created_at, updated_at,
                                     is_delete_marker, is_versioned)
  values (gen_random_uuid()::text, old.bucket_id, old.name, old.id, old.owner, old.owner_id, clock_timestamp(), clock_timestamp(),
          true, status = 'ENABLED')
  returning version
$$;
revoke execute on function cloch.mark_deleted(storage.objects, text) from public;
grant execute on function cloch.mark_deleted(storage.objects, text) to service_role;
