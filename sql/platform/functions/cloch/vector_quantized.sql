-- Returns one bit for each number of a vector: 1 if the number is positive, otherwise 0.
create or replace function cloch.vector_quantized(numbers real[]) returns bit varying
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
begin
  return (select string_agg(case when x > 0 then '1' else '0' end, '' order by place) from unnest(numbers) with ordinality as n (x, place))::bit varying;
end;
$$;
