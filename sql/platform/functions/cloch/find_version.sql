-- Returns a version of an object if role `caller_role` may see it, otherwise no row. `wanted` is the version, or `null` for the
-- unversioned one. Sets role service_role for the rest of the transaction. Callable by service_role.
create or replace function cloch.find_version(caller_role text, of_bucket text, of_name text, wanted text)
returns setof cloch.object_versions
language plpgsql set search_path = storage, public, extensions
as $$
declare
  found_row cloch.object_versions;
begin
  perform set_config('role', 'service_role', true);
  found_row := cloch.version_of(of_bucket, of_name, wanted);
  if found_row.version is not null and cloch.may_version(caller_role, found_row, false) then
    return next found_row;
  end if;
end;
$$;
revoke execute on function cloch.find_version(text, text, text, text) from public;
grant execute on function cloch.find_version(text, text, text, text) to service_role;
