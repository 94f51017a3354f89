-- Makes the newest former version of a key the current one, unless the key has an object. If the newest version is a delete marker, it
-- becomes the current delete marker. Called by cloch.delete_version and cloch.delete_current; callable by service_role.
create or replace function cloch.promote_version(of_bucket text, of_name text) returns void
language plpgsql set search_path = storage, public, extensions
as $$
declare
  newest cloch.object_versions;
  claims text[];
begin
  select v.* into newest from cloch.object_versions as v
   where v.bucket_id = of_bucket and v.name = of_name
   order by v.number desc limit 1 for update;
  -- SQL of the project may have inserted an object at the key since then.
  if not found or exists (select from storage.objects as o where o.bucket_id = of_bucket and o.name = of_name) then
    return;
  end if;
  if newest.is_delete_marker then
    update cloch.object_versions as v set archived_at = null where v.version = newest.version;
    return;
  end if;
  claims := cloch.exchange_claims();
  -- updated_at is the present time, as after an update. Therefore the period after which lifecycle rules delete the object starts again.
  insert into storage.objects (id, bucket_id, name, owner, owner_id, version, metadata, user_metadata, created_at,
                               updated_at, last_accessed_at, is_versioned)
  values (case when exists (select from storage.objects as o where o.id = newest.object_id)
               then gen_random_uuid() else newest.object_id end,
          newest.bucket_id, newest.name, newest.owner, newest.owner_id, newest.version, newest.metadata,
          newest.user_metadata, newest.created_at, now(), newest.last_accessed_at, newest.is_versioned)
  on conflict (bucket_id, name) do nothing;
  if found then
    delete from cloch.object_versions as v where v.version = newest.version;
  end if;
  perform cloch.exchange_claims(claims);
end;
$$;
revoke execute on function cloch.promote_version(text, text) from public;
grant execute on function cloch.promote_version(text, text) to service_role;
