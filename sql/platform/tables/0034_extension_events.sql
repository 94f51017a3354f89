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
    -- What somebody else has granted stays as it is.
    if to_regclass('cloch.attached') is null then
      perform cloch.close_dblink();
    end if;
    create event trigger cloch_dblink_created on ddl_command_end
      when tag in ('CREATE EXTENSION', 'ALTER EXTENSION') execute function cloch.dblink_created();
  end if;
end;
$$;
