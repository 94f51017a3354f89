-- Divides the numbers of a vector by the vector's Euclidean norm. A vector in which all numbers are zero is returned unchanged.
create or replace function cloch.vector_normalized(numbers real[], kind text) returns real[]
language plpgsql immutable strict parallel safe security definer set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  norm double precision;
  result real[];
begin
  select sqrt(sum(x * x)) into norm from unnest(numbers::double precision[]) as n (x);
  if norm = 0 then
    return array_fill(0::real, array[cardinality(numbers)]);
  end if;
  select array_agg(case when abs(x / norm) <= 7.006492321624085e-46 then 0 else (x / norm)::real end order by place) into result
    from unnest(numbers::double precision[]) with ordinality as n (x, place);
  return case kind when 'halfvec' then cloch.vector_halves(result) else result end;
end;
$$;
