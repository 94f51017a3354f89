-- Makes room at a key for a version without a number of its own; returns the version whose blob nothing names any more.
create or replace function cloch.drop_null_version(of_bucket text, of_name text) returns text
language plpgsql set search_path = '' as $$
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
