
-- Creates the login that alone writes the tables of operators, audits, API keys and settings on an embedded cluster. Its sessions use no object of the
-- project: triggers, views and functions of the project's owner run in sessions of cloch_server, but never in sessions of this login.
do $$
declare
  guarded regclass;
  counter regclass;
  called regprocedure;
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'cloch_operators') then
    create role cloch_operators;
  end if;
  -- Up to PostgreSQL 15, a role with CREATEROLE can set the password of every login that has neither SUPERUSER nor REPLICATION. Cloch does not use
  -- REPLICATION of this login.
  alter role cloch_operators with login noinherit replication nobypassrls nosuperuser nocreaterole nocreatedb connection limit -1 valid until 'infinity';
  alter role cloch_operators reset all;
  execute pg_catalog.format('alter role cloch_operators in database %I reset all', pg_catalog.current_database());
  execute pg_catalog.format('grant connect on database %I to cloch_operators', pg_catalog.current_database());
  grant usage on schema cloch to cloch_operators;
  grant select, insert, update, delete on cloch.rate_limits to cloch_operators;

  -- cloch.is_servers_session() accepts the login because of these grants.
  for guarded in
    select tgrelid from pg_catalog.pg_trigger
     where not tgisinternal
       and tgfoid in (select oid from pg_catalog.pg_proc
                       where pronamespace = 'cloch'::pg_catalog.regnamespace
                         and proname in ('guard_operators', 'guard_operator_audit', 'guard_management_audit'))
  loop
    execute pg_catalog.format('revoke insert, update, delete on %s from cloch_server', guarded);
    execute pg_catalog.format('grant select, insert, update, delete on %s to cloch_operators', guarded);
    for counter in
      select d.objid from pg_catalog.pg_depend as d join pg_catalog.pg_class as c on c.oid = d.objid and c.relkind = 'S'
       where d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
         and d.refobjid = guarded and d.deptype in ('a', 'i')
    loop
      execute pg_catalog.format('revoke usage on sequence %s from cloch_server', counter);
      execute pg_catalog.format('grant usage, select on sequence %s to cloch_operators', counter);
    end loop;
  end loop;
  for called in
    select oid from pg_catalog.pg_proc
     where pronamespace = 'cloch'::pg_catalog.regnamespace
       and proname in ('is_servers_session', 'begin_management_request', 'take', 'take_amount', 'give_back')
  loop
    execute pg_catalog.format('grant execute on function %s to cloch_operators', called);
  end loop;
end;
$$;
