-- An upload asks PostgreSQL twice: may the caller write at the key and, once the
-- bytes are safe, write. Each is one call, and so one round trip and one
-- transaction: what it tells the policies (role, claims, headers and the like, as
-- names and texts of settings) holds for the call and is gone after it. Their search
-- path is the one that a project's policies and triggers find in storage's other
-- transactions.

-- Writes the row as the caller and takes it back: policies, constraints and
-- triggers of the project say no by raising. Returns the limits of the bucket, which
-- the caller need not see.
create function cloch.try_object(
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

-- Writes the row for good, in a transaction of the service role. Inserts it, or
-- replaces what is at the key: the row keeps its id then; its owner and custom
-- metadata too, unless new ones are given. Of two upserts at once the replaced
-- version of one may be told wrongly; the sweeper finds what neither deletes.
create function cloch.write_object(
  names text[], texts text[],
  to_bucket text, to_name text, row_owner uuid, row_owner_id text, row_version text, row_metadata jsonb,
  row_user_metadata jsonb, replaces boolean)
returns table (id uuid, replaced text)
language plpgsql set search_path = storage, public, extensions
as $$
#variable_conflict use_column
begin
  perform set_config(setting.name, setting.text, true) from unnest(names, texts) as setting (name, text);
  perform set_config('role', 'service_role', true);
  if replaces then
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
      returning o.id, (select old.version from old);
  else
    return query
      insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
      values (to_bucket, to_name, row_owner, row_owner_id, row_version, row_metadata, row_user_metadata)
      returning o.id, null::text;
  end if;
end;
$$;

revoke execute on function
  cloch.try_object(text[], text[], text, text, text, uuid, text, jsonb, jsonb, boolean),
  cloch.write_object(text[], text[], text, text, uuid, text, text, jsonb, jsonb, boolean)
  from public;
grant usage on schema cloch to authenticator;
grant execute on function
  cloch.try_object(text[], text[], text, text, text, uuid, text, jsonb, jsonb, boolean),
  cloch.write_object(text[], text[], text, text, uuid, text, text, jsonb, jsonb, boolean)
  to authenticator;
