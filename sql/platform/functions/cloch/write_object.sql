-- Writes the row of an uploaded object: inserts it or, with `replaces`, replaces the row at the key. A replaced row keeps its id. It also
-- keeps its owner and custom metadata, unless new ones are given. `names` and `texts` are names and values of PostgreSQL settings for the
-- transaction.
--
-- `replaced` is the version whose blob is now unused, because no row references it. In a bucket without versioning, two concurrent upserts
-- may return a wrong `replaced`. One blob then remains, and the storage's periodic cleanup deletes it.
--
-- Raises no_data_found if a trigger of the project prevents the write without an error.
--
-- The function is called by the login authenticator, which may not use schema storage. Therefore the function switches to service_role
-- first. Its body contains no type of schema storage, because PostgreSQL compiles the body before the switch. The body reads the versioning
-- status with a query. cloch.versioning_status would be slower, because it has a SET clause. Callable by authenticator.
create or replace function cloch.write_object(
  names text[], texts text[],
  to_bucket text, to_name text, row_owner uuid, row_owner_id text, row_version text, row_metadata jsonb,
  row_user_metadata jsonb, replaces boolean)
returns table (id uuid, replaced text, is_versioned boolean)
language plpgsql set search_path = storage, public, extensions
as $$
#variable_conflict use_column
declare
  status text;
begin
  perform set_config(setting.name, setting.text, true) from unnest(names, texts) as setting (name, text);
  perform set_config('role', 'service_role', true);
  -- In an older database that another program made, storage.buckets may have no column versioning_status. The name then refers to the outer
  -- query's column, which is 'DISABLED'.
  select kept.versioning_status into status
    from (select 'DISABLED' as versioning_status) as lacking
    cross join lateral (select versioning_status from storage.buckets as b where b.id = to_bucket) as kept;
  if status <> 'DISABLED' then
    return query
      select written.id, written.replaced, written.is_versioned
        from cloch.write_version(status, to_bucket, to_name, row_owner, row_owner_id, row_version, row_metadata,
                                 row_user_metadata, replaces) as written;
  elsif replaces then
    return query
      with old as (
        select o.version from storage.objects as o where o.bucket_id = to_bucket and o.name = to_name
      )
      insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
      values (to_bucket, to_name, row_owner, row_owner_id, row_version, row_metadata, row_user_metadata)
      on conflict (bucket_id, name) do update
        set metadata = excluded.metadata,
            version = excluded.version,
            user_metadata = coalesce(excluded.user_metadata, o.user_metadata),
            owner = coalesce(excluded.owner, o.owner),
            owner_id = coalesce(excluded.owner_id, o.owner_id)
      returning o.id, (select old.version from old), false;
  else
    return query
      insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
      values (to_bucket, to_name, row_owner, row_owner_id, row_version, row_metadata, row_user_metadata)
      returning o.id, null::text, false;
  end if;
  if not found then
    raise no_data_found using message = 'a BEFORE trigger on storage.objects returned null, so the row was not written';
  end if;
end;
$$;
revoke execute on function cloch.write_object(text[], text[], text, text, uuid, text, text, jsonb, jsonb, boolean) from public;
grant execute on function cloch.write_object(text[], text[], text, text, uuid, text, text, jsonb, jsonb, boolean) to authenticator;
