-- Makes the stand-in for pgmq (Supabase Queues), unless the server has the extension. Like pgmq, the functions are SQL over ordinary
-- tables: pgmq.q_<name> contains the messages of a queue, pgmq.a_<name> its archived messages. After a message was read, other readers
-- do not see it until its visibility timeout (`vt`).

do $outer$
begin
  if not cloch.stand_in_wanted('pgmq', 'queues are tables of schema pgmq; partitioned queues are missing') then
    return;
  end if;

  perform cloch.ensure_schema('pgmq', cloch.project_owner());
  perform set_config('role', cloch.project_owner(), true);

  create table pgmq.meta (
    queue_name     varchar not null unique,
    is_partitioned boolean not null default false,
    is_unlogged    boolean not null default false,
    created_at     timestamptz not null default now(),
    -- Limit that leaves room for the prefix of the queue's tables.
    constraint meta_queue_name_check check (queue_name ~ '^[A-Za-z0-9_-]{1,47}$')
  );
  create type pgmq.message_record as (
    msg_id bigint, read_ct integer, enqueued_at timestamptz, vt timestamptz, message jsonb, headers jsonb);
  create type pgmq.queue_record as (
    queue_name varchar, is_partitioned boolean, is_unlogged boolean, created_at timestamptz);
  create type pgmq.metrics_result as (
    queue_name text, queue_length bigint, newest_msg_age_sec integer, oldest_msg_age_sec integer,
    total_messages bigint, scrape_time timestamptz, queue_visible_length bigint);

  create function pgmq.format_table_name(queue_name text, prefix text) returns text
  language plpgsql immutable as $$
  begin
    if queue_name !~ '^[A-Za-z0-9_-]+$' then
      raise exception 'queue name contains invalid characters: %', queue_name;
    end if;
    return lower(prefix || '_' || queue_name);
  end;
  $$;

  create function pgmq._create(queue_name text, unlogged boolean) returns void
  language plpgsql as $$
  declare
    kind text;
  begin
    perform pg_advisory_xact_lock(hashtext('pgmq.' || queue_name));
    foreach kind in array array['q', 'a'] loop
      execute format(
        'create %s table if not exists pgmq.%I (
           msg_id bigint primary key %s,
           read_ct integer not null default 0,
           enqueued_at timestamptz not null default now(),
           %s
           vt timestamptz not null,
           message jsonb,
           headers jsonb)',
        case when unlogged and kind = 'q' then 'unlogged' end,
        pgmq.format_table_name(queue_name, kind),
        case when kind = 'q' then 'generated always as identity' end,
        case when kind = 'a' then 'archived_at timestamptz not null default now(),' end);
    end loop;
    execute format('create index if not exists %I on pgmq.%I (vt)',
      pgmq.format_table_name(queue_name, 'q') || '_vt_idx', pgmq.format_table_name(queue_name, 'q'));
    insert into pgmq.meta as m (queue_name, is_unlogged)
    values (_create.queue_name, unlogged) on conflict do nothing;
  end;
  $$;
  create function pgmq.create(queue_name text) returns void
    language sql as $$ select pgmq._create(queue_name, false) $$;
  create function pgmq.create_non_partitioned(queue_name text) returns void
    language sql as $$ select pgmq._create(queue_name, false) $$;
  create function pgmq.create_unlogged(queue_name text) returns void
    language sql as $$ select pgmq._create(queue_name, true) $$;

  create function pgmq.drop_queue(queue_name text) returns boolean
  language plpgsql as $$
  begin
    execute format('drop table if exists pgmq.%I, pgmq.%I',
      pgmq.format_table_name(queue_name, 'q'), pgmq.format_table_name(queue_name, 'a'));
    delete from pgmq.meta as m where m.queue_name = drop_queue.queue_name;
    return found;
  end;
  $$;
  create function pgmq.list_queues() returns setof pgmq.queue_record
    language sql stable as $$ select queue_name, is_partitioned, is_unlogged, created_at from pgmq.meta $$;

  create function pgmq.send_batch(
    queue_name text, msgs jsonb[], headers jsonb[], delay timestamptz
  ) returns setof bigint
  language plpgsql as $$
  begin
    return query execute format(
      'insert into pgmq.%I (vt, message, headers)
       select $1, m.message, m.headers
         from unnest($2, $3) with ordinality as m (message, headers, place) order by m.place
       returning msg_id', pgmq.format_table_name(queue_name, 'q'))
    using delay, msgs, headers;
  end;
  $$;
  create function pgmq.send_batch(queue_name text, msgs jsonb[], delay integer default 0) returns setof bigint
    language sql as $$ select pgmq.send_batch(queue_name, msgs, null::jsonb[], clock_timestamp() + make_interval(secs => delay)) $$;
  create function pgmq.send(queue_name text, msg jsonb, delay integer default 0) returns setof bigint
    language sql as $$ select pgmq.send_batch(queue_name, array[msg], null::jsonb[], clock_timestamp() + make_interval(secs => delay)) $$;
  create function pgmq.send(queue_name text, msg jsonb, headers jsonb, delay integer default 0) returns setof bigint
    language sql as $$ select pgmq.send_batch(queue_name, array[msg], array[headers], clock_timestamp() + make_interval(secs => delay)) $$;

  create function pgmq.read(queue_name text, vt integer, qty integer, conditional jsonb default '{}')
  returns setof pgmq.message_record
  language plpgsql as $$
  begin
    return query execute format(
      'with next as (
         select msg_id from pgmq.%1$I
          where vt <= clock_timestamp() and ($3 = ''{}''::jsonb or message @> $3)
          order by msg_id limit $2 for update skip locked)
       update pgmq.%1$I as m
          set vt = clock_timestamp() + make_interval(secs => $1), read_ct = read_ct + 1
         from next where m.msg_id = next.msg_id
       returning m.msg_id, m.read_ct, m.enqueued_at, m.vt, m.message, m.headers',
      pgmq.format_table_name(queue_name, 'q'))
    using vt, qty, conditional;
  end;
  $$;
  create function pgmq.read_with_poll(
    queue_name text, vt integer, qty integer, max_poll_seconds integer default 5,
    poll_interval_ms integer default 100, conditional jsonb default '{}'
  ) returns setof pgmq.message_record
  language plpgsql as $$
  declare
    stop_at timestamptz := clock_timestamp() + make_interval(secs => max_poll_seconds);
  begin
    loop
      return query select * from pgmq.read(queue_name, vt, qty, conditional);
      exit when found or clock_timestamp() >= stop_at;
      perform pg_sleep(poll_interval_ms / 1000.0);
    end loop;
  end;
  $$;
  create function pgmq.pop(queue_name text) returns setof pgmq.message_record
  language plpgsql as $$
  begin
    return query execute format(
      'delete from pgmq.%1$I where msg_id = (
         select msg_id from pgmq.%1$I where vt <= clock_timestamp() order by msg_id limit 1 for update skip locked)
       returning msg_id, read_ct, enqueued_at, vt, message, headers',
      pgmq.format_table_name(queue_name, 'q'));
  end;
  $$;
  create function pgmq.set_vt(queue_name text, msg_id bigint, vt integer) returns setof pgmq.message_record
  language plpgsql as $$
  begin
    return query execute format(
      'update pgmq.%I set vt = clock_timestamp() + make_interval(secs => $1) where msg_id = $2
       returning msg_id, read_ct, enqueued_at, vt, message, headers',
      pgmq.format_table_name(queue_name, 'q')) using vt, msg_id;
  end;
  $$;

  create function pgmq.delete(queue_name text, msg_ids bigint[]) returns setof bigint
  language plpgsql as $$
  begin
    return query execute format('delete from pgmq.%I where msg_id = any ($1) returning msg_id',
      pgmq.format_table_name(queue_name, 'q')) using msg_ids;
  end;
  $$;
  create function pgmq.delete(queue_name text, msg_id bigint) returns boolean
    language sql as $$ select exists (select pgmq.delete(queue_name, array[msg_id])) $$;
  create function pgmq.archive(queue_name text, msg_ids bigint[]) returns setof bigint
  language plpgsql as $$
  begin
    return query execute format(
      'with gone as (delete from pgmq.%I where msg_id = any ($1) returning *)
       insert into pgmq.%I (msg_id, read_ct, enqueued_at, vt, message, headers)
       select msg_id, read_ct, enqueued_at, vt, message, headers from gone returning msg_id',
      pgmq.format_table_name(queue_name, 'q'), pgmq.format_table_name(queue_name, 'a')) using msg_ids;
  end;
  $$;
  create function pgmq.archive(queue_name text, msg_id bigint) returns boolean
    language sql as $$ select exists (select pgmq.archive(queue_name, array[msg_id])) $$;
  create function pgmq.purge_queue(queue_name text) returns bigint
  language plpgsql as $$
  declare
    purged bigint;
  begin
    execute format('delete from pgmq.%I', pgmq.format_table_name(queue_name, 'q'));
    get diagnostics purged = row_count;
    return purged;
  end;
  $$;

  create function pgmq.metrics(queue_name text) returns pgmq.metrics_result
  language plpgsql as $$
  declare
    result pgmq.metrics_result;
  begin
    execute format(
      'select $1, count(*), extract(epoch from now() - max(enqueued_at))::integer,
              extract(epoch from now() - min(enqueued_at))::integer,
              coalesce(pg_sequence_last_value(pg_get_serial_sequence(%2$L, ''msg_id'')::regclass), 0),
              now(), count(*) filter (where vt <= now())
         from pgmq.%1$I',
      pgmq.format_table_name(queue_name, 'q'),
      format('pgmq.%I', pgmq.format_table_name(queue_name, 'q')))
      into result using queue_name;
    return result;
  end;
  $$;
  create function pgmq.metrics_all() returns setof pgmq.metrics_result
    language sql as $$ select (pgmq.metrics(m.queue_name)).* from pgmq.meta as m $$;

  grant usage on schema pgmq to service_role;
  reset role;
end;
$outer$;
