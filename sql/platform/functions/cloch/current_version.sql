-- Converts an object's row to a row of cloch.object_versions. The number of this row is 2^63 - 1, greater than all other numbers. It marks
-- the row as the current version. Callable by service_role.
create or replace function cloch.current_version(o storage.objects) returns cloch.object_versions
language sql immutable set search_path = 'pg_catalog', 'pg_temp' as $$
  select row(o.version, 9223372036854775807, o.bucket_id, o.name, o.id, o.owner, o.owner_id, o.created_at, o.updated_at,
             o.last_accessed_at, o.metadata, o.user_metadata, null, false, o.is_versioned)::cloch.object_versions
$$;
revoke execute on function cloch.current_version(storage.objects) from public;
grant execute on function cloch.current_version(storage.objects) to service_role;
