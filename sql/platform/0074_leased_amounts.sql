-- Rows that visitors write are counted ahead of their transactions: a server leases an amount for a network in a short transaction of its
-- own and spends it in memory. Counted in the writers' transactions, the row of a network stayed locked until each writer had committed, so
-- that all visitors behind one address wrote one after the other.

-- Counts as much as fits, `at_least` and `at_most`: how much that is, or zero and how long to wait for `at_least`.
create or replace function cloch.lease_amount(
  subject text, at_least int, at_most int, allowed int, per interval, out granted int, out wait interval
)
language plpgsql set search_path = '' as $$
begin
  granted := least(at_most, allowed);
  if at_least <= allowed then
    wait := cloch.take_amount(subject, granted, allowed, per);
    if wait = interval '0' then
      return;
    end if;
    -- The row is locked since, and what leaves the window meanwhile only makes room.
    select allowed - coalesce(sum(part.c), 0) into granted
      from cloch.rate_limits as held, unnest(held.slices, held.counts) as part (s, c)
     where held.subject = lease_amount.subject and part.s + per / 60 > clock_timestamp() - per;
    if granted >= at_least and granted > 0 then
      wait := cloch.take_amount(subject, granted, allowed, per);
      return;
    end if;
  end if;
  granted := 0;
  wait := cloch.wait_for_amount(subject, at_least, allowed, per);
end;
$$;

-- Takes an amount back that was counted and is not used: from the newest slices.
create or replace function cloch.return_amount(subject text, amount int) returns void
language plpgsql set search_path = '' as $$
#variable_conflict use_column
declare
  left_over int := amount;
  row_now cloch.rate_limits;
  last int;
begin
  select held.* into row_now from cloch.rate_limits as held where held.subject = return_amount.subject for update;
  if not found then
    return;
  end if;
  last := cardinality(row_now.counts);
  while left_over > 0 and last > 0 loop
    if row_now.counts[last] > left_over then
      row_now.counts[last] := row_now.counts[last] - left_over;
      left_over := 0;
    else
      left_over := left_over - row_now.counts[last];
      last := last - 1;
      row_now.counts := row_now.counts[1:last];
      row_now.slices := row_now.slices[1:last];
    end if;
  end loop;
  update cloch.rate_limits set slices = row_now.slices, counts = row_now.counts where subject = return_amount.subject;
end;
$$;

-- The same for the rows of a network's hour. The login of the table REST calls these; callers may not.
create or replace function cloch.lease_visitor_rows(network text, at_least int, at_most int, allowed int, out granted int, out wait_seconds int)
language sql security definer set search_path = '' as $$
  select leased.granted, ceil(extract(epoch from leased.wait))::int
    from cloch.lease_amount('rest/rows/network/' || network, at_least, at_most, allowed, interval '1 hour') as leased
$$;

create or replace function cloch.return_visitor_rows(network text, rows int) returns void
language sql security definer set search_path = '' as $$
  select cloch.return_amount('rest/rows/network/' || network, rows)
$$;

revoke all on function
  cloch.lease_amount(text, int, int, int, interval), cloch.return_amount(text, int),
  cloch.lease_visitor_rows(text, int, int, int), cloch.return_visitor_rows(text, int)
  from public;
grant execute on function cloch.lease_visitor_rows(text, int, int, int), cloch.return_visitor_rows(text, int) to authenticator;
