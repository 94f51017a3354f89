-- Makes the triggers of storage.buckets and storage.objects: modification time, maximum length of bucket names, and protection against
-- deletions that bypass the storage API.

\ir ../functions/storage/enforce_bucket_name_length.sql
\ir ../functions/storage/protect_delete.sql
\ir ../functions/storage/update_updated_at_column.sql

set local role supabase_storage_admin;

create trigger update_objects_updated_at
  before update on storage.objects
  for each row execute function storage.update_updated_at_column();

create trigger enforce_bucket_name_length_trigger
  before insert or update of name on storage.buckets
  for each row execute function storage.enforce_bucket_name_length();

create trigger protect_buckets_delete
  before delete on storage.buckets
  for each statement execute function storage.protect_delete();

create trigger protect_objects_delete
  before delete on storage.objects
  for each statement execute function storage.protect_delete();

reset role;
