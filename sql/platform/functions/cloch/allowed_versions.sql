-- Those of some rows of which a rule is true for a role; each is named by its version, or by its id where it has none.
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
  -- As the caller: what a policy calls or asks of other tables is the caller's to call and to ask.
  perform set_config('role', caller_role, true);
  execute 'select array_agg(coalesce(objects.version, objects.id::text)) from unnest($1) as objects where ' || rule
    into allowed using asked;
  perform set_config('role', former, true);
  return coalesce(allowed, '{}');
end;
$$;
revoke execute on function cloch.allowed_versions(text, text, storage.objects[]) from public;
grant execute on function cloch.allowed_versions(text, text, storage.objects[]) to service_role;
