-- Returns the versions of those rows in `asked` for which `rule` is true. `rule` is the condition that cloch.object_rule returns for role
-- `caller_role`: an SQL expression over the columns of storage.objects. If a row has no version, its id is returned. Callable by
-- service_role.
create or replace function cloch.allowed_versions(caller_role text, rule text, asked storage.objects[]) returns text[]
language plpgsql set search_path = storage, public, extensions
as $$
declare
  former constant text := current_setting('role');
  allowed text[];
begin
  if rule = 'false' or asked is null then
    return '{}';
  end if;
  -- The rule is evaluated as the caller, so that the functions and tables in the policies are used with the caller's rights.
  perform set_config('role', caller_role, true);
  execute 'select array_agg(coalesce(objects.version, objects.id::text)) from unnest($1) as objects where ' || rule
    into allowed using asked;
  perform set_config('role', former, true);
  return coalesce(allowed, '{}');
end;
$$;
revoke execute on function cloch.allowed_versions(text, text, storage.objects[]) from public;
grant execute on function cloch.allowed_versions(text, text, storage.objects[]) to service_role;
