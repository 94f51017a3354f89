-- Returns the result of the aggregate avg from its state (cloch.vector_state); null if there was no vector.
create or replace function cloch.vector_average(state double precision[], kind text) returns real[]
language plpgsql immutable strict parallel safe security definer set search_path = 'pg_catalog', 'pg_temp' as $$
begin
  if state[1] = 0 then
    return null;
  end if;
  return cloch.vector_of_array(array(select x / state[1] from unnest(state[2:]) with ordinality as n (x, place) order by place), kind, -1);
end;
$$;
