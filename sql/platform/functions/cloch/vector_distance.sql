-- Computes a distance or the inner product of two vectors of the same type (`kind`). Sums have double precision.
create or replace function cloch.vector_distance(metric text, kind text, a real[], b real[]) returns double precision
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  result double precision;
begin
  if cardinality(a) <> cardinality(b) then
    raise exception 'different % dimensions % and %', kind, cardinality(a), cardinality(b) using errcode = '22000';
  end if;
  case metric
    when 'l2_squared' then
      select sum((x - y) * (x - y)) into result from unnest(a::double precision[], b::double precision[]) as n (x, y);
    when 'l1' then
      select sum(abs(x - y)) into result from unnest(a::double precision[], b::double precision[]) as n (x, y);
    when 'inner_product' then
      select sum(x * y) into result from unnest(a::double precision[], b::double precision[]) as n (x, y);
    when 'cosine' then
      select case when product = 0 then 'NaN' else 1 - least(greatest(similarity / sqrt(product), -1), 1) end into result
        from (select sum(x * y) as similarity, sum(x * x) * sum(y * y) as product
                from unnest(a::double precision[], b::double precision[]) as n (x, y)) as s;
  end case;
  return result;
end;
$$;
