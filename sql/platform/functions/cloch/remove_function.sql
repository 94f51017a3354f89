-- Removes a deployed function of the project, with its versions, from all nodes. Returns false if no version of the function is served.
-- Only Cloch's own login may call the function.
create or replace function cloch.remove_function(name text) returns boolean
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
#variable_conflict use_column
begin
  update cloch.deployed_functions as known set served = null
   where known.name = remove_function.name and known.served is not null;
  if not found then
    return false;
  end if;
  delete from cloch.function_versions as version where version.name = remove_function.name;
  return true;
end
$$;
revoke all on function cloch.remove_function(text) from public;
