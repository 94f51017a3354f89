set local role supabase_storage_admin;

-- Checks whether the current role may insert an object: inserts the row and always raises an error, which undoes the insert. The error
-- has SQLSTATE PT200 if the insert succeeded, otherwise it is that of the insert. Signature as on Supabase. Callable by all roles.
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
