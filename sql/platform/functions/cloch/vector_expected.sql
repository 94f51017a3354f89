-- Returns `numbers`, the numbers of a vector, unchanged. Fails if the number of dimensions differs from the type modifier; -1 accepts any
-- number.
create or replace function cloch.vector_expected(numbers real[], type_modifier integer) returns real[]
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
begin
  if type_modifier <> -1 and cardinality(numbers) <> type_modifier then
    raise exception 'expected % dimensions, not %', type_modifier, cardinality(numbers) using errcode = '22000';
  end if;
  return numbers;
end;
$$;
