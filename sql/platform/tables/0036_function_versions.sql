-- Makes the tables of deployed versions of the project's functions, which all nodes of the database share.

create table if not exists cloch.deployed_functions (
  name        text primary key,
  -- Greatest version number that was assigned. Numbers are never reused, even after the function was removed: a node may still have
  -- files of an old version.
  last_number bigint not null,
  -- Number of the version that all nodes serve. Null before the first version is served, and after the function was removed.
  served      bigint
);

create table if not exists cloch.function_versions (
  name        text not null references cloch.deployed_functions (name),
  number      bigint not null,
  -- Files of the version as tar.gz, without .env files: variables stay on each node.
  archive     bytea not null,
  sha256      bytea not null generated always as (sha256(archive)) stored,
  -- Metadata of the upload that created the version; null for a copy of the project's folder.
  description text,
  created_at  timestamptz not null default now(),
  primary key (name, number)
);

-- Archives are stored without further compression, because they are compressed already.
alter table cloch.function_versions alter column archive set storage external;
revoke all on table cloch.deployed_functions, cloch.function_versions from public;
