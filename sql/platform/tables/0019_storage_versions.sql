-- Makes table cloch.object_versions: former versions of objects and delete markers, in buckets with versioning (`versioning_status`).
-- The current version of an object is its row in storage.objects. Each write moves the version that it replaces to this table, in the
-- same transaction. Buckets without versioning, and listings and policies that ignore versions, therefore have no additional cost. A
-- blob is kept as long as a row of either table names it.
--
-- The policies on storage.objects decide whether a caller may see or delete a version. They are evaluated with the version's own owner,
-- metadata and id, whoever owns the current object. They are evaluated over rows that are in no table, so no row is locked and no
-- trigger of the project runs.

-- Databases that another program made may have this constraint, which does not permit versioning.
alter table storage.buckets drop constraint if exists buckets_versioning_disabled_check;

create table if not exists cloch.object_versions (
  -- Key of the blob, as in storage.objects. A delete marker has a version too, but no blob.
  version          text not null,
  -- Order of the versions of a key: newer versions have greater numbers. The current version in storage.objects is newer than all rows
  -- of this table (see cloch.current_version).
  number           bigint generated always as identity,
  bucket_id        text not null,
  name             text collate "C" not null,
  -- storage.objects.id of the object.
  object_id        uuid not null,
  owner            uuid,
  owner_id         text,
  created_at       timestamptz,
  updated_at       timestamptz,
  last_accessed_at timestamptz,
  metadata         jsonb,
  user_metadata    jsonb,
  -- Time at which another version replaced this version at the key; null for the current delete marker of a key.
  archived_at      timestamptz,
  is_delete_marker boolean not null default false,
  -- False for the version that S3 calls `null`: written while versioning was disabled or suspended. A key has at most one such version.
  is_versioned     boolean not null,
  constraint object_versions_pkey primary key (version),
  constraint object_versions_current_check check (archived_at is not null or is_delete_marker)
);

-- A key has at most one current delete marker.
create unique index if not exists object_versions_marker_idx on cloch.object_versions (bucket_id, name)
  where archived_at is null;

create index if not exists object_versions_name_idx on cloch.object_versions (bucket_id, name, number desc);
create index if not exists object_versions_archived_at_idx on cloch.object_versions (bucket_id, archived_at);
revoke all on cloch.object_versions from public;
grant usage on schema cloch to service_role;
grant select, insert, update, delete on cloch.object_versions to service_role;
