-- Prepares a key of a bucket with versioning, before an object is moved to the key. The current delete marker becomes a former version. In
-- a SUSPENDED bucket, the unversioned version is deleted.
--
-- Storage switches to service_role and calls the function in the transaction of the move, before it updates the row. Uploads also lock the
-- marker before the row; the same order prevents deadlocks. Callable by service_role.
create or replace function cloch.prepare_move(to_bucket text, to_name text) returns void
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  status constant text := coalesce(cloch.versioning_status(to_bucket), 'DISABLED');
begin
  if status = 'SUSPENDED' then
    -- The periodic cleanup of blobs later deletes the blob of this version.
    perform cloch.drop_null_version(to_bucket, to_name);
  end if;
  if status <> 'DISABLED' then
    update cloch.object_versions as v set archived_at = clock_timestamp()
     where v.bucket_id = to_bucket and v.name = to_name and v.archived_at is null;
  end if;
end;
$$;
revoke execute on function cloch.prepare_move(text, text) from public;
grant execute on function cloch.prepare_move(text, text) to service_role;
