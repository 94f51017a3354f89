-- Computes the Hamming or the Jaccard distance of two bit strings.
create or replace function cloch.vector_bit_distance(metric text, a bit, b bit) returns double precision
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
begin
  if length(a) <> length(b) then
    raise exception 'different bit lengths % and %', length(a), length(b) using errcode = '22000';
  end if;
  return case
    when metric = 'hamming' then bit_count(a # b)
    when bit_count(a & b) = 0 then 1
    else 1 - bit_count(a & b)::double precision / bit_count(a | b)
  end;
end;
$$;
