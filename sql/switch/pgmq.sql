alter schema pgmq rename to cloch_stand_in;
create extension pgmq;
do $$
declare
  queue record;
  kind text;
  name text;
  columns text;
begin
  for queue in select * from cloch_stand_in.meta order by created_at loop
    if queue.is_unlogged then
      perform pgmq.create_unlogged(queue.queue_name);
    else
      perform pgmq.create(queue.queue_name);
    end if;
    foreach kind in array array['q', 'a'] loop
      name := lower(kind || '_' || queue.queue_name);
      -- The columns of queue tables depend on the version of pgmq: only columns that both tables have are copied.
      select string_agg(quote_ident(o.attname), ', ') into columns
        from pg_catalog.pg_attribute as o
        join pg_catalog.pg_attribute as n on n.attname = o.attname
       where o.attrelid = format('cloch_stand_in.%I', name)::regclass and o.attnum > 0
         and n.attrelid = format('pgmq.%I', name)::regclass and n.attnum > 0;
      execute format('insert into pgmq.%1$I (%2$s) overriding system value select %2$s from cloch_stand_in.%1$I', name, columns);
    end loop;
    name := lower('q_' || queue.queue_name);
    perform setval(pg_get_serial_sequence(format('pgmq.%I', name), 'msg_id'),
                   pg_sequence_last_value(pg_get_serial_sequence(format('cloch_stand_in.%I', name), 'msg_id')::regclass))
      where pg_sequence_last_value(pg_get_serial_sequence(format('cloch_stand_in.%I', name), 'msg_id')::regclass) is not null;
  end loop;
end;
$$;
