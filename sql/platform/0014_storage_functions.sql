-- What policies on storage.objects are written with, and the triggers that
-- guard the tables.

set local role supabase_storage_admin;

create or replace function storage.foldername(name text) returns text[]
language sql immutable as $$
  select (string_to_array(name, '/'))[1 : array_length(string_to_array(name, '/'), 1) - 1]
$$;

create or replace function storage.filename(name text) returns text
language sql immutable as $$
  select (string_to_array(name, '/'))[array_length(string_to_array(name, '/'), 1)]
$$;

-- What follows the last dot of the last segment; the segment if it has no dot.
create or replace function storage.extension(name text) returns text
language sql immutable as $$
  select regexp_replace(
    (string_to_array(name, '/'))[array_length(string_to_array(name, '/'), 1)],
    '^.*\.', '')
$$;

-- The storage API sets storage.operation for each request.
create or replace function storage.operation() returns text
language sql stable as $$
  select current_setting('storage.operation', true)
$$;

create or replace function storage.allow_any_operation(expected_operations text[]) returns boolean
language sql stable as $$
  select coalesce(
    regexp_replace(storage.operation(), '^storage\.', '')
      = any (select regexp_replace(e, '^storage\.', '') from unnest(expected_operations) as e),
    false)
$$;

create or replace function storage.allow_only_operation(expected_operation text) returns boolean
language sql stable as $$
  select storage.allow_any_operation(array[expected_operation])
$$;

create or replace function storage.get_size_by_bucket() returns table (size bigint, bucket_id text)
language sql stable as $$
  select sum((o.metadata ->> 'size')::bigint)::bigint, o.bucket_id
    from storage.objects as o
   group by o.bucket_id
$$;

-- Tries an insert as the caller and takes it back by raising.
create or replace function storage.can_insert_object(
  bucketid text, name text, owner uuid, metadata jsonb
) returns void
language plpgsql as $$
begin
  insert into storage.objects (bucket_id, name, owner, metadata)
  values (can_insert_object.bucketid, can_insert_object.name, can_insert_object.owner, can_insert_object.metadata);
  raise sqlstate 'PT200' using
    message = 'ROLLBACK',
    detail = 'rollback successful insert';
end;
$$;

create or replace function storage.update_updated_at_column() returns trigger
language plpgsql as $$
begin
  new.updated_at = now();
  return new;
end;
$$;

create trigger update_objects_updated_at
  before update on storage.objects
  for each row execute function storage.update_updated_at_column();

create or replace function storage.enforce_bucket_name_length() returns trigger
language plpgsql as $$
begin
  if length(new.name) > 100 then
    raise exception 'bucket name "%" is too long (% characters). Max is 100.', new.name, length(new.name);
  end if;
  return new;
end;
$$;

create trigger enforce_bucket_name_length_trigger
  before insert or update of name on storage.buckets
  for each row execute function storage.enforce_bucket_name_length();

-- A row deleted in SQL would leave its bytes behind; only the storage API, which
-- sets storage.allow_delete_query, deletes both.
create or replace function storage.protect_delete() returns trigger
language plpgsql as $$
begin
  if coalesce(current_setting('storage.allow_delete_query', true), 'false') <> 'true' then
    raise exception 'Direct deletion from storage tables is not allowed. Use the Storage API instead.'
      using errcode = '42501',
            hint = 'This prevents accidental data loss from orphaned objects.';
  end if;
  return null;
end;
$$;

create trigger protect_buckets_delete
  before delete on storage.buckets
  for each statement execute function storage.protect_delete();
create trigger protect_objects_delete
  before delete on storage.objects
  for each statement execute function storage.protect_delete();

reset role;
