-- Adds, subtracts, multiplies or concatenates two vectors of the same type (`kind`).
create or replace function cloch.vector_arithmetic(operation text, kind text, a real[], b real[]) returns real[]
language plpgsql immutable strict parallel safe security definer set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  result real[];
  is_too_great boolean;
  greatest_number double precision := case kind when 'halfvec' then 65520 else 3.4028235677973366e38 end;
  least_number double precision := case kind when 'halfvec' then 2.98023223876953125e-8 else 7.006492321624085e-46 end;
  is_too_small boolean;
begin
  if operation = '||' then
    if cardinality(a) + cardinality(b) > 16000 then
      raise exception '% cannot have more than 16000 dimensions', kind using errcode = '54000';
    end if;
    return a || b;
  end if;
  if cardinality(a) <> cardinality(b) then
    raise exception 'different % dimensions % and %', kind, cardinality(a), cardinality(b) using errcode = '22000';
  end if;
  select array_agg(case when abs(z) >= greatest_number or abs(z) <= least_number then 0 else z::real end order by place),
         bool_or(abs(z) >= greatest_number), bool_or(operation = '*' and abs(z) <= least_number and x <> 0 and y <> 0)
    into result, is_too_great, is_too_small
    from unnest(a::double precision[], b::double precision[]) with ordinality as n (x, y, place),
         lateral (select case operation when '+' then x + y when '-' then x - y else x * y end as z) as c;
  if is_too_great then
    raise exception 'value out of range: overflow' using errcode = '22003';
  elsif is_too_small then
    raise exception 'value out of range: underflow' using errcode = '22003';
  end if;
  return case kind when 'halfvec' then cloch.vector_halves(result) else result end;
end;
$$;
