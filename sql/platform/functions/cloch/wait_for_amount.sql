-- Returns what cloch.take_amount would return for the same arguments, but counts nothing: zero if the amount fits, otherwise the time to
-- wait. Callable by postgres.
create or replace function cloch.wait_for_amount(subject text, amount int, allowed int, per interval)
returns interval
language sql stable set search_path = 'pg_catalog', 'pg_temp' as $$
  with held as (
    select part.s + per / 60 + per as leaves, sum(part.c) over (order by part.s desc) as from_here
      from cloch.rate_limits as counted, unnest(counted.slices, counted.counts) as part (s, c)
     where counted.subject = wait_for_amount.subject
       and part.s + per / 60 > clock_timestamp() - per
  )
  select case
    when amount > allowed then per
    else coalesce(
      (select greatest(max(leaves) - clock_timestamp(), interval '1 millisecond')
         from held where from_here > allowed - amount having count(*) > 0),
      interval '0')
  end
$$;
revoke execute on function cloch.wait_for_amount(text, int, int, interval) from public;
grant execute on function cloch.wait_for_amount(text, int, int, interval) to postgres;
