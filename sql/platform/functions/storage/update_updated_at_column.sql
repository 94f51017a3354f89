set local role supabase_storage_admin;

-- Trigger function of storage.objects: sets updated_at to the time of the transaction. cloch.try_object does not count it as a trigger of
-- the project.
create or replace function storage.update_updated_at_column() returns trigger
language plpgsql as $$
begin
  new.updated_at = now();
  return new;
end;
$$;

reset role;
