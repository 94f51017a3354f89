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
revoke execute on function cloch.prepare_move(text, text) from public;
grant execute on function cloch.prepare_move(text, text) to service_role;
