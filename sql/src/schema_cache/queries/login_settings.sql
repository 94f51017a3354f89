-- Settings whose names begin with `pgrst.`: first those of the role that is logged in, then those of authenticator. A setting for this
-- database overrides a setting for all databases.
select json_build_array(name, value) from (
  select distinct on (name) name, value
  from pg_db_role_setting s,
    unnest(s.setconfig) as given,
    lateral (select substr(given, 7, strpos(given, '=') - 7) as name, substr(given, strpos(given, '=') + 1) as value) as pair
  where s.setrole in (current_user::regrole, to_regrole('authenticator')) and given like 'pgrst.%'
    and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
  order by name, s.setrole = current_user::regrole desc, s.setdatabase desc
) as settings
