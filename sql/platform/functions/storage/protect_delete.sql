set local role supabase_storage_admin;

-- A row deleted in SQL would leave its bytes behind; only the storage API, which
-- sets storage.allow_delete_query, deletes both.
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
