-- Rate limits, in the database so that several nodes count together: calls, or amounts
-- such as rows, files and kibibytes, in a sliding window.

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

-- Counts `amount` if it fits with what lies in the sliding window under
-- `allowed`, and says how long to wait: zero when it was counted. An amount that
-- is larger than `allowed` never fits: the answer is then the whole window.
-- A slice counts until all of it has left the window, so no window of any length
-- `per` holds more than allowed. The row's lock makes concurrent calls queue.
create or replace function cloch.take_amount(subject text, amount int, allowed int, per interval)
returns interval
language plpgsql set search_path = '' as $$
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

  -- The update that changes nothing takes the row's lock.
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

  -- The newest slice that has to leave the window before the amount fits.
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

-- One call is an amount of one.
create or replace function cloch.take(subject text, allowed int, per interval)
returns interval
language sql set search_path = '' as $$ select cloch.take_amount(take.subject, 1, take.allowed, take.per) $$;

-- What cloch.take_amount would answer, without counting.
create or replace function cloch.wait_for_amount(subject text, amount int, allowed int, per interval)
returns interval
language sql stable set search_path = '' as $$
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

-- Forgets one counted call: an action that turned out not to count.
create or replace function cloch.give_back(subject text) returns void
language sql set search_path = '' as $$
  update cloch.rate_limits
     set counts = case when counts[cardinality(counts)] > 1
           then counts[1:cardinality(counts) - 1] || (counts[cardinality(counts)] - 1)
           else counts[1:cardinality(counts) - 1] end,
         slices = case when counts[cardinality(counts)] > 1
           then slices else slices[1:cardinality(slices) - 1] end
   where subject = give_back.subject and cardinality(counts) > 0;
$$;

-- One call of a subject, and then none until `gap` has passed: zero when this was
-- the call, else how long to wait. Atomic: of two at once one is the call.
create function cloch.take_turn(subject text, gap interval) returns interval
language plpgsql set search_path = '' as $$
#variable_conflict use_column
declare
  moment timestamptz := clock_timestamp();
  free_at timestamptz;
begin
  insert into cloch.rate_limits as held (subject, slices, counts, expires_at)
  values (take_turn.subject, '{}', '{}', moment + gap)
  on conflict on constraint rate_limits_pkey do update
    set expires_at = excluded.expires_at
    where held.expires_at <= moment;
  if found then
    return interval '0';
  end if;
  select r.expires_at into free_at from cloch.rate_limits as r where r.subject = take_turn.subject;
  return greatest(coalesce(free_at, moment) - moment, interval '1 millisecond');
end;
$$;
