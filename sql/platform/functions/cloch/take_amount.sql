-- Counts `amount` for a subject if the total within the sliding window `per` stays at most `allowed`. Returns zero if the amount was
-- counted, otherwise the time until it fits. An amount greater than `allowed` never fits; the result is then `per`.
--
-- The window has 60 slices. A slice counts until all of it has left the window, so that no interval of length `per` contains more than
-- `allowed`. Concurrent calls for a subject wait until the transaction of the first one ends. Callable by roles that may write
-- cloch.rate_limits: Cloch's own login and supabase_auth_admin.
create or replace function cloch.take_amount(subject text, amount int, allowed int, per interval)
returns interval
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
#variable_conflict use_column
declare
  width interval := per / 60;
  row_now cloch.rate_limits;
  moment timestamptz;
  slice timestamptz;
  last int;
  free_at timestamptz;
begin
  if amount > allowed then
    return per;
  end if;

  -- This update changes nothing. It only locks the row if the row exists.
  insert into cloch.rate_limits as counted (subject, slices, counts, expires_at)
  values (take_amount.subject, '{}', '{}', clock_timestamp() + per)
  on conflict on constraint rate_limits_pkey do update set expires_at = counted.expires_at
  returning counted.* into row_now;

  moment := clock_timestamp();
  slice := date_bin(width, moment, timestamptz 'epoch');
  select coalesce(array_agg(s order by s), '{}'), coalesce(array_agg(c order by s), '{}')
    into row_now.slices, row_now.counts
    from unnest(row_now.slices, row_now.counts) as held (s, c)
   where s + width > moment - per;

  -- The amount fits when enough old slices have left the window. `free_at` is the time at which the newest of these slices has left it.
  select max(s) + width + per into free_at
    from (select s, sum(c) over (order by s desc) as from_here
            from unnest(row_now.slices, row_now.counts) as held (s, c)) as held
   where from_here > allowed - amount;
  if free_at is not null then
    return greatest(free_at - moment, interval '1 millisecond');
  end if;

  last := cardinality(row_now.slices);
  if last > 0 and row_now.slices[last] = slice then
    row_now.counts[last] := row_now.counts[last] + amount;
  else
    row_now.slices := row_now.slices || slice;
    row_now.counts := row_now.counts || amount;
  end if;
  update cloch.rate_limits
     set slices = row_now.slices, counts = row_now.counts, expires_at = slice + width + per
   where subject = take_amount.subject;
  return interval '0';
end;
$$;
