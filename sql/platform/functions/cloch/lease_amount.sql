-- Counts an amount in advance, for a node that then uses the amount in memory. Counts as much as fits in the limit, from `at_least` to
-- `at_most`. `allowed` is the limit within the interval `per`. `granted` is the counted amount. If `at_least` does not fit, `granted` is 0
-- and `wait` is the time until it fits.
--
-- Rows that visitors write are counted in this way, in short transactions. If each row were counted in the transaction that writes it, the
-- network's count would be locked until each commit. Visitors behind one address could then write only one after another. Only Cloch's own
-- login may call the function.
create or replace function cloch.lease_amount(
  subject text, at_least int, at_most int, allowed int, per interval, out granted int, out wait interval
)
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
begin
  granted := least(at_most, allowed);
  if at_least <= allowed then
    wait := cloch.take_amount(subject, granted, allowed, per);
    if wait = interval '0' then
      return;
    end if;
    -- cloch.take_amount has locked the row of the count. Therefore the free amount can only grow until the end of the transaction, when
    -- slices leave the window.
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
