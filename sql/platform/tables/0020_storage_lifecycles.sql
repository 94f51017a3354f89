-- Makes the table of buckets' lifecycle rules, as JSON in the form of the storage API. The sweep applies the rules.
create table if not exists cloch.bucket_lifecycles (
  bucket_id  text not null,
  rules      jsonb not null,
  updated_at timestamptz not null default now(),
  constraint bucket_lifecycles_pkey primary key (bucket_id)
);

revoke all on cloch.bucket_lifecycles from public;
grant select, insert, update, delete on cloch.bucket_lifecycles to service_role;
