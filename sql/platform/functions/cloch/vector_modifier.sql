-- Fails with pgvector's message for a wrong type modifier of a type of Cloch's substitute for pgvector. A correct modifier is one number of
-- dimensions from 1 to `most`.
--
-- The types' functions call this function only for wrong modifiers. PostgreSQL also reads modifiers while it compiles a PL/pgSQL function,
-- and its compiler is not reentrant. Here the function always raises an error, after which the compilation does not continue. The function
-- is volatile, so that PostgreSQL does not call it while it plans.
create or replace function cloch.vector_modifier(modifiers cstring[], kind text, most integer) returns integer
language plpgsql volatile strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  dimensions integer;
begin
  if cardinality(modifiers) = 1 then
    dimensions := modifiers[1]::text::integer;
    if dimensions < 1 then
      raise exception 'dimensions for type % must be at least 1', kind using errcode = '22023';
    elsif dimensions > most then
      raise exception 'dimensions for type % cannot exceed %', kind, most using errcode = '22023';
    end if;
  end if;
  raise exception 'invalid type modifier' using errcode = '22023';
end;
$$;
