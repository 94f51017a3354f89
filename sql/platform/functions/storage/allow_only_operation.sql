set local role supabase_storage_admin;

-- Whether the current request performs the storage operation `expected_operation`. Otherwise it does the same as
-- storage.allow_any_operation.
create or replace function storage.allow_only_operation(expected_operation text) returns boolean
language sql stable as $$
  select storage.allow_any_operation(array[expected_operation])
$$;

reset role;
