-- Returns all numbers of a sparsevec, zeros included, for its conversion to type `kind` (vector or halfvec).
create or replace function cloch.sparse_numbers(value text, kind text, type_modifier integer) returns real[]
language plpgsql immutable strict parallel safe security definer set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  canonical text := cloch.sparse_text(value);
  dimensions integer := split_part(canonical, '/', 2)::integer;
  result real[];
begin
  if dimensions > 16000 then
    raise exception '% cannot have more than 16000 dimensions', kind using errcode = '54000';
  end if;
  if type_modifier <> -1 and dimensions <> type_modifier then
    raise exception 'expected % dimensions, not %', type_modifier, dimensions using errcode = '22000';
  end if;
  select array_agg(coalesce(e.number, 0)::real order by n.place) into result
    from generate_series(1, dimensions) as n (place) left join cloch.sparse_elements(canonical) as e on e.place = n.place;
  return case kind when 'halfvec' then cloch.vector_halves(result) else result end;
end;
$$;
