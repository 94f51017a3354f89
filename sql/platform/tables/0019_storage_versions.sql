-- Versions of objects, for buckets that keep them (`versioning_status`). storage.objects has what is at each key now, as ever. What was
-- there before, and the marks of deletions, are rows of a table of their own, which each write moves in its own transaction: other
-- buckets, and listings and policies that know nothing of versions, pay for none of it. A blob stays as long as a row of either names it.
--
-- Whether a caller may see or delete a version is what the policies on storage.objects say of it: of its own owner, metadata and id,
-- whoever has the key now. They are evaluated over rows that are in no table, so nothing is locked, and no trigger of the project runs.
alter table storage.buckets drop constraint if exists buckets_versioning_disabled_check;

create table if not exists cloch.object_versions (
  -- As in storage.objects: the key of the blob. A delete marker has one as well, and no blob.
  version          text not null,
  -- Newer versions of a key have greater numbers; the one in storage.objects is newer than all here (`cloch.current_version`).
  number           bigint generated always as identity,
  bucket_id        text not null,
  name             text collate "C" not null,
  -- The id of the object's row.
  object_id        uuid not null,
  owner            uuid,
  owner_id         text,
  created_at       timestamptz,
  updated_at       timestamptz,
  last_accessed_at timestamptz,
  metadata         jsonb,
  user_metadata    jsonb,
  -- When another took its place at the key. Null: a delete marker that is there now.
  archived_at      timestamptz,
  is_delete_marker boolean not null default false,
  -- False for the version that S3 calls null: of a time without versions. A key has one at most.
  is_versioned     boolean not null,
  constraint object_versions_pkey primary key (version),
  constraint object_versions_current_check check (archived_at is not null or is_delete_marker)
);

create unique index if not exists object_versions_marker_idx on cloch.object_versions (bucket_id, name)
  where archived_at is null;

create index if not exists object_versions_name_idx on cloch.object_versions (bucket_id, name, number desc);
create index if not exists object_versions_archived_at_idx on cloch.object_versions (bucket_id, archived_at);
revoke all on cloch.object_versions from public;
grant usage on schema cloch to service_role;
grant select, insert, update, delete on cloch.object_versions to service_role;
