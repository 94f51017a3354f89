set local role supabase_storage_admin;

-- Returns the name of the storage operation that the current request performs, such as `storage.object.upload`, for policies. The
-- storage API sets it for each request; null or empty elsewhere. Callable by all roles.
create or replace function storage.operation() returns text
language sql stable as $$
  select current_setting('storage.operation', true)
$$;

reset role;
