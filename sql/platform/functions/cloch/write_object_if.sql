-- Writes the row of an uploaded object as cloch.write_object does, but only if the object at the key has the entity tag `expected_etag`
-- (If-Match). Otherwise raises SQLSTATE CLPRE. Callable by authenticator, the login of storage's uploads.
create or replace function cloch.write_object_if(
  names text[], texts text[],
  to_bucket text, to_name text, row_owner uuid, row_owner_id text, row_version text, row_metadata jsonb,
  row_user_metadata jsonb, replaces boolean, expected_etag text)
returns table (id uuid, replaced text, is_versioned boolean)
language plpgsql set search_path = storage, public, extensions
as $$
#variable_conflict use_column
begin
  perform set_config('role', 'service_role', true);
  perform from storage.objects as o
    where o.bucket_id = to_bucket and o.name = to_name and o.metadata ->> 'eTag' = expected_etag
      for update;
  if not found then
    raise sqlstate 'CLPRE' using message = 'the object has another version';
  end if;
  perform set_config('role', 'none', true);
  return query
    select written.id, written.replaced, written.is_versioned
      from cloch.write_object(names, texts, to_bucket, to_name, row_owner, row_owner_id, row_version, row_metadata,
                              row_user_metadata, replaces) as written;
end;
$$;
revoke execute on function cloch.write_object_if(text[], text[], text, text, uuid, text, text, jsonb, jsonb, boolean, text) from public;
grant execute on function cloch.write_object_if(text[], text[], text, text, uuid, text, text, jsonb, jsonb, boolean, text) to authenticator;
