-- Makes the event trigger that moves the stand-in for pgvector to the schema that `create extension vector` or `alter extension vector set
-- schema` names. A stand-in whose extension was created before stays where it is. Only a superuser can create event triggers.

\ir ../functions/cloch/place_stand_in_vector.sql
\ir ../functions/cloch/stand_in_created.sql

do $$
begin
  if cloch.is_superuser() then
    create event trigger cloch_stand_in_created on ddl_command_end
      when tag in ('CREATE EXTENSION', 'ALTER EXTENSION') execute function cloch.stand_in_created();
  end if;
end;
$$;
