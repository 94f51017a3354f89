set local role supabase_storage_admin;

create or replace function storage.allow_any_operation(expected_operations text[]) returns boolean
language sql stable as $$
  select coalesce(
    regexp_replace(storage.operation(), '^storage\.', '')
      = any (select regexp_replace(e, '^storage\.', '') from unnest(expected_operations) as e),
    false)
$$;

reset role;
