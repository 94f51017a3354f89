-- Makes the event triggers for extensions that are created later: cloch.extension_created grants rights on their objects,
-- cloch.dblink_created restricts a function of dblink. Only a superuser can create event triggers.

\ir ../functions/cloch/close_dblink.sql
\ir ../functions/cloch/dblink_created.sql
\ir ../functions/cloch/extension_created.sql

do $$
begin
  if cloch.is_superuser() then
    create event trigger cloch_extension_created on ddl_command_end
      when tag in ('CREATE EXTENSION') execute function cloch.extension_created();
  end if;
end;
$$;

do $$
begin
  if cloch.is_superuser() then
    -- On a database that another program made, existing grants are kept.
    if to_regclass('cloch.attached') is null then
      perform cloch.close_dblink();
    end if;
    create event trigger cloch_dblink_created on ddl_command_end
      when tag in ('CREATE EXTENSION', 'ALTER EXTENSION') execute function cloch.dblink_created();
  end if;
end;
$$;
