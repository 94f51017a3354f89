-- Completes the move of an object after its row was updated. Sets is_versioned according to the new bucket's versioning status. If the old
-- bucket has versioning, creates a delete marker at the old key. Storage switches to service_role, and in the transaction of the move calls
-- cloch.prepare_move, updates the row, and calls this function. Callable by service_role.
create or replace function cloch.finish_move(from_bucket text, from_name text, to_bucket text, to_name text) returns void
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
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
revoke execute on function cloch.finish_move(text, text, text, text) from public;
grant execute on function cloch.finish_move(text, text, text, text) to service_role;
