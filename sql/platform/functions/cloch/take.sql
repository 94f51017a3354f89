-- Counts one call of a subject: cloch.take_amount with amount 1.
create or replace function cloch.take(subject text, allowed int, per interval)
returns interval
language sql set search_path = 'pg_catalog', 'pg_temp' as $$ select cloch.take_amount(take.subject, 1, take.allowed, take.per) $$;
