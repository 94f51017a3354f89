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
