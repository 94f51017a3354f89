-- Executes a statement that this login or this server may be unable to execute. Returns whether the statement succeeded. If PostgreSQL
-- refuses it because a right or a feature is missing, `consequence` is recorded in cloch.notices, unless it is null. `consequence`
-- describes the effect on the project.
--
-- On a database that another program made, `alter role … set …` does not change a role that existed before. Called by tables files.
create or replace function cloch.attempt(statement text, consequence text default null)
returns boolean
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  setting text[] := regexp_match(statement, '^alter role (\w+) set (\w+) =');
begin
  if setting is not null and cloch.is_existing_role(setting[1]) then
    return true;
  end if;
  execute statement;
  return true;
exception
  when insufficient_privilege or feature_not_supported or undefined_file
    or undefined_object or invalid_grant_operation then
    raise notice 'not possible on this database: % (%)', statement, sqlerrm;
    if consequence is not null then
      perform cloch.note(statement, consequence || ' (' || sqlerrm || ')');
    end if;
    return false;
end;
$$;
