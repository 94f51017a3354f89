-- Compares two values of type sparsevec as arrays of all their numbers. Returns -1, 0 or 1.
create or replace function cloch.sparse_order(a text, b text) returns integer
language plpgsql immutable strict parallel safe security definer set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  left_side text := cloch.sparse_text(a);
  right_side text := cloch.sparse_text(b);
  left_dimensions integer := split_part(left_side, '/', 2)::integer;
  right_dimensions integer := split_part(right_side, '/', 2)::integer;
  difference integer;
begin
  -- The first position with different numbers decides. Positions beyond the number of dimensions of the shorter value are ignored.
  select case when coalesce(l.number, 0) < coalesce(r.number, 0) then -1 else 1 end into difference
    from cloch.sparse_elements(left_side) as l full join cloch.sparse_elements(right_side) as r using (place)
   where coalesce(l.number, 0) <> coalesce(r.number, 0) and place <= least(left_dimensions, right_dimensions)
   order by place limit 1;
  return coalesce(difference, sign(left_dimensions - right_dimensions)::integer);
end;
$$;
