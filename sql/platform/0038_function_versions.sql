-- Deployed versions of functions, for all nodes that serve this database.

create table if not exists cloch.deployed_functions (
  name        text primary key,
  -- A number is never used again, also not after the function was removed: a node may
  -- still have files of it.
  last_number bigint not null,
  -- Null before the first version is served, and after the function was removed.
  served      bigint
);

create table if not exists cloch.function_versions (
  name        text not null references cloch.deployed_functions (name),
  number      bigint not null,
  -- The files as tar.gz, without .env files: variables stay on each node.
  archive     bytea not null,
  sha256      bytea not null generated always as (sha256(archive)) stored,
  -- What an upload says of itself; null of a copy of the project's folder.
  description text,
  created_at  timestamptz not null default now(),
  primary key (name, number)
);

-- It is compressed already.
alter table cloch.function_versions alter column archive set storage external;

revoke all on table cloch.deployed_functions, cloch.function_versions from public;

-- The number of a new version.
create or replace function cloch.reserve_function_version(name text) returns bigint
language sql set search_path = '' as $$
  insert into cloch.deployed_functions as known (name, last_number)
  values (reserve_function_version.name, 1)
  on conflict on constraint deployed_functions_pkey do update set last_number = known.last_number + 1
  returning last_number
$$;

-- Makes a version the one that all nodes serve, and removes the oldest ones beyond
-- those that are kept beside it. False where there is no such version.
create or replace function cloch.serve_function_version(name text, number bigint, kept integer) returns boolean
language plpgsql set search_path = '' as $$
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

-- Removes a function on all nodes.
create or replace function cloch.remove_function(name text) returns boolean
language plpgsql set search_path = '' as $$
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

revoke all on function cloch.reserve_function_version(text) from public;
revoke all on function cloch.serve_function_version(text, bigint, integer) from public;
revoke all on function cloch.remove_function(text) from public;
