-- Returns the versions of the rows in `asked` that role `caller_role` may access: rows for which `rule` is true, an SQL expression over
-- the columns of storage.objects that cloch.object_rule returns. A row without a version is named by its id. Callable by service_role.
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
  -- The rule is evaluated as the caller: functions and tables that policies use are accessed with the caller's rights.
  perform set_config('role', caller_role, true);
  execute 'select array_agg(coalesce(objects.version, objects.id::text)) from unnest($1) as objects where ' || rule
    into allowed using asked;
  perform set_config('role', former, true);
  return coalesce(allowed, '{}');
end;
$$;
revoke execute on function cloch.allowed_versions(text, text, storage.objects[]) from public;
grant execute on function cloch.allowed_versions(text, text, storage.objects[]) to service_role;
