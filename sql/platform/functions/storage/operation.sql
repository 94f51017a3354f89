set local role supabase_storage_admin;

-- Returns the name of the storage operation that the current request performs, such as `storage.object.upload`. For use in policies. The
-- storage API sets the name for each request. Outside of the storage API, it is null or empty. Callable by all roles.
create or replace function storage.operation() returns text
language sql stable as $$
  select current_setting('storage.operation', true)
$$;

reset role;
