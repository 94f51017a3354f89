-- Computes a distance or the inner product of two values of type sparsevec. Sums have double precision.
create or replace function cloch.sparse_distance(metric text, a text, b text) returns double precision
language plpgsql immutable strict parallel safe security definer set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  left_side text := cloch.sparse_text(a);
  right_side text := cloch.sparse_text(b);
  left_dimensions integer := split_part(left_side, '/', 2)::integer;
  right_dimensions integer := split_part(right_side, '/', 2)::integer;
  squared double precision;
  absolute double precision;
  product double precision;
  norms double precision;
begin
  if left_dimensions <> right_dimensions then
    raise exception 'different sparsevec dimensions % and %', left_dimensions, right_dimensions using errcode = '22000';
  end if;
  select coalesce(sum((x - y) * (x - y)), 0), coalesce(sum(abs(x - y)), 0), coalesce(sum(x * y), 0), coalesce(sum(x * x) * sum(y * y), 0)
    into squared, absolute, product, norms
    from (select coalesce(l.number, 0) as x, coalesce(r.number, 0) as y
            from cloch.sparse_elements(left_side) as l full join cloch.sparse_elements(right_side) as r using (place)) as n;
  return case metric
    when 'l2_squared' then squared
    when 'l1' then absolute
    when 'inner_product' then product
    when 'cosine' then case when norms = 0 then 'NaN' else 1 - least(greatest(product / sqrt(norms), -1), 1) end
  end;
end;
$$;
