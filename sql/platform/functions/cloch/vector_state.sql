-- Adds a vector to the state of the aggregate avg. The state contains the number of vectors, and the sum of each dimension.
create or replace function cloch.vector_state(state double precision[], added double precision[]) returns double precision[]
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
begin
  if cardinality(state) = 1 or cardinality(added) = 1 then
    return (state[1] + added[1]) || state[2:] || added[2:];
  elsif cardinality(state) <> cardinality(added) then
    raise exception 'expected % dimensions, not %', cardinality(state) - 1, cardinality(added) - 1 using errcode = '22000';
  end if;
  return array(select x + y from unnest(state, added) with ordinality as n (x, y, place) order by place);
end;
$$;
