-- Makes the triggers that protect the tables of operators and both audits. Only sessions of the server may write the tables of
-- operators. Audit entries are added and completed by the server, and can be deleted after 400 days. No table among them can be
-- truncated. With `enable always` the triggers also fire if session_replication_role is `replica`, which the project's owner may set.

\ir ../functions/cloch/guard_management_audit.sql
\ir ../functions/cloch/guard_no_truncate.sql
\ir ../functions/cloch/guard_operator_audit.sql
\ir ../functions/cloch/guard_operators.sql
\ir ../functions/cloch/is_servers_session.sql

create or replace trigger guard before insert or update or delete on cloch.operator_audit
  for each row execute function cloch.guard_operator_audit();

create or replace trigger guard before insert or update or delete on cloch.management_audit
  for each row execute function cloch.guard_management_audit();

alter table cloch.operator_audit enable always trigger guard;
alter table cloch.management_audit enable always trigger guard;

do $$
declare
  guarded text;
begin
  foreach guarded in array array['operators', 'operator_links', 'operator_sessions', 'operator_passkeys', 'operator_challenges', 'operator_audit', 'management_audit'] loop
    if pg_catalog.to_regclass('cloch.' || guarded) is null then
      continue;
    end if;
    if guarded not like '%_audit' then
      execute format('create or replace trigger guard before insert or update or delete on cloch.%I '
                     'for each row execute function cloch.guard_operators()', guarded);
      execute format('alter table cloch.%I enable always trigger guard', guarded);
    end if;
    execute format('create or replace trigger guard_truncate before truncate on cloch.%I '
                   'for each statement execute function cloch.guard_no_truncate()', guarded);
    execute format('alter table cloch.%I enable always trigger guard_truncate', guarded);
    -- The server's role may not create triggers on the tables: such a trigger could suppress writes.
    if exists (select from pg_catalog.pg_roles where rolname = 'cloch_server') then
      execute format('revoke truncate, references, trigger on cloch.%I from cloch_server', guarded);
    end if;
  end loop;
end;
$$;
