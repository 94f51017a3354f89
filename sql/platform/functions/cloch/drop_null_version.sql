-- Deletes the unversioned former version or delete marker of a key (its version in S3 is `null`). A key has at most one of these, and the
-- caller is about to create a new one. Returns the deleted version, whose blob is then unused, because no row references it. Returns null
-- if there was none, or only a delete marker. Callable by service_role.
create or replace function cloch.drop_null_version(of_bucket text, of_name text) returns text
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  dropped cloch.object_versions;
begin
  delete from cloch.object_versions as v
   where v.bucket_id = of_bucket and v.name = of_name and not v.is_versioned
  returning v.* into dropped;
  return case when not dropped.is_delete_marker then dropped.version end;
end;
$$;
revoke execute on function cloch.drop_null_version(text, text) from public;
grant execute on function cloch.drop_null_version(text, text) to service_role;
