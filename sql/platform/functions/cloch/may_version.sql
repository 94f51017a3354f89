-- Whether policies let role `caller_role` see a version or, with `to_delete`, see and delete it. Callable by service_role.
create or replace function cloch.may_version(caller_role text, v cloch.object_versions, to_delete boolean) returns boolean
language sql set search_path = 'pg_catalog', 'pg_temp' as $$
  select cardinality(cloch.allowed_versions(caller_role, cloch.object_rule(caller_role, to_delete),
                                            cloch.objects_of_versions(array[v]))) > 0
$$;
revoke execute on function cloch.may_version(text, cloch.object_versions, boolean) from public;
grant execute on function cloch.may_version(text, cloch.object_versions, boolean) to service_role;
