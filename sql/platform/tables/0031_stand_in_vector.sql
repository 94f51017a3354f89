-- Makes the stand-in for pgvector, unless the server has the extension: a type over PostgreSQL's text functions, with the operators and
-- functions that projects use for searches. Results are exact, but computed more slowly than by the extension. The index types hnsw and
-- ivfflat have no stand-in: when Cloch runs migrations, it skips `create index … using hnsw|ivfflat`. Only a superuser can create a
-- base type.

do $outer$
begin
  if exists (select from pg_catalog.pg_available_extensions where name = 'vector') then
    return;
  end if;
  if not cloch.is_superuser() then
    perform cloch.note('extension vector', 'not installed, and only a superuser could make its stand-in');
    return;
  end if;
  perform cloch.stand_in_wanted('vector', 'distances are computed row by row, without an index');
  perform set_config('client_min_messages', 'warning', true);

  create type extensions.vector;
  create function extensions.vector_in(cstring) returns extensions.vector
    language internal immutable strict parallel safe as 'textin';
  create function extensions.vector_out(extensions.vector) returns cstring
    language internal immutable strict parallel safe as 'textout';
  -- Type modifier of vector(n). Its value is n + 4, because the functions are those of varchar.
  create function extensions.vector_typmod_in(cstring[]) returns integer
    language internal immutable strict parallel safe as 'varchartypmodin';
  create function extensions.vector_typmod_out(integer) returns cstring
    language internal immutable strict parallel safe as 'varchartypmodout';
  create type extensions.vector (
    input = extensions.vector_in, output = extensions.vector_out,
    typmod_in = extensions.vector_typmod_in, typmod_out = extensions.vector_typmod_out,
    storage = external);
  create cast (extensions.vector as text) without function;

  create function extensions.vector_to_float8(v extensions.vector) returns double precision[]
    language sql immutable strict parallel safe as
    $$ select string_to_array(translate(v::text, '[] ', ''), ',')::double precision[] $$;
  create function extensions.array_to_vector(numbers double precision[]) returns extensions.vector
    language sql immutable strict parallel safe as
    $$ select ('[' || array_to_string(numbers::real[], ',') || ']')::extensions.vector $$;
  create function extensions.vector_dims(v extensions.vector) returns integer
    language sql immutable strict parallel safe as
    $$ select cardinality(extensions.vector_to_float8(v)) $$;

  -- Cast to vector(n): checks the number of dimensions, and writes the value in one form, so that equal vectors have equal texts.
  create function extensions.vector(v extensions.vector, type_modifier integer, is_explicit boolean)
  returns extensions.vector
  language plpgsql immutable strict parallel safe as $$
  declare
    numbers double precision[] := extensions.vector_to_float8(v);
  begin
    if type_modifier > 0 and cardinality(numbers) <> type_modifier - 4 then
      raise exception 'expected % dimensions, not %', type_modifier - 4, cardinality(numbers) using errcode = '22000';
    end if;
    return extensions.array_to_vector(numbers);
  end;
  $$;
  create cast (extensions.vector as extensions.vector)
    with function extensions.vector(extensions.vector, integer, boolean) as implicit;
  create cast (double precision[] as extensions.vector)
    with function extensions.array_to_vector(double precision[]) as assignment;
  create cast (extensions.vector as double precision[])
    with function extensions.vector_to_float8(extensions.vector) as assignment;
  create function extensions.real_array_to_vector(numbers real[]) returns extensions.vector
    language sql immutable strict parallel safe as
    $$ select extensions.array_to_vector(numbers::double precision[]) $$;
  create cast (real[] as extensions.vector)
    with function extensions.real_array_to_vector(real[]) as assignment;

  create function extensions.inner_product(a extensions.vector, b extensions.vector) returns double precision
    language sql immutable strict parallel safe as
    $$ select sum(x * y) from unnest(extensions.vector_to_float8(a), extensions.vector_to_float8(b)) as t (x, y) $$;
  create function extensions.vector_negative_inner_product(a extensions.vector, b extensions.vector) returns double precision
    language sql immutable strict parallel safe as
    $$ select -extensions.inner_product(a, b) $$;
  create function extensions.l2_distance(a extensions.vector, b extensions.vector) returns double precision
    language sql immutable strict parallel safe as
    $$ select sqrt(sum((x - y) * (x - y))) from unnest(extensions.vector_to_float8(a), extensions.vector_to_float8(b)) as t (x, y) $$;
  create function extensions.l1_distance(a extensions.vector, b extensions.vector) returns double precision
    language sql immutable strict parallel safe as
    $$ select sum(abs(x - y)) from unnest(extensions.vector_to_float8(a), extensions.vector_to_float8(b)) as t (x, y) $$;
  create function extensions.cosine_distance(a extensions.vector, b extensions.vector) returns double precision
    language sql immutable strict parallel safe as
    $$ select 1 - sum(x * y) / nullif(sqrt(sum(x * x) * sum(y * y)), 0)
         from unnest(extensions.vector_to_float8(a), extensions.vector_to_float8(b)) as t (x, y) $$;
  create function extensions.vector_norm(v extensions.vector) returns double precision
    language sql immutable strict parallel safe as
    $$ select sqrt(sum(x * x)) from unnest(extensions.vector_to_float8(v)) as t (x) $$;
  create function extensions.l2_normalize(v extensions.vector) returns extensions.vector
    language sql immutable strict parallel safe as
    $$ select extensions.array_to_vector(array(
         select x / coalesce(nullif(extensions.vector_norm(v), 0), 1)
           from unnest(extensions.vector_to_float8(v)) with ordinality as t (x, place) order by place)) $$;

  create function extensions.vector_eq(a extensions.vector, b extensions.vector) returns boolean
    language internal immutable strict parallel safe as 'byteaeq';
  create function extensions.vector_ne(a extensions.vector, b extensions.vector) returns boolean
    language internal immutable strict parallel safe as 'byteane';

  create operator extensions.<-> (leftarg = extensions.vector, rightarg = extensions.vector,
    function = extensions.l2_distance, commutator = operator(extensions.<->));
  create operator extensions.<=> (leftarg = extensions.vector, rightarg = extensions.vector,
    function = extensions.cosine_distance, commutator = operator(extensions.<=>));
  create operator extensions.<#> (leftarg = extensions.vector, rightarg = extensions.vector,
    function = extensions.vector_negative_inner_product, commutator = operator(extensions.<#>));
  create operator extensions.<+> (leftarg = extensions.vector, rightarg = extensions.vector,
    function = extensions.l1_distance, commutator = operator(extensions.<+>));
  create operator extensions.= (leftarg = extensions.vector, rightarg = extensions.vector,
    function = extensions.vector_eq, negator = operator(extensions.<>), commutator = operator(extensions.=));
  create operator extensions.<> (leftarg = extensions.vector, rightarg = extensions.vector,
    function = extensions.vector_ne, negator = operator(extensions.=), commutator = operator(extensions.<>));

  perform set_config('client_min_messages', 'notice', true);
end;
$outer$;
