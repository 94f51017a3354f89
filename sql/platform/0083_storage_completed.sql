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
