set local role supabase_storage_admin;

-- Lists the unfinished S3 multipart uploads of a bucket that the current role may see, sorted by key and id in byte order. Keys that have
-- the delimiter after the prefix are grouped to folders, which are rows with a null id.
--
-- A page has at most `max_keys` rows. It begins after the upload `next_upload_token` of the key `next_key_token`. Empty tokens begin with
-- the first key. The signature is that of Supabase. Callable by all roles.
create or replace function storage.list_multipart_uploads_with_delimiter(
  bucket_id text,
  prefix_param text,
  delimiter_param text,
  max_keys integer default 100,
  next_key_token text default '',
  next_upload_token text default ''
) returns table (key text, id text, created_at timestamptz)
language sql stable as $$
  with matching as (
    select u.key, u.id, u.created_at,
           storage.get_common_prefix(u.key, coalesce(prefix_param, ''), delimiter_param) as folder
      from storage.s3_multipart_uploads as u
     where u.bucket_id = list_multipart_uploads_with_delimiter.bucket_id
       and starts_with(u.key, coalesce(prefix_param, ''))
  ), entries as (
    select m.key, m.id, m.created_at from matching as m where m.folder is null
    union all
    select m.folder, null, min(m.created_at) from matching as m where m.folder is not null group by m.folder
  )
  select e.key, e.id, e.created_at
    from entries as e
   where next_key_token = ''
      or e.key collate "C" > next_key_token collate "C"
      or (e.key = next_key_token and next_upload_token <> '' and e.id collate "C" > next_upload_token collate "C")
   order by e.key collate "C", e.id collate "C"
   limit max_keys
$$;

reset role;
