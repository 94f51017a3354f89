-- Tells every node what changes under objects that it may remember: rows served
-- to everybody or through signed links are not looked up again each time.

create or replace function cloch.tell_object_change() returns trigger
language plpgsql as $$
begin
  -- The length keeps `a/b` + `c` apart from `a` + `b/c`.
  perform pg_notify('cloch_storage', length(old.bucket_id) || ':' || old.bucket_id || '/' || old.name);
  return null;
end;
$$;

create trigger cloch_object_change
  after update or delete on storage.objects
  for each row execute function cloch.tell_object_change();

-- A bucket that is no longer public concerns all of its objects.
create or replace function cloch.tell_bucket_change() returns trigger
language plpgsql as $$
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
