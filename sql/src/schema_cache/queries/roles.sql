-- The roles a caller may have, and the settings of each that this login may set on its behalf.
select json_build_object(
  'role', r.rolname,
  'isolation', (
    select lower(split_part(setting, '=', 2)) from unnest(r.rolconfig) as setting
    where setting like 'default\_transaction\_isolation=%'
  ),
  'settings', (
    select coalesce(json_agg(json_build_array(s.name, substr(given, strpos(given, '=') + 1))), '[]')
    from unnest(r.rolconfig) as given
    join pg_settings s on s.name = lower(substr(given, 1, strpos(given, '=') - 1))
    where s.context = 'user' or has_parameter_privilege(current_user, s.name, 'set')
  )
)
from pg_roles r
where exists (
  -- A superuser switches to any role and is granted none: what authenticator may be is what callers may be.
  select from pg_auth_members m
  where m.roleid = r.oid and m.member in (current_user::regrole, to_regrole('authenticator'))
)
