-- Tells every node what changes under objects that it may remember: rows served
-- to everybody or through signed links are not looked up again each time.

-- What the transaction tells by itself once it has ended (`cloch.told`: one object)
-- is not told by the trigger: PostgreSQL lets transactions that tell something
-- commit one after another only, each of which waits for the disk.

create or replace function cloch.tell_object_change() returns trigger
language plpgsql set search_path = '' as $$
declare
  -- The length keeps `a/b` + `c` apart from `a` + `b/c`.
  path text := length(old.bucket_id) || ':' || old.bucket_id || '/' || old.name;
begin
  if path is distinct from current_setting('cloch.told', true) then
    perform pg_notify('cloch_storage', path);
  end if;
  return null;
end;
$$;

create trigger cloch_object_change
  after update or delete on storage.objects
  for each row execute function cloch.tell_object_change();

-- A bucket that is no longer public concerns all of its objects.
create or replace function cloch.tell_bucket_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform pg_notify('cloch_storage', '');
  return null;
end;
$$;

create trigger cloch_bucket_change
  after update or delete or truncate on storage.buckets
  for each statement execute function cloch.tell_bucket_change();
create trigger cloch_objects_truncate
  after truncate on storage.objects
  for each statement execute function cloch.tell_bucket_change();
