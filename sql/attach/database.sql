-- Lists the owner, privileges and settings of the database, and privileges on parameters of the server. Each row is one fact. These facts belong to
-- the comparison described in catalog.sql, but depend on the name of the database.
select fact from (
  select format('database %I owner %s', datname, pg_get_userbyid(datdba)) as fact
    from pg_catalog.pg_database where datname = current_database()
  union select format('grant %s on database %I to %s%s', g.privilege_type, datname,
                      case g.grantee when 0 then 'public' else pg_get_userbyid(g.grantee) end, case when g.is_grantable then ' with grant option' end)
    from pg_catalog.pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba))) as g where datname = current_database()
  union select format('setting of the database: %s', setting)
    from pg_catalog.pg_db_role_setting, unnest(setconfig) as setting
   where setrole = 0 and setdatabase = (select oid from pg_catalog.pg_database where datname = current_database())
  union select format('grant %s on parameter %s to %s', g.privilege_type, parname,
                      case g.grantee when 0 then 'public' else pg_get_userbyid(g.grantee) end)
    from pg_catalog.pg_parameter_acl, aclexplode(paracl) as g
) as facts
order by fact collate "C"
