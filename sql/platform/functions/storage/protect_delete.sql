set local role supabase_storage_admin;

-- Trigger function of storage.buckets and storage.objects: refuses deletions in SQL, because the files would remain in the object store.
-- The storage API deletes both the row and the file. Before the deletion, it sets storage.allow_delete_query to `true`.
create or replace function storage.protect_delete() returns trigger
language plpgsql as $$
begin
  if coalesce(current_setting('storage.allow_delete_query', true), 'false') <> 'true' then
    raise exception 'Direct deletion from storage tables is not allowed. Use the Storage API instead.'
      using errcode = '42501',
            hint = 'This prevents accidental data loss from orphaned objects.';
  end if;
  return null;
end;
$$;

reset role;
