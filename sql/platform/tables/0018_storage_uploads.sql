-- Resumable uploads (TUS) in progress. The bytes received so far lie in the
-- object store under the version; offset_bytes says how many are safe there.
create table cloch.storage_uploads (
  -- What the object will have as its version.
  version         uuid primary key,
  bucket_id       text not null,
  object_name     text not null,
  -- Null while the length is deferred.
  length_bytes    bigint,
  offset_bytes    bigint not null default 0,
  content_type    text,
  cache_control   text not null,
  user_metadata   jsonb,
  -- As the client sent it, for HEAD.
  upload_metadata text not null,
  owner_id        text,
  upsert          boolean not null default false,
  -- Where the parts lie, in the backend's own terms, and the state of the
  -- running checksum over them.
  assembly        jsonb not null default '{}',
  checksum        bytea,
  -- All bytes are there and are becoming an object: a crash meanwhile is
  -- mended by doing it again.
  finishing       boolean not null default false,
  created_at      timestamptz not null default now(),
  expires_at      timestamptz not null,
  completed_at    timestamptz,
  -- The request that writes now. Another one asks it to stop and waits; a node
  -- that died holds nothing once its time is over.
  held_by         uuid,
  held_until      timestamptz,
  wanted          boolean not null default false,
  constraint storage_uploads_length_check check (length_bytes >= 0),
  constraint storage_uploads_offset_check
    check (offset_bytes >= 0 and (length_bytes is null or offset_bytes <= length_bytes))
);

create index storage_uploads_expires_at_idx on cloch.storage_uploads (expires_at);

-- Uploads in parts (S3) that were completed a short while ago: a client that has
-- not heard the answer asks again, and is told the same. The sweep forgets them.
create table cloch.storage_completed (
  upload_id    text primary key,
  bucket_id    text not null,
  key          text collate "C" not null,
  etag         text not null,
  completed_at timestamptz not null default now()
);

create index storage_completed_completed_at_idx on cloch.storage_completed (completed_at);

-- Uploads in parts that visitors have begun: resumable ones, and those of S3.
create table if not exists cloch.begun_uploads (
  id      uuid primary key,
  network text not null
);

create index if not exists begun_uploads_network_idx on cloch.begun_uploads (network);
revoke all on cloch.begun_uploads from public;
grant usage on schema cloch to authenticator;
