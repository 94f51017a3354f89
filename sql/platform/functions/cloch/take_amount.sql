-- Counts `amount` for a subject if the amounts in the sliding window `per` stay within `allowed`. Returns zero if the amount was
-- counted, otherwise the time until it fits. For an amount greater than `allowed`, which never fits, the result is `per`.
--
-- The window has 60 slices. A slice counts until all of it has left the window, so that no interval of length `per` contains more than
-- `allowed`. Concurrent calls for a subject wait for each other, until the end of the transaction. Callable by roles that may write
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

  -- The update changes nothing, but locks an existing row.
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

  -- The time at which the newest slice that must leave the window has left it, so that the amount fits.
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
