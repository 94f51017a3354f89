-- Adds to the stand-in for pgmq the functions about partitioned queues, which projects name in grants. As in pgmq, a partitioned queue needs
-- pg_partman. The stand-in makes none: it keeps each queue in two ordinary tables.
--
-- Removes the stand-in's own function pgmq._create: a project that revokes the rights on all functions and grants those of pgmq again does not
-- know it, and could create no queue.

do $outer$
declare
  signature text;
  definition text;
begin
  if not exists (select from cloch.stand_ins where extension = 'pgmq') or to_regnamespace('pgmq') is null then
    return;
  end if;
  perform set_config('role', cloch.project_owner(), true);
  for signature, definition in values
    ('_extension_exists(text)', $$
      create function pgmq._extension_exists(extension_name text) returns boolean
      language sql as $f$ select exists (select from pg_catalog.pg_extension where extname = extension_name) $f$ $$),
    ('_belongs_to_pgmq(text)', $$
      create function pgmq._belongs_to_pgmq(table_name text) returns boolean
      language sql as $f$
        select exists (
          select from pg_catalog.pg_depend as d join pg_catalog.pg_class as c on c.oid = d.objid
           where d.refobjid = (select oid from pg_catalog.pg_extension where extname = 'pgmq') and c.relname = table_name)
      $f$ $$),
    ('_get_partition_col(text)', $$
      create function pgmq._get_partition_col(partition_interval text) returns text
      language plpgsql as $f$
      begin
        perform partition_interval::integer;
        return 'msg_id';
      exception when others then
        return 'enqueued_at';
      end;
      $f$ $$),
    ('_get_pg_partman_schema()', $$
      create function pgmq._get_pg_partman_schema() returns text
      language sql as $f$ select extnamespace::regnamespace::text from pg_catalog.pg_extension where extname = 'pg_partman' $f$ $$),
    ('_get_pg_partman_major_version()', $$
      create function pgmq._get_pg_partman_major_version() returns integer
      language sql as $f$
        select split_part(extversion, '.', 1)::integer from pg_catalog.pg_extension where extname = 'pg_partman'
      $f$ $$),
    ('_ensure_pg_partman_installed()', $$
      create function pgmq._ensure_pg_partman_installed() returns void
      language plpgsql as $f$
      begin
        if not pgmq._extension_exists('pg_partman') then
          raise exception 'pg_partman is required for partitioned queues';
        end if;
      end;
      $f$ $$),
    ('create_partitioned(text, text, text)', $$
      create function pgmq.create_partitioned(
        queue_name text, partition_interval text default '10000', retention_interval text default '100000'
      ) returns void
      language plpgsql as $f$
      begin
        perform pgmq.validate_queue_name(queue_name);
        perform pgmq._ensure_pg_partman_installed();
        raise exception using
          errcode = 'feature_not_supported',
          message = 'partitioned queues need the extension pgmq, which is not installed on the server',
          hint = 'Install pgmq, or use pgmq.create';
      end;
      $f$ $$),
    ('convert_archive_partitioned(text, text, text, integer)', $$
      create function pgmq.convert_archive_partitioned(
        table_name text, partition_interval text default '10000', retention_interval text default '100000',
        leading_partition integer default 10
      ) returns void
      language plpgsql as $f$
      begin
        perform pgmq._ensure_pg_partman_installed();
        raise exception using
          errcode = 'feature_not_supported',
          message = 'partitioned archives need the extension pgmq, which is not installed on the server',
          hint = 'Install pgmq';
      end;
      $f$ $$)
  loop
    if to_regprocedure('pgmq.' || signature) is null then
      execute definition;
    end if;
  end loop;

  for signature, definition in values ('create_non_partitioned', ''), ('create_unlogged', 'unlogged') loop
    continue when not exists (select from pg_proc where oid = to_regprocedure(format('pgmq.%s(text)', signature)) and prosrc like '%pgmq._create(%');
    execute format($create$
      create or replace function pgmq.%1$s(queue_name text) returns void
      language plpgsql as $f$
      declare
        q_name text := pgmq.format_table_name(queue_name, 'q');
        a_name text := pgmq.format_table_name(queue_name, 'a');
      begin
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
        insert into pgmq.meta as m (queue_name, is_unlogged)
        values (%1$s.queue_name, %3$s) on conflict do nothing;
      end;
      $f$ $create$, signature, definition, (definition <> '')::text);
  end loop;
  if exists (select from pg_proc where oid = to_regprocedure('pgmq.create(text)') and prosrc like '%pgmq._create(%') then
    create or replace function pgmq.create(queue_name text) returns void
      language plpgsql as $f$ begin perform pgmq.create_non_partitioned(queue_name); end $f$;
  end if;
  if to_regprocedure('pgmq._create(text, boolean)') is not null
     and not exists (select from pg_proc where pronamespace = 'pgmq'::regnamespace and prosrc like '%pgmq._create(%') then
    drop function pgmq._create(text, boolean);
  end if;
  perform set_config('role', 'none', true);
end;
$outer$;
