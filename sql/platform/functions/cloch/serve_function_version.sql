-- Makes all nodes serve a version of a project's function. Deletes older versions, except the `kept` newest ones. Returns false if the
-- version does not exist. Only Cloch's own login may call the function.
create or replace function cloch.serve_function_version(name text, number bigint, kept integer) returns boolean
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
#variable_conflict use_column
begin
  update cloch.deployed_functions as known set served = serve_function_version.number
   where known.name = serve_function_version.name
     and exists (select from cloch.function_versions as version
                  where version.name = known.name and version.number = serve_function_version.number);
  if not found then
    return false;
  end if;
  delete from cloch.function_versions as version
   where version.name = serve_function_version.name
     and version.number in (
       select older.number from cloch.function_versions as older
        where older.name = serve_function_version.name and older.number < serve_function_version.number
        order by older.number desc offset kept);
  return true;
end
$$;
revoke all on function cloch.serve_function_version(text, bigint, integer) from public;
