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
revoke all on function cloch.lease_amount(text, int, int, int, interval) from public;
