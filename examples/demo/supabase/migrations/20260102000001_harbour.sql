-- Wind and tide at the harbour. One job adds a reading every minute, another job deletes old readings.
create table public.readings (
  taken_at timestamptz primary key,
  wind_knots numeric(4, 1) not null,
  tide_m numeric(4, 2) not null
);
alter table public.readings enable row level security;
create policy "everybody sees the readings" on public.readings for select to anon, authenticated using (true);

-- The tide rises and falls every 12.42 hours. The wind is stronger in the afternoon. No real place is measured.
create function public.reading_at(at timestamptz) returns public.readings
language sql stable set search_path = '' as $$
  select at,
    (9 + 4 * sin(extract(epoch from at) / 13750.0) + 3 * sin(extract(epoch from at) / 1733.0 + 1) + 1.5 * sin(extract(epoch from at) / 311.0))::numeric(4, 1),
    (1.9 + 1.4 * sin(extract(epoch from at) * 2 * pi() / 44712.0))::numeric(4, 2)
$$;

create function public.take_reading() returns void
language sql set search_path = '' as $$
  insert into public.readings select (public.reading_at(date_trunc('minute', now()))).* on conflict do nothing
$$;
revoke execute on function public.take_reading() from public, anon, authenticated;

select cron.schedule('harbour-readings', '* * * * *', 'select public.take_reading()');
select cron.schedule('old-readings', '20 3 * * *', $$delete from public.readings where taken_at < now() - interval '14 days'$$);
