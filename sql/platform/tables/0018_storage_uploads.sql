-- Makes the tables of uploads that take several requests: resumable uploads (TUS), completed S3 multipart uploads, and unfinished
-- uploads by network.

-- Resumable uploads (TUS). The bytes received so far are in the object store, under the version of the upload.
create table cloch.storage_uploads (
  -- Id of the upload, and version of the object that the upload will become.
  version         uuid primary key,
  bucket_id       text not null,
  object_name     text not null,
  -- Total length in bytes; null while the client defers the length (Upload-Defer-Length).
  length_bytes    bigint,
  -- Number of bytes that are stored durably.
  offset_bytes    bigint not null default 0,
  content_type    text,
  cache_control   text not null,
  user_metadata   jsonb,
  -- Header Upload-Metadata as the client sent it, returned by HEAD requests.
  upload_metadata text not null,
  owner_id        text,
  upsert          boolean not null default false,
  -- Where the received parts are stored, in a form that depends on the backend (files or S3).
  assembly        jsonb not null default '{}',
  -- State of the incremental checksum over the received parts.
  checksum        bytea,
  -- Whether all bytes were received and the object is being created. After a crash the creation of the object is repeated.
  finishing       boolean not null default false,
  created_at      timestamptz not null default now(),
  expires_at      timestamptz not null,
  completed_at    timestamptz,
  -- The request that holds the write lock of the upload; null if no request holds the lock.
  held_by         uuid,
  -- End of the lease of the write lock. After this time another request may take the lock, for example after a crash of the node.
  held_until      timestamptz,
  -- Whether another request waits for the write lock. The request that holds the lock then stops.
  wanted          boolean not null default false,
  constraint storage_uploads_length_check check (length_bytes >= 0),
  constraint storage_uploads_offset_check
    check (offset_bytes >= 0 and (length_bytes is null or offset_bytes <= length_bytes))
);

create index storage_uploads_expires_at_idx on cloch.storage_uploads (expires_at);

-- S3 multipart uploads that were completed recently. A client that did not receive the response repeats CompleteMultipartUpload and
-- gets the same response from this table. The sweep deletes old rows.
create table cloch.storage_completed (
  upload_id    text primary key,
  bucket_id    text not null,
  key          text collate "C" not null,
  etag         text not null,
  completed_at timestamptz not null default now()
);

create index storage_completed_completed_at_idx on cloch.storage_completed (completed_at);

-- Unfinished uploads of visitors (callers without a session): resumable uploads and S3 multipart uploads. They count towards the limit
-- of unfinished uploads of a network.
create table if not exists cloch.begun_uploads (
  -- Id of the resumable upload or of the S3 multipart upload.
  id      uuid primary key,
  -- Network of the visitor: an IPv4 address or an IPv6 /64.
  network text not null
);

create index if not exists begun_uploads_network_idx on cloch.begun_uploads (network);
revoke all on cloch.begun_uploads from public;
grant usage on schema cloch to authenticator;
