-- Returns a number for a new version of a project's function. The number is never assigned again. Only Cloch's own login may call the
-- function.
create or replace function cloch.reserve_function_version(name text) returns bigint
language sql set search_path = 'pg_catalog', 'pg_temp' as $$
  insert into cloch.deployed_functions as known (name, last_number)
  values (reserve_function_version.name, 1)
  on conflict on constraint deployed_functions_pkey do update set last_number = known.last_number + 1
  returning last_number
$$;
revoke all on function cloch.reserve_function_version(text) from public;
