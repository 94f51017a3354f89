-- Completes the stand-in for pgvector: types halfvec and sparsevec, and all functions, casts, operators and aggregates of pgvector 0.8.

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

-- Gives the function that casts vectors, which the file before created in schema cloch, the name and the schema that it has in pgvector. The
-- function for old modifiers, which plans of open sessions may call, gets another name. The schema's owner could have replaced the functions
-- that it calls, so it calls PostgreSQL's only.
create function cloch.name_vector_caster() returns void
language plpgsql set search_path = 'pg_catalog' as $outer$
declare
  vector record;
begin
  select t.oid::regtype::text as name, n.nspname as schema, c.castfunc into vector
    from pg_type as t join pg_namespace as n on n.oid = t.typnamespace join pg_cast as c on c.castsource = t.oid and c.casttarget = t.oid
   where t.oid = cloch.stand_in_vector_type() and c.castfunc = to_regprocedure(format('cloch.vector_of_dimensions(%s,integer,boolean)', t.oid::regtype));
  if vector is null then
    return;
  end if;
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
  $sql$, vector.schema, vector.name);
end;
$outer$;

do $$
declare
  target constant text := (select n.nspname from pg_catalog.pg_type as t join pg_catalog.pg_namespace as n on n.oid = t.typnamespace
                            where t.oid = cloch.stand_in_vector_type());
begin
  if target is null
     -- Objects of a database that another program made are not changed.
     or to_regclass('cloch.attached') is not null
        and exists (select from cloch.platform_migrations where version = '0031' and applied_at < now()) then
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
drop function cloch.name_vector_caster();
