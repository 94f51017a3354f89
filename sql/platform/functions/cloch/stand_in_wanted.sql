-- Whether the server lacks an extension, so that Cloch's substitute is created. If so, records the substitute in cloch.stand_ins, with
-- `detail` as its description, and in cloch.notices. Called by tables files.
create or replace function cloch.stand_in_wanted(extension_name text, detail text) returns boolean
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
begin
  if exists (select from pg_catalog.pg_available_extensions where name = extension_name) then
    return false;
  end if;
  insert into cloch.stand_ins (extension, detail)
  values (extension_name, stand_in_wanted.detail)
  on conflict (extension) do update set detail = excluded.detail;
  perform cloch.note('extension ' || extension_name, 'not installed: ' || stand_in_wanted.detail);
  return true;
end;
$$;
