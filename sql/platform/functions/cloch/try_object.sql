-- Less work for each upload, and for each version that a listing passes over.

-- Writes the row as the caller and takes it back: policies, constraints and triggers of the project say no by raising. Returns the limits
-- of the bucket, which the caller need not see.
--
-- The service role is not tried where nothing could answer otherwise than when it writes the row for good: no policy concerns it, and the
-- project has no trigger. A row that is written and taken back leaves its place in the table and in each index to be cleaned up.
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
  -- Nothing that stays is written, so no disk is waited for.
  perform set_config('synchronous_commit', 'off', true);
  perform set_config(setting.name, setting.text, true) from unnest(names, texts) as setting (name, text);
  perform set_config('role', 'service_role', true);
  return query
    select b.file_size_limit, b.allowed_mime_types from storage.buckets as b where b.id = to_bucket;
  if found and caller_role = 'service_role' and not row_security_active('storage.objects')
    and not exists (
      select from pg_catalog.pg_trigger as t
       -- On insert or update.
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
      -- What is returned must be visible: replacing needs the right to read.
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
