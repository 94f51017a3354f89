-- What the transaction tells by itself once it has ended (`cloch.told`: one object)
-- is not told by the trigger: PostgreSQL lets transactions that tell something
-- commit one after another only, each of which waits for the disk.

create or replace function cloch.tell_object_change() returns trigger
language plpgsql as $$
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
