set local role supabase_storage_admin;

-- Checks whether the current role may insert an object. Inserts the row and always raises an error, which undoes the insert. If the insert
-- succeeded, the SQLSTATE of the error is PT200; otherwise the error is that of the insert. The signature is that of Supabase. Callable by
-- all roles.
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
