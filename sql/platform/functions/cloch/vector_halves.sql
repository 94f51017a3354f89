-- Rounds numbers to values that type halfvec can represent: 11 binary digits, multiples of 2^-24, less than 65,520.
create or replace function cloch.vector_halves(numbers real[]) returns real[]
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  result real[];
  too_great real;
begin
  -- Numbers from 2^(e-14) to 2^(e-13) are rounded to multiples of 2^(e-24).
  select array_agg((round(x * power(2::double precision, 24 - e)) / power(2::double precision, 24 - e))::real order by place),
         (array_agg(x order by place) filter (where abs(x) >= 65520 and abs(x) < 'Infinity'))[1]
    into result, too_great
    from unnest(numbers) with ordinality as n (x, place),
         width_bucket(abs(x::double precision), array[
           1.220703125e-4, 2.44140625e-4, 4.8828125e-4, 9.765625e-4, 1.953125e-3, 3.90625e-3, 7.8125e-3, 1.5625e-2, 3.125e-2, 6.25e-2,
           0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768]::double precision[]) as e;
  if too_great is not null then
    raise exception '"%" is out of range for type halfvec', too_great using errcode = '22003';
  end if;
  return result;
end;
$$;
