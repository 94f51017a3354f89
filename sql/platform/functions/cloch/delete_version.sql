-- Deletes a version of an object permanently. `wanted` is the version, or `null` for the unversioned one. If the deleted version was the
-- current one, the newest remaining version becomes current. If it was the current delete marker, the object is restored.
--
-- With `only_try`, rights are checked and nothing is deleted. Returns no row if the version does not exist. `refused` is true if policies
-- do not let role `caller_role` see and delete the version. Callable by service_role.
create or replace function cloch.delete_version(
  caller_role text, of_bucket text, of_name text, wanted text, only_try boolean)
returns table (gone cloch.object_versions, refused boolean)
language plpgsql set search_path = storage, public, extensions
as $$
begin
  perform set_config('role', 'service_role', true);
  -- Locks the current row or delete marker of the key. Concurrent deletions then wait, so that the version found to be the newest stays the
  -- newest.
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
