-- Makes the index for the v2 listing by time (storage.search_by_timestamp). In this listing a folder has the earliest created_at of the
-- objects in it, and is sorted among the objects by that time. With the index, PostgreSQL finds each folder with one index lookup. It
-- finds the earliest time in a folder without reading the table, unless policies need the rows. Other columns are read only for rows of
-- the page.

set local role supabase_storage_admin;

-- Databases that another program made may have an index of this name without created_at. updated_at is not in the index: otherwise
-- PostgreSQL could not keep the new row version of a replaced object on its page (a HOT update).
do $$
begin
  if not exists (
    select from pg_index as i join pg_attribute as a on a.attrelid = i.indexrelid
     where i.indexrelid = to_regclass('storage.idx_objects_bucket_id_name') and a.attname = 'created_at')
  then
    drop index if exists storage.idx_objects_bucket_id_name;
    create index idx_objects_bucket_id_name on storage.objects (bucket_id, name collate "C") include (created_at);
  end if;
end;
$$;

reset role;
