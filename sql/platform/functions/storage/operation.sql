set local role supabase_storage_admin;

-- The storage API sets storage.operation for each request.
create or replace function storage.operation() returns text
language sql stable as $$
  select current_setting('storage.operation', true)
$$;

reset role;
