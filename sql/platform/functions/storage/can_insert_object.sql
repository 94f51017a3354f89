set local role supabase_storage_admin;

-- Tries an insert as the caller and takes it back by raising.
create or replace function storage.can_insert_object(
  bucketid text, name text, owner uuid, metadata jsonb
) returns void
language plpgsql as $$
begin
  insert into storage.objects (bucket_id, name, owner, metadata)
  values (can_insert_object.bucketid, can_insert_object.name, can_insert_object.owner, can_insert_object.metadata);
  raise sqlstate 'PT200' using
    message = 'ROLLBACK',
    detail = 'rollback successful insert';
end;
$$;

reset role;
