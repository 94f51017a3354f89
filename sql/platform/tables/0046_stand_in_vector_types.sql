-- Second step of the correction of type modifiers (see the file before), then completes the stand-in for pgvector: types halfvec and sparsevec, and all functions, casts, operators and aggregates of pgvector 0.8.

\ir ../functions/cloch/vector_of_array.sql
\ir ../functions/cloch/vector_distance.sql
\ir ../functions/cloch/vector_arithmetic.sql
\ir ../functions/cloch/vector_slice.sql
\ir ../functions/cloch/vector_normalized.sql
\ir ../functions/cloch/vector_state.sql
\ir ../functions/cloch/vector_average.sql
\ir ../functions/cloch/vector_quantized.sql
\ir ../functions/cloch/vector_bit_distance.sql
\ir ../functions/cloch/sparse_text.sql
\ir ../functions/cloch/sparse_elements.sql
\ir ../functions/cloch/sparse_of_numbers.sql
\ir ../functions/cloch/sparse_numbers.sql
\ir ../functions/cloch/sparse_distance.sql
\ir ../functions/cloch/sparse_normalized.sql
\ir ../functions/cloch/sparse_order.sql
\ir ../functions/cloch/sparsevec_definition.sql
\ir ../functions/cloch/make_stand_in_vector.sql
\ir ../functions/cloch/stand_in_vector_type.sql
\ir ../functions/cloch/stand_in_vector_objects.sql
\ir ../functions/cloch/move_stand_in_vector.sql

-- Returns the functions that cast vectors: the one for original modifiers, and the new one. No row without the stand-in.
create function cloch.vector_casters() returns table (type_name text, schema_name name, modifier_reader regproc, modifier_writer regproc,
  old_caster oid, new_caster oid)
language sql stable set search_path = 'pg_catalog' as $$
  select t.oid::regtype::text, n.nspname, t.typmodin, t.typmodout, old.oid, c.castfunc
    from pg_type as t
    join pg_namespace as n on n.oid = t.typnamespace
    join pg_cast as c on c.castsource = t.oid and c.casttarget = t.oid
    join pg_proc as old on old.pronamespace = t.typnamespace and old.proowner = t.typowner and old.prorettype = t.oid and old.oid <> c.castfunc
     and old.proargtypes = (select proargtypes from pg_proc where oid = c.castfunc) and old.proname in ('vector', 'vector_of_varchar_modifier')
   where t.oid = cloch.stand_in_vector_type()
     -- Objects of a database that another program made are not changed.
     and (to_regclass('cloch.attached') is null
          or not exists (select from cloch.platform_migrations where version = '0031' and applied_at < now()))
$$;

-- Waits until the transactions have ended that began before now: their statements can use modifiers from before the last file. After 30
-- seconds, `is_forced` ends the sessions of those that are left. Sessions that wait for this one are other nodes that start, which wait for
-- the lock of the start.
create function cloch.wait_for_transactions(is_forced boolean) returns void
language plpgsql set search_path = 'pg_catalog' as $$
declare
  start constant timestamptz := clock_timestamp();
  older int[];
begin
  loop
    perform pg_stat_clear_snapshot();
    older := array(select pid from pg_stat_activity
                    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid() and xact_start < start
                      and pg_backend_pid() <> all (pg_blocking_pids(pid)));
    exit when older = '{}';
    if clock_timestamp() > start + interval '30 seconds' then
      exit when not is_forced;
      perform pg_terminate_backend(pid) from unnest(older) as pid;
    end if;
    perform pg_sleep(0.05);
  end loop;
end;
$$;

-- Converts modifiers to numbers of dimensions. Statements that run now can use 0x7FFF0000 + 8 for vector(8): functions take the remainder.
create function cloch.finish_vector_modifiers() returns void
language plpgsql set search_path = 'pg_catalog' as $outer$
declare
  vector record;
begin
  select * into vector from cloch.vector_casters();
  if vector is null then
    return;
  end if;
  if to_regclass('cloch.attached') is null then
    perform cloch.wait_for_transactions(true);
  end if;
  execute format($sql$
    create or replace function cloch.vector_of_dimensions(v %1$s, type_modifier integer, is_explicit boolean) returns %1$s
      language sql immutable strict parallel safe
      begin atomic
        select cloch.vector_text(cloch.vector_expected(cloch.vector_numbers(v::text, 'vector'), type_modifier %% 65536))::%1$s;
      end;
    create or replace function %2$s(cstring[]) returns integer language sql immutable strict parallel safe
      begin atomic
        select case when cardinality($1) = 1 and $1[1]::text::integer between 1 and 16000 then $1[1]::text::integer
                    else cloch.vector_modifier($1, 'vector', 16000) end;
      end;
    create or replace function %3$s(integer) returns cstring language internal immutable strict parallel safe as 'bittypmodout';
  $sql$, vector.type_name, vector.modifier_reader, vector.modifier_writer);
  perform cloch.convert_vector_modifiers(vector.old_caster, vector.new_caster, 2);
end;
$outer$;

-- Gives the function that casts vectors, which the file before created in schema cloch, the name and the schema that it has in pgvector. The
-- function for original modifiers, which a call by name may have stored, gets another name. The schema's owner could have replaced the
-- functions that it calls, so it calls PostgreSQL's only.
create function cloch.name_vector_caster() returns void
language plpgsql set search_path = 'pg_catalog' as $outer$
declare
  vector record;
begin
  select * into vector from cloch.vector_casters();
  execute format($sql$
    alter function %1$I.vector(%2$s, integer, boolean) rename to vector_of_varchar_modifier;
    create or replace function %1$I.vector_of_varchar_modifier(v %2$s, type_modifier integer, is_explicit boolean) returns %2$s
    language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $function$
    declare
      numbers real[] := string_to_array(translate(v::text, '[] ', ''), ',')::real[];
    begin
      if type_modifier > 0 and cardinality(numbers) <> type_modifier - 4 then
        raise exception 'expected %% dimensions, not %%', type_modifier - 4, cardinality(numbers) using errcode = '22000';
      end if;
      return '[' || array_to_string(numbers, ',') || ']';
    end;
    $function$;
    alter function cloch.vector_of_dimensions(%2$s, integer, boolean) rename to vector;
    alter function cloch.vector(%2$s, integer, boolean) set schema %1$I;
  $sql$, vector.schema_name, vector.type_name);
end;
$outer$;

do $$
declare
  target text;
begin
  perform cloch.finish_vector_modifiers();
  target := schema_name from cloch.vector_casters();
  if target is null then
    return;
  end if;
  begin
    perform cloch.name_vector_caster();
    perform cloch.make_stand_in_vector(target);
  exception when others then
    -- An object of the project in schema extensions has a name of pgvector. The start must not fail for it.
    perform cloch.note('extension vector', 'not installed: distances are computed row by row, without an index; halfvec, sparsevec and '
      || 'other additions could not be created: ' || sqlerrm);
  end;
end;
$$;
drop function cloch.finish_vector_modifiers();
drop function cloch.name_vector_caster();
