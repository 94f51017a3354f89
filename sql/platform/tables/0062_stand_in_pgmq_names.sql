-- Makes the stand-in for pgmq accept the queue names that pgmq accepts: every name without $, ;, -- and ', of at most 47 characters. The names
-- of the tables are quoted everywhere. A function that the project's owner has replaced is kept.

do $outer$
declare
  signature text;
  definition text;
  kind text;
begin
  if not exists (select from cloch.stand_ins where extension = 'pgmq') or to_regnamespace('pgmq') is null then
    return;
  end if;
  perform set_config('role', cloch.project_owner(), true);
  if to_regclass('pgmq.meta') is not null then
    alter table pgmq.meta drop constraint if exists meta_queue_name_check;
  end if;

  if exists (select from pg_proc where oid = to_regprocedure('pgmq.format_table_name(text,text)') and prosrc like '%[A-Za-z0-9_-]%') then
    create or replace function pgmq.format_table_name(queue_name text, prefix text) returns text
    language plpgsql immutable as $f$
    begin
      if queue_name ~ '\$|;|--|''' then
        raise exception 'queue name contains invalid characters: $, ;, --, or \''';
      end if;
      return lower(prefix || '_' || queue_name);
    end;
    $f$;
  end if;

  -- PostgreSQL would shorten a longer name, so that two queues would have the same tables.
  if exists (select from pg_proc where oid = to_regprocedure('pgmq.validate_queue_name(text)') and prosrc not like '%octet_length%') then
    create or replace function pgmq.validate_queue_name(queue_name text) returns void
    language plpgsql as $f$
    begin
      if length(queue_name) > 47 then
        raise exception 'queue name is too long, maximum length is 47 characters';
      elsif octet_length(queue_name) > 47 then
        raise exception 'queue name is too long, maximum length is 47 bytes';
      end if;
    end;
    $f$;
  end if;

  for signature, kind, definition in values ('create_non_partitioned', '', 'false'), ('create_unlogged', 'unlogged', 'true') loop
    continue when not exists (
      select from pg_proc where oid = to_regprocedure(format('pgmq.%s(text)', signature)) and prosrc not like '%validate_queue_name%');
    execute format($create$
      create or replace function pgmq.%1$s(queue_name text) returns void
      language plpgsql as $f$
      declare
        q_name text := pgmq.format_table_name(queue_name, 'q');
        a_name text := pgmq.format_table_name(queue_name, 'a');
      begin
        perform pgmq.validate_queue_name(queue_name);
        perform pg_advisory_xact_lock(hashtext('pgmq.' || queue_name));
        execute format(
          'create %2$s table if not exists pgmq.%%I (
             msg_id bigint primary key generated always as identity, read_ct integer not null default 0,
             enqueued_at timestamptz not null default now(), vt timestamptz not null, message jsonb, headers jsonb)', q_name);
        execute format(
          'create table if not exists pgmq.%%I (
             msg_id bigint primary key, read_ct integer not null default 0, enqueued_at timestamptz not null default now(),
             archived_at timestamptz not null default now(), vt timestamptz not null, message jsonb, headers jsonb)', a_name);
        execute format('create index if not exists %%I on pgmq.%%I (vt)', q_name || '_vt_idx', q_name);
        execute format('create index if not exists %%I on pgmq.%%I (archived_at)', 'archived_at_idx_' || queue_name, a_name);
        insert into pgmq.meta as m (queue_name, is_unlogged)
        values (%1$s.queue_name, %3$s) on conflict do nothing;
      end;
      $f$ $create$, signature, kind, definition);
  end loop;

  -- As in pgmq, the result is whether the queue's table was there: create('Jobs') and drop_queue('jobs') name the same table.
  if exists (select from pg_proc where oid = to_regprocedure('pgmq.drop_queue(text)') and prosrc like '%drop table if exists pgmq.\%I, pgmq.\%I%') then
    create or replace function pgmq.drop_queue(queue_name text) returns boolean
    language plpgsql as $f$
    declare
      q_name text := pgmq.format_table_name(queue_name, 'q');
      a_name text := pgmq.format_table_name(queue_name, 'a');
    begin
      if to_regclass(format('pgmq.%I', q_name)) is null then
        raise notice 'pgmq queue `%` does not exist', queue_name;
        return false;
      end if;
      execute format('drop table pgmq.%I', q_name);
      if to_regclass(format('pgmq.%I', a_name)) is not null then
        execute format('drop table pgmq.%I', a_name);
      end if;
      delete from pgmq.meta as m where m.queue_name = drop_queue.queue_name;
      return true;
    end;
    $f$;
  end if;

  -- Archives that exist get the index that pgmq.create makes, if they are the owner's tables.
  if to_regclass('pgmq.meta') is not null then
    for signature in
      select m.queue_name
        from pgmq.meta as m
        join pg_class as a on a.oid = to_regclass(format('pgmq.%I', lower('a_' || m.queue_name))) and a.relkind = 'r'
        join pg_attribute as c on c.attrelid = a.oid and c.attname = 'archived_at' and not c.attisdropped
       where pg_get_userbyid(a.relowner) = current_user
    loop
      execute format('create index if not exists %I on pgmq.%I (archived_at)', 'archived_at_idx_' || signature, lower('a_' || signature));
    end loop;
  end if;
  perform set_config('role', 'none', true);
end;
$outer$;
