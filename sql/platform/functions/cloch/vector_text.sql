-- Returns the text of a value of the stand-in types vector and halfvec.
create or replace function cloch.vector_text(numbers real[]) returns text
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' set extra_float_digits = 1 as $$
begin
  return '[' || btrim(numbers::text, '{}') || ']';
end;
$$;
