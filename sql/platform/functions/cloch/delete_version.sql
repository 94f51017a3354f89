-- Deletes a version for good, and brings the newest one that is left to the key where the one there is deleted. Nothing where there is
-- no such version; `refused` where the caller may not delete it. With `only_try` nothing is deleted.
create or replace function cloch.delete_version(
  caller_role text, of_bucket text, of_name text, wanted text, only_try boolean)
returns table (gone cloch.object_versions, refused boolean)
language plpgsql set search_path = storage, public, extensions
as $$
begin
  perform set_config('role', 'service_role', true);
  -- One after the other: what is newest has to stay it.
  perform from storage.objects as o where o.bucket_id = of_bucket and o.name = of_name for update;
  perform from cloch.object_versions as v where v.bucket_id = of_bucket and v.name = of_name and v.archived_at is null for update;
  gone := cloch.version_of(of_bucket, of_name, wanted);
  if (gone).version is null then
    return;
  end if;
  refused := not cloch.may_version(caller_role, gone, true);
  if refused or only_try then
    return next;
    return;
  end if;
  if (gone).number = 9223372036854775807 then
    perform cloch.delete_current(gone);
    return next;
    return;
  end if;
  delete from cloch.object_versions as v where v.version = (gone).version;
  if not found then
    return;
  end if;
  if (gone).archived_at is null then
    perform cloch.promote_version(of_bucket, of_name);
  end if;
  return next;
end;
$$;
revoke execute on function cloch.delete_version(text, text, text, text, boolean) from public;
grant execute on function cloch.delete_version(text, text, text, text, boolean) to service_role;
