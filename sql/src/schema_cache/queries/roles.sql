-- Roles that callers can have. For each role, the settings that are defined for the role and that this login may set for the role's transactions.
select json_build_object(
  'role', r.rolname,
  'isolation', (
    select lower(split_part(setting, '=', 2)) from unnest(r.rolconfig) as setting
    where setting like 'default\_transaction\_isolation=%'
  ),
  'settings', (
    select coalesce(json_agg(json_build_array(s.name, substr(given, strpos(given, '=') + 1))), '[]')
    from unnest(r.rolconfig) as given
    -- The names are compared in lower case, because names such as TimeZone and IntervalStyle contain upper-case letters.
    join pg_settings s on lower(s.name) = lower(substr(given, 1, strpos(given, '=') - 1))
    where s.context = 'user' or has_parameter_privilege(current_user, s.name, 'set')
  )
)
from pg_roles r
where exists (
  -- A superuser can switch to every role without being a member of it. Therefore roles of which authenticator is a member also count as
  -- roles of callers.
  select from pg_auth_members m
  where m.roleid = r.oid and m.member in (current_user::regrole, to_regrole('authenticator'))
)
