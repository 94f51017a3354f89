-- Replaces Cloch's substitute for pgmq by the extension, and copies the queues. The project's owner owns the tables of the substitute and can replace
-- them. This script runs as superuser. Therefore it reads only tables whose columns have types of PostgreSQL: to convert a value of another type,
-- PostgreSQL would call a function of the project.
alter schema pgmq rename to cloch_stand_in;
do $$
declare
  foreign_objects text;
begin
  select string_agg(distinct format('%s of pgmq.%I', case c.relkind when 'r' then format('column %I', a.attname) else 'the definition' end, c.relname), ', ')
    into foreign_objects
    from pg_catalog.pg_class as c
    join pg_catalog.pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   where c.relnamespace = 'cloch_stand_in'::regnamespace and c.relkind in ('r', 'v', 'm', 'f', 'p')
     and (c.relkind <> 'r' or a.atttypid >= 16384);
  if foreign_objects is not null then
    raise exception '% was not created by the stand-in', foreign_objects;
  end if;
end;
$$;
create extension pgmq;
do $$
declare
  queue record;
  kind text;
  name text;
  columns text;
  copied text[] := array['meta'];
  left_over text;
begin
  for queue in select * from only cloch_stand_in.meta order by created_at loop
    if queue.is_unlogged then
      perform pgmq.create_unlogged(queue.queue_name);
    else
      perform pgmq.create(queue.queue_name);
    end if;
    foreach kind in array array['q', 'a'] loop
      name := lower(kind || '_' || queue.queue_name);
      copied := copied || name;
      -- The columns of a queue's table depend on the version of pgmq. Only columns that both tables have are copied.
      select string_agg(quote_ident(o.attname), ', ') into columns
        from pg_catalog.pg_attribute as o
        join pg_catalog.pg_attribute as n on n.attname = o.attname
       where o.attrelid = format('cloch_stand_in.%I', name)::regclass and o.attnum > 0
         and n.attrelid = format('pgmq.%I', name)::regclass and n.attnum > 0;
      execute format('insert into pgmq.%1$I (%2$s) overriding system value select %2$s from only cloch_stand_in.%1$I', name, columns);
    end loop;
    name := lower('q_' || queue.queue_name);
    perform setval(pg_get_serial_sequence(format('pgmq.%I', name), 'msg_id'),
                   pg_sequence_last_value(pg_get_serial_sequence(format('cloch_stand_in.%I', name), 'msg_id')::regclass))
      where pg_sequence_last_value(pg_get_serial_sequence(format('cloch_stand_in.%I', name), 'msg_id')::regclass) is not null;
  end loop;
  -- After this script, the schema of the substitute is dropped with all objects in it. The script fails here if objects would be lost.
  select string_agg(format('pgmq.%I', c.relname), ', ') into left_over
    from pg_catalog.pg_class as c
   where c.relnamespace = 'cloch_stand_in'::regnamespace and c.relkind = 'r' and c.relname <> all (copied);
  if left_over is not null then
    raise exception '% is not a table of a queue and would be lost, move it to another schema', left_over;
  end if;
end;
$$;
