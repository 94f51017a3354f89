-- Grants the project's owner, if it is not postgres, the rights on schemas net, cron and vault that the stand-in files grant to
-- postgres. The owner has its rights on other stand-ins as a member of the roles that own them.
do $$
declare
  schema_name text;
begin
  if cloch.project_owner() = 'postgres' then
    return;
  end if;
  foreach schema_name in array array['net', 'cron', 'vault'] loop
    continue when to_regnamespace(schema_name) is null;
    execute format('grant usage on schema %I to %I with grant option', schema_name, cloch.project_owner());
    execute format('grant all on all tables in schema %I to %I with grant option', schema_name, cloch.project_owner());
    execute format('grant all on all sequences in schema %I to %I', schema_name, cloch.project_owner());
    execute format('grant execute on all routines in schema %I to %I with grant option', schema_name, cloch.project_owner());
  end loop;
end;
$$;

-- As on Supabase, the project's owner may also truncate and reference vault.secrets, and grant its rights on the vault to other roles.
do $$
begin
  if exists (select from cloch.stand_ins where extension = 'supabase_vault') then
    execute format('grant usage on schema vault to %I with grant option', cloch.project_owner());
    execute format('grant truncate, references on vault.secrets to %I with grant option', cloch.project_owner());
    execute format('grant execute on all routines in schema vault to %I with grant option', cloch.project_owner());
  end if;
end;
$$;
