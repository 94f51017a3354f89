-- Returns the current version or a former version of an object. All columns are null if the version does not exist. `wanted` is the
-- version, or `null` for the unversioned one. Callable by service_role.
create or replace function cloch.version_of(of_bucket text, of_name text, wanted text) returns cloch.object_versions
language plpgsql stable set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  found_row cloch.object_versions;
begin
  select (cloch.current_version(o)).* into found_row
    from storage.objects as o
   where o.bucket_id = of_bucket and o.name = of_name
     and (o.version = wanted or wanted = 'null' and o.version is not null and not o.is_versioned);
  if not found then
    select v.* into found_row
      from cloch.object_versions as v
     where v.bucket_id = of_bucket and v.name = of_name
       and (v.version = wanted or wanted = 'null' and not v.is_versioned);
  end if;
  return found_row;
end;
$$;
revoke execute on function cloch.version_of(text, text, text) from public;
grant execute on function cloch.version_of(text, text, text) to service_role;
