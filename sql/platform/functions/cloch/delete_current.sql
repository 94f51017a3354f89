-- Deletes the current version `gone` of an object permanently. Then, if the newest remaining version is not a delete marker, this version
-- becomes the current one. Raises 55P03 if the object's row could not be deleted or updated. Called by cloch.delete_version; callable by
-- service_role.
create or replace function cloch.delete_current(gone cloch.object_versions) returns void
language plpgsql set search_path = storage, public, extensions
as $$
declare
  newest cloch.object_versions;
  claims text[];
begin
  select v.* into newest from cloch.object_versions as v
   where v.bucket_id = gone.bucket_id and v.name = gone.name
   order by v.number desc limit 1 for update;
  if newest.version is null or newest.is_delete_marker then
    delete from storage.objects as o
     where o.bucket_id = gone.bucket_id and o.name = gone.name and o.version = gone.version;
    if not found then
      raise sqlstate '55P03' using message = 'the object could not be deleted';
    end if;
    perform cloch.promote_version(gone.bucket_id, gone.name);
    return;
  end if;
  claims := cloch.exchange_claims();
  -- The row keeps its id, so that references to it stay valid.
  update storage.objects as o
     set version = newest.version, metadata = newest.metadata, user_metadata = newest.user_metadata,
         owner = newest.owner, owner_id = newest.owner_id, created_at = newest.created_at, is_versioned = newest.is_versioned
   where o.bucket_id = gone.bucket_id and o.name = gone.name and o.version = gone.version;
  if not found then
    raise sqlstate '55P03' using message = 'the object could not be deleted';
  end if;
  delete from cloch.object_versions as v where v.version = newest.version;
  perform cloch.exchange_claims(claims);
end;
$$;
revoke execute on function cloch.delete_current(cloch.object_versions) from public;
grant execute on function cloch.delete_current(cloch.object_versions) to service_role;
