-- Returns the text of a value of type vector or halfvec of Cloch's substitute for pgvector.
create or replace function cloch.vector_text(numbers real[]) returns text
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' set extra_float_digits = 1 as $$
begin
  return '[' || btrim(numbers::text, '{}') || ']';
end;
$$;
