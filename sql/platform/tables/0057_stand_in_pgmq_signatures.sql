-- Adds to the stand-in for pgmq the functions of pgmq 1.5 that it lacks. The project's owner owns the schema, so the schema may be gone, and
-- the owner may have created functions with these signatures: those are kept.

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
    ('send(text, jsonb, timestamptz)', $$
      create function pgmq.send(queue_name text, msg jsonb, delay timestamptz) returns setof bigint
      language sql as $f$ select pgmq.send_batch(queue_name, array[msg], null::jsonb[], delay) $f$ $$),
    ('send(text, jsonb, jsonb, timestamptz)', $$
      create function pgmq.send(queue_name text, msg jsonb, headers jsonb, delay timestamptz) returns setof bigint
      language sql as $f$ select pgmq.send_batch(queue_name, array[msg], array[headers], delay) $f$ $$),
    ('send_batch(text, jsonb[], jsonb[])', $$
      create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[]) returns setof bigint
      language sql as $f$ select pgmq.send_batch(queue_name, msgs, headers, clock_timestamp()) $f$ $$),
    ('send_batch(text, jsonb[], timestamptz)', $$
      create function pgmq.send_batch(queue_name text, msgs jsonb[], delay timestamptz) returns setof bigint
      language sql as $f$ select pgmq.send_batch(queue_name, msgs, null::jsonb[], delay) $f$ $$),
    ('send_batch(text, jsonb[], jsonb[], integer)', $$
      create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[], delay integer) returns setof bigint
      language sql as $f$
        select pgmq.send_batch(queue_name, msgs, headers, clock_timestamp() + make_interval(secs => delay))
      $f$ $$),
    ('validate_queue_name(text)', $$
      create function pgmq.validate_queue_name(queue_name text) returns void
      language plpgsql as $f$
      begin
        if length(queue_name) > 47 then
          raise exception 'queue name is too long, maximum length is 47 characters';
        end if;
      end;
      $f$ $$),
    -- An archive is no member of an extension here, so nothing is to be detached. As in pgmq, the archive must exist.
    ('detach_archive(text)', $$
      create function pgmq.detach_archive(queue_name text) returns void
      language plpgsql as $f$
      begin
        perform format('pgmq.%I', pgmq.format_table_name(queue_name, 'a'))::regclass;
      end;
      $f$ $$),
    ('drop_queue(text, boolean)', $$
      create function pgmq.drop_queue(queue_name text, partitioned boolean) returns boolean
      language plpgsql as $f$
      begin
        raise warning 'drop_queue(queue_name, partitioned) is deprecated and will be removed in PGMQ v2.0. Use drop_queue(queue_name) instead';
        perform pgmq.drop_queue(queue_name);
        return true;
      end;
      $f$ $$)
  loop
    if to_regprocedure('pgmq.' || signature) is null then
      execute definition;
    end if;
  end loop;
  perform set_config('role', 'none', true);
end;
$outer$;
