-- The v2 listing by time: a folder has the earliest created_at of the objects below it and stands among the objects
-- by it. An index of names and times finds the folders by a jump to each, and the earliest time of each without its
-- rows where no policy reads them; the other columns are read once the page is known.

set local role supabase_storage_admin;

-- Not updated_at: a replaced object's row would no longer stay on its page.
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
