-- Converts an array to the numbers of a type of Cloch's substitute for pgvector, with the checks of pgvector. As in pgvector, numbers that
-- type real cannot represent become infinite or 0.
create or replace function cloch.vector_of_array(numbers double precision[], kind text, type_modifier integer) returns real[]
language plpgsql immutable strict parallel safe security definer set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  dimensions integer := cardinality(numbers);
  result real[];
  most integer := case kind when 'sparsevec' then 1000000000 else 16000 end;
begin
  if array_ndims(numbers) > 1 then
    raise exception 'array must be 1-D' using errcode = '22000';
  elsif array_position(numbers, null) is not null then
    raise exception 'array must not contain nulls' using errcode = '22004';
  elsif dimensions < 1 then
    raise exception '% must have at least 1 dimension', kind using errcode = '22000';
  elsif dimensions > most then
    raise exception '% cannot have more than % dimensions', kind, most using errcode = '54000';
  elsif type_modifier <> -1 and dimensions <> type_modifier then
    raise exception 'expected % dimensions, not %', type_modifier, dimensions using errcode = '22000';
  end if;
  select array_agg(case when abs(x) >= 3.4028235677973366e38 and x <> 'NaN' then sign(x) * 'Infinity'::real
                        when abs(x) <= 7.006492321624085e-46 then 0 else x::real end order by place)
    into result from unnest(numbers) with ordinality as n (x, place);
  if array_position(result, 'NaN') is not null then
    raise exception 'NaN not allowed in %', kind using errcode = '22000';
  end if;
  -- pgvector rounds to halfvec before it checks for infinite values.
  if kind = 'halfvec' then
    result := cloch.vector_halves(result);
  end if;
  if array_position(result, 'Infinity') is not null or array_position(result, '-Infinity') is not null then
    raise exception 'infinite value not allowed in %', kind using errcode = '22000';
  end if;
  return result;
end;
$$;
