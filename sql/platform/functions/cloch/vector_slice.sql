-- Returns at most `count` numbers of a vector, beginning at position `start`, counted from 1. Positions that do not exist are left out.
create or replace function cloch.vector_slice(numbers real[], start integer, count integer, kind text) returns real[]
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  behind bigint := least(start::bigint + count, cardinality(numbers) + 1);
begin
  if count < 1 or start > cardinality(numbers) or behind <= greatest(start, 1) then
    raise exception '% must have at least 1 dimension', kind using errcode = '22000';
  end if;
  return numbers[greatest(start, 1) : behind::integer - 1];
end;
$$;
