-- Returns the condition under which a role may see rows of storage.objects or, with `to_delete`, see and delete them. The condition is an
-- SQL expression over the columns of the table:
-- * `true` if row-level security does not apply to the role.
-- * `false` if the role lacks the right, or no permissive policy applies to it.
-- * Otherwise the policies, combined as PostgreSQL combines them: at least one permissive policy, and all restrictive ones.
--
-- Callable by service_role.
create or replace function cloch.object_rule(of_role text, to_delete boolean) returns text
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  objects constant regclass := 'storage.objects';
  former constant text := current_setting('role');
  is_active boolean;
  rule text;
begin
  if not has_table_privilege(of_role::name, objects, 'select')
    or to_delete and not has_table_privilege(of_role::name, objects, 'delete')
  then
    return 'false';
  end if;
  perform set_config('role', of_role, true);
  is_active := row_security_active(objects);
  perform set_config('role', former, true);
  if not is_active then
    return 'true';
  end if;
  -- With an empty search_path, pg_get_expr qualifies every name with its schema. A policy for all commands counts for SELECT and for
  -- DELETE.
  select case when bool_and(of_command.permissive is not null) then string_agg(
           format('(%s)%s', of_command.permissive, of_command.restrictive), ' and ') else 'false' end
    into rule
    from (select string_agg(format('(%s)', policy.text), ' or ') filter (where policy.polpermissive) as permissive,
                 coalesce(string_agg(format(' and (%s)', policy.text), '') filter (where not policy.polpermissive), '') as restrictive
            from unnest(case when to_delete then array['r', 'd']::"char"[] else array['r']::"char"[] end) as command (letter)
            left join lateral (
              select pg_get_expr(p.polqual, p.polrelid) as text, p.polpermissive
                from pg_catalog.pg_policy as p
               where p.polrelid = objects and p.polcmd in (command.letter, '*') and p.polqual is not null
                 and exists (select from unnest(p.polroles) as r (id) where r.id = 0 or pg_has_role(of_role::name, r.id, 'usage'))
            ) as policy on true
           group by command.letter) as of_command;
  return rule;
end;
$$;
revoke execute on function cloch.object_rule(text, boolean) from public;
grant execute on function cloch.object_rule(text, boolean) to service_role;
