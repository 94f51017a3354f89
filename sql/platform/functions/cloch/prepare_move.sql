-- Prepares a key of a bucket with versioning for an object that is moved to it: the current delete marker becomes a former version and,
-- in a SUSPENDED bucket, the unversioned version is deleted. Storage calls it as service_role, in the transaction of the move, before
-- the row is updated: uploads lock the marker first as well, so that both use the same order. Callable by service_role.
create or replace function cloch.prepare_move(to_bucket text, to_name text) returns void
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  status constant text := coalesce(cloch.versioning_status(to_bucket), 'DISABLED');
begin
  if status = 'SUSPENDED' then
    -- The sweep deletes the blob of the version.
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
