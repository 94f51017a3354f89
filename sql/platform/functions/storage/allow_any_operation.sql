set local role supabase_storage_admin;

-- Whether the current request performs one of the storage operations in `expected_operations`. For use in policies. Names may have the
-- prefix `storage.`. False outside of the storage API. Callable by all roles.
create or replace function storage.allow_any_operation(expected_operations text[]) returns boolean
language sql stable as $$
  select coalesce(
    regexp_replace(storage.operation(), '^storage\.', '')
      = any (select regexp_replace(e, '^storage\.', '') from unnest(expected_operations) as e),
    false)
$$;

reset role;
