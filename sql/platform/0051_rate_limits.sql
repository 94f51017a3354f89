-- Counting calls, here so that several nodes count together.

create table if not exists cloch.rate_limits (
  -- What is counted, such as 'send-email/address/192.0.2.7'.
  subject    text primary key,
  -- A window is counted in sixty slices: when each began and how many calls it
  -- holds, oldest first. So a row stays small however much is allowed.
  slices     timestamptz[] not null,
  counts     int[] not null,
  expires_at timestamptz not null
);

create index if not exists rate_limits_expired on cloch.rate_limits (expires_at);

-- Counts one call if fewer than `allowed` lie in the sliding window, and says
-- how long to wait: zero when it was counted. A slice counts until all of it has
-- left the window, so no window of any length `per` holds more than allowed. The
-- row's lock makes calls that arrive together wait for each other.
create or replace function cloch.take(subject text, allowed int, per interval)
returns interval
language plpgsql as $$
#variable_conflict use_column
declare
  width interval := per / 60;
  row_now cloch.rate_limits;
  moment timestamptz;
  slice timestamptz;
  last int;
  free_at timestamptz;
begin
  -- The update that changes nothing takes the row's lock.
  insert into cloch.rate_limits as counted (subject, slices, counts, expires_at)
  values (take.subject, '{}', '{}', clock_timestamp() + per)
  on conflict on constraint rate_limits_pkey do update set expires_at = counted.expires_at
  returning counted.* into row_now;

  moment := clock_timestamp();
  slice := date_bin(width, moment, timestamptz 'epoch');
  select coalesce(array_agg(s order by s), '{}'), coalesce(array_agg(c order by s), '{}')
    into row_now.slices, row_now.counts
    from unnest(row_now.slices, row_now.counts) as held (s, c)
   where s + width > moment - per;

  -- Once the newest slice from which on there are too many has left the window.
  select max(s) + width + per into free_at
    from (select s, sum(c) over (order by s desc) as from_here
            from unnest(row_now.slices, row_now.counts) as held (s, c)) as held
   where from_here >= allowed;
  if free_at is not null or allowed < 1 then
    return greatest(coalesce(free_at - moment, per), interval '1 millisecond');
  end if;

  last := cardinality(row_now.slices);
  if last > 0 and row_now.slices[last] = slice then
    row_now.counts[last] := row_now.counts[last] + 1;
  else
    row_now.slices := row_now.slices || slice;
    row_now.counts := row_now.counts || 1;
  end if;
  update cloch.rate_limits
     set slices = row_now.slices, counts = row_now.counts, expires_at = slice + width + per
   where subject = take.subject;
  return interval '0';
end;
$$;

-- Forgets one counted call: an action that turned out not to count.
create or replace function cloch.give_back(subject text) returns void
language sql as $$
  update cloch.rate_limits
     set counts = case when counts[cardinality(counts)] > 1
           then counts[1:cardinality(counts) - 1] || (counts[cardinality(counts)] - 1)
           else counts[1:cardinality(counts) - 1] end,
         slices = case when counts[cardinality(counts)] > 1
           then slices else slices[1:cardinality(slices) - 1] end
   where subject = give_back.subject and cardinality(counts) > 0;
$$;
