-- Checks whether role `caller_role` may write an object: writes the row as this role and undoes the write. If policies, constraints or
-- triggers of the project refuse the write, their error is raised. Returns the bucket's limits (maximum size of a file in bytes, and
-- permitted media types), even if the caller may not see the bucket. Returns no row if the bucket does not exist.
--
-- `names` and `texts` are names and values of settings for the transaction, such as the claims. With `replaces`, the row may replace an
-- object at the key. This requires the right to read. Without `replaces`, an existing object is an error (unique_violation).
--
-- For service_role the write is omitted if no policy applies to this role and the project has no trigger on storage.objects, because
-- nothing could refuse the write then. Each undone write leaves a dead row in the table and its indexes, which VACUUM has to remove.
-- Callable by authenticator, the login of storage's uploads.
create or replace function cloch.try_object(
  names text[], texts text[], caller_role text,
  to_bucket text, to_name text, row_owner uuid, row_owner_id text, row_metadata jsonb, row_user_metadata jsonb,
  replaces boolean)
returns table (file_size_limit bigint, allowed_mime_types text[])
language plpgsql set search_path = storage, public, extensions
as $$
#variable_conflict use_column
declare
  visible uuid;
begin
  -- Nothing that the transaction writes is kept, so its commit need not wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  perform set_config(setting.name, setting.text, true) from unnest(names, texts) as setting (name, text);
  perform set_config('role', 'service_role', true);
  return query
    select b.file_size_limit, b.allowed_mime_types from storage.buckets as b where b.id = to_bucket;
  if found and caller_role = 'service_role' and not row_security_active('storage.objects')
    and not exists (
      select from pg_catalog.pg_trigger as t
       -- In tgtype, 4 means INSERT and 16 means UPDATE.
       where t.tgrelid = 'storage.objects'::regclass and t.tgtype & 20 <> 0 and not t.tgisinternal
         and t.tgfoid is distinct from to_regprocedure('storage.update_updated_at_column()'))
  then
    if not replaces and exists (select from storage.objects as o where o.bucket_id = to_bucket and o.name = to_name) then
      raise unique_violation using constraint = 'bucketid_objname';
    end if;
    return;
  end if;
  perform set_config('role', caller_role, true);
  begin
    if replaces then
      insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
      values (to_bucket, to_name, row_owner, row_owner_id, '1', row_metadata, row_user_metadata)
      on conflict (bucket_id, name) do update
        set metadata = excluded.metadata,
            version = excluded.version,
            user_metadata = coalesce(excluded.user_metadata, o.user_metadata),
            owner = coalesce(excluded.owner, o.owner),
            owner_id = coalesce(excluded.owner_id, o.owner_id)
      -- RETURNING requires that the role may see the row. Therefore replacing an object needs the right to read.
      returning o.id into visible;
    else
      insert into storage.objects (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
      values (to_bucket, to_name, row_owner, row_owner_id, '1', row_metadata, row_user_metadata);
    end if;
    raise sqlstate 'CLTRY';
  exception when sqlstate 'CLTRY' then
    null;
  end;
end;
$$;
revoke execute on function cloch.try_object(text[], text[], text, text, text, uuid, text, jsonb, jsonb, boolean) from public;
grant execute on function cloch.try_object(text[], text[], text, text, text, uuid, text, jsonb, jsonb, boolean) to authenticator;
