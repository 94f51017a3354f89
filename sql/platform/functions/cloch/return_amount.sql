-- Subtracts an amount that was counted but not used from the count of a subject, beginning with the newest slices. Only Cloch's own login
-- may call the function.
create or replace function cloch.return_amount(subject text, amount int) returns void
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
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
revoke all on function cloch.return_amount(text, int) from public;
