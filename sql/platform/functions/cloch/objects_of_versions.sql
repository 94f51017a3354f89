-- Converts versions to rows of storage.objects, so that the table's policies can be evaluated for them. The row of a delete marker has the
-- metadata of the version that the marker hides: the newest version before it. Callable by service_role.
create or replace function cloch.objects_of_versions(versions cloch.object_versions[]) returns storage.objects[]
language sql stable set search_path = 'pg_catalog', 'pg_temp' as $$
  select array_agg(
           case when v.number = 9223372036854775807 then
             (select o from storage.objects as o where o.bucket_id = v.bucket_id and o.name = v.name)
           else jsonb_populate_record(null::storage.objects, to_jsonb(v) || jsonb_build_object(
             'id', v.object_id, 'path_tokens', string_to_array(v.name, '/'),
             'metadata', case when v.is_delete_marker then hidden.metadata else v.metadata end,
             'user_metadata', case when v.is_delete_marker then hidden.user_metadata else v.user_metadata end))
           end)
    from unnest(versions) as v
    left join lateral (
      select h.metadata, h.user_metadata from cloch.object_versions as h
       where v.is_delete_marker and h.bucket_id = v.bucket_id and h.name = v.name and h.number < v.number
         and not h.is_delete_marker
       order by h.number desc limit 1) as hidden on true
$$;
revoke execute on function cloch.objects_of_versions(cloch.object_versions[]) from public;
grant execute on function cloch.objects_of_versions(cloch.object_versions[]) to service_role;
