-- Makes schema storage: buckets, objects and unfinished S3 multipart uploads. The content of objects is in the object store (a folder
-- or an S3 server). An object exists for clients if storage.objects has a row for it, and the policies on that table decide who may
-- access the object.

set local role supabase_storage_admin;

create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');

create table storage.migrations (
  id          integer not null,
  name        varchar(100) not null,
  hash        varchar(40) not null,
  executed_at timestamp without time zone default current_timestamp,
  constraint migrations_pkey primary key (id),
  constraint migrations_name_key unique (name)
);

create table storage.buckets (
  id                 text not null,
  name               text not null,
  owner              uuid,
  created_at         timestamptz default now(),
  updated_at         timestamptz default now(),
  public             boolean default false,
  avif_autodetection boolean default false,
  file_size_limit    bigint,
  allowed_mime_types text[],
  owner_id           text,
  type               storage.buckettype not null default 'STANDARD',
  versioning_status  text not null default 'DISABLED',
  constraint buckets_pkey primary key (id),
  constraint buckets_versioning_status_check
    check (versioning_status in ('DISABLED', 'ENABLED', 'SUSPENDED')),
  constraint buckets_versioning_standard_check
    check (type = 'STANDARD' or versioning_status = 'DISABLED')
);

create unique index bname on storage.buckets (name);
comment on column storage.buckets.owner is 'Deprecated: owner_id replaces it.';

create table storage.objects (
  id               uuid not null default gen_random_uuid(),
  bucket_id        text,
  name             text,
  owner            uuid,
  created_at       timestamptz default now(),
  updated_at       timestamptz default now(),
  last_accessed_at timestamptz default now(),
  metadata         jsonb,
  path_tokens      text[] generated always as (string_to_array(name, '/'::text)) stored,
  version          text,
  owner_id         text,
  user_metadata    jsonb,
  archived_at      timestamptz,
  is_delete_marker boolean not null default false,
  is_versioned     boolean not null default false,
  constraint objects_pkey primary key (id),
  constraint "objects_bucketId_fkey" foreign key (bucket_id) references storage.buckets (id)
);

comment on column storage.objects.owner is 'Deprecated: owner_id replaces it.';
create unique index bucketid_objname on storage.objects (bucket_id, name);
create index name_prefix_search on storage.objects (name text_pattern_ops);

-- Listings are in byte order (collation "C"). The v1 listing ignores case and uses the second index.
create index idx_objects_bucket_id_name on storage.objects (bucket_id, name collate "C") include (created_at);
create index idx_objects_bucket_id_name_lower on storage.objects (bucket_id, lower(name) collate "C");

-- The sweep looks up each blob of the object store by its version and deletes blobs without a row.
create index idx_objects_version on storage.objects (version);

create table storage.s3_multipart_uploads (
  id               text not null,
  in_progress_size bigint not null default 0,
  upload_signature text not null,
  bucket_id        text not null,
  key              text collate "C" not null,
  version          text not null,
  owner_id         text,
  created_at       timestamptz not null default now(),
  user_metadata    jsonb,
  metadata         jsonb,
  constraint s3_multipart_uploads_pkey primary key (id),
  constraint s3_multipart_uploads_bucket_id_fkey foreign key (bucket_id) references storage.buckets (id)
);

create index idx_multipart_uploads_list on storage.s3_multipart_uploads (bucket_id, key, created_at);

create table storage.s3_multipart_uploads_parts (
  id          uuid not null default gen_random_uuid(),
  upload_id   text not null,
  size        bigint not null default 0,
  part_number integer not null,
  bucket_id   text not null,
  key         text collate "C" not null,
  etag        text not null,
  owner_id    text,
  version     text not null,
  created_at  timestamptz not null default now(),
  constraint s3_multipart_uploads_parts_pkey primary key (id),
  constraint s3_multipart_uploads_parts_upload_id_fkey
    foreign key (upload_id) references storage.s3_multipart_uploads (id) on delete cascade,
  constraint s3_multipart_uploads_parts_bucket_id_fkey
    foreign key (bucket_id) references storage.buckets (id)
);

alter table storage.migrations enable row level security;
alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;
alter table storage.s3_multipart_uploads enable row level security;
alter table storage.s3_multipart_uploads_parts enable row level security;
grant all on storage.buckets, storage.objects to anon, authenticated, service_role;
grant all on storage.buckets, storage.objects to postgres with grant option;
grant select on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts to anon, authenticated;
grant all on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts to service_role;

reset role;
