-- Creates Cloch's substitute for pgvector in a schema: types vector, halfvec and sparsevec over PostgreSQL's text functions, and the
-- functions, casts, operators and aggregates of pgvector 0.8. Index methods and the binary format are missing. Existing objects are
-- updated. Only a superuser can create a base type.
--
-- PostgreSQL's text functions accept any text. A value is checked and normalised when it is cast to a type with a number of dimensions,
-- such as by an insert into a column. All functions check their arguments.
--
-- The bodies of the functions have SQL's standard form (BEGIN ATOMIC). They refer to objects and not to names, so they still work when
-- sql/switch moves the objects to another schema. The bodies call functions of schema cloch that compute with texts and arrays
-- (cloch.vector_*, cloch.sparse_*). Callers have no rights on schema cloch; therefore functions that call others run with their owner's
-- rights. Their search path names pg_temp last: otherwise PostgreSQL would search the caller's temporary types before its own.
--
-- Type modifiers of existing databases could be 0x7FFF0000 + 8 for vector(8) while they were corrected
-- (sql/platform/tables/0045_vector_type_modifier.sql). Therefore the remainder of a modifier is used.
create or replace function cloch.make_stand_in_vector(target text) returns void
language plpgsql set search_path = 'pg_catalog', 'pg_temp' set client_min_messages = warning as $outer$
declare
  kind text;
  -- For types vector, halfvec and sparsevec.
  type_definition constant text := $sql$
    create type KIND;
    create or replace function KIND_in(cstring) returns KIND language internal immutable strict parallel safe as 'textin';
    create or replace function KIND_out(KIND) returns cstring language internal immutable strict parallel safe as 'textout';
    create or replace function KIND_typmod_in(cstring[]) returns integer language sql immutable strict parallel safe
      begin atomic
        select case when cardinality($1) = 1 and $1[1]::text::integer between 1 and MOST then $1[1]::text::integer
                    else cloch.vector_modifier($1, 'KIND', MOST) end;
      end;
    create or replace function KIND_typmod_out(integer) returns cstring language internal immutable strict parallel safe as 'bittypmodout';
    create type KIND (input = KIND_in, output = KIND_out, typmod_in = KIND_typmod_in, typmod_out = KIND_typmod_out, storage = external);
    create cast (KIND as text) without function;
  $sql$;
  -- For types vector and halfvec. NUMBERS(x) is replaced by a call that parses an argument x.
  dense_definition constant text := $sql$
    create or replace function KIND(v KIND, type_modifier integer, is_explicit boolean) returns KIND language sql immutable strict parallel safe
      begin atomic select cloch.vector_text(cloch.vector_expected(NUMBERS(v), type_modifier % 65536))::KIND; end;
    create or replace function KIND_to_float4(v KIND, type_modifier integer, is_explicit boolean) returns real[] language sql immutable strict parallel safe
      begin atomic select NUMBERS(v); end;
    create or replace function array_to_KIND(numbers integer[], type_modifier integer, is_explicit boolean) returns KIND language sql immutable strict parallel safe
      begin atomic select cloch.vector_text(cloch.vector_of_array(numbers::double precision[], 'KIND', type_modifier % 65536))::KIND; end;
    create or replace function array_to_KIND(numbers real[], type_modifier integer, is_explicit boolean) returns KIND language sql immutable strict parallel safe
      begin atomic select cloch.vector_text(cloch.vector_of_array(numbers::double precision[], 'KIND', type_modifier % 65536))::KIND; end;
    create or replace function array_to_KIND(numbers double precision[], type_modifier integer, is_explicit boolean) returns KIND language sql immutable strict parallel safe
      begin atomic select cloch.vector_text(cloch.vector_of_array(numbers, 'KIND', type_modifier % 65536))::KIND; end;
    create or replace function array_to_KIND(numbers numeric[], type_modifier integer, is_explicit boolean) returns KIND language sql immutable strict parallel safe
      begin atomic select cloch.vector_text(cloch.vector_of_array(numbers::real[]::double precision[], 'KIND', type_modifier % 65536))::KIND; end;

    create or replace function l2_distance(a KIND, b KIND) returns double precision language sql immutable strict parallel safe
      begin atomic select sqrt(cloch.vector_distance('l2_squared', 'KIND', NUMBERS(a), NUMBERS(b))); end;
    create or replace function KIND_l2_squared_distance(a KIND, b KIND) returns double precision language sql immutable strict parallel safe
      begin atomic select cloch.vector_distance('l2_squared', 'KIND', NUMBERS(a), NUMBERS(b)); end;
    create or replace function inner_product(a KIND, b KIND) returns double precision language sql immutable strict parallel safe
      begin atomic select cloch.vector_distance('inner_product', 'KIND', NUMBERS(a), NUMBERS(b)); end;
    create or replace function KIND_negative_inner_product(a KIND, b KIND) returns double precision language sql immutable strict parallel safe
      begin atomic select -cloch.vector_distance('inner_product', 'KIND', NUMBERS(a), NUMBERS(b)); end;
    create or replace function KIND_spherical_distance(a KIND, b KIND) returns double precision language sql immutable strict parallel safe
      begin atomic select acos(least(greatest(cloch.vector_distance('inner_product', 'KIND', NUMBERS(a), NUMBERS(b)), -1), 1)) / pi(); end;
    create or replace function cosine_distance(a KIND, b KIND) returns double precision language sql immutable strict parallel safe
      begin atomic select cloch.vector_distance('cosine', 'KIND', NUMBERS(a), NUMBERS(b)); end;
    create or replace function l1_distance(a KIND, b KIND) returns double precision language sql immutable strict parallel safe
      begin atomic select cloch.vector_distance('l1', 'KIND', NUMBERS(a), NUMBERS(b)); end;
    create or replace function vector_dims(v KIND) returns integer language sql immutable strict parallel safe
      begin atomic select cardinality(NUMBERS(v)); end;
    create or replace function NORM(v KIND) returns double precision language sql immutable strict parallel safe
      begin atomic select sqrt(cloch.vector_distance('inner_product', 'KIND', n, n)) from (select NUMBERS(v) as n) as p; end;
    create or replace function l2_normalize(v KIND) returns KIND language sql immutable strict parallel safe
      begin atomic select cloch.vector_text(cloch.vector_normalized(NUMBERS(v), 'KIND'))::KIND; end;
    create or replace function binary_quantize(v KIND) returns bit language sql immutable strict parallel safe
      begin atomic select cloch.vector_quantized(NUMBERS(v)); end;
    create or replace function subvector(v KIND, start integer, count integer) returns KIND language sql immutable strict parallel safe
      begin atomic select cloch.vector_text(cloch.vector_slice(NUMBERS(v), start, count, 'KIND'))::KIND; end;
    create or replace function KIND_add(a KIND, b KIND) returns KIND language sql immutable strict parallel safe
      begin atomic select cloch.vector_text(cloch.vector_arithmetic('+', 'KIND', NUMBERS(a), NUMBERS(b)))::KIND; end;
    create or replace function KIND_sub(a KIND, b KIND) returns KIND language sql immutable strict parallel safe
      begin atomic select cloch.vector_text(cloch.vector_arithmetic('-', 'KIND', NUMBERS(a), NUMBERS(b)))::KIND; end;
    create or replace function KIND_mul(a KIND, b KIND) returns KIND language sql immutable strict parallel safe
      begin atomic select cloch.vector_text(cloch.vector_arithmetic('*', 'KIND', NUMBERS(a), NUMBERS(b)))::KIND; end;
    create or replace function KIND_concat(a KIND, b KIND) returns KIND language sql immutable strict parallel safe
      begin atomic select cloch.vector_text(cloch.vector_arithmetic('||', 'KIND', NUMBERS(a), NUMBERS(b)))::KIND; end;
    create or replace function KIND_cmp(a KIND, b KIND) returns integer language sql immutable strict parallel safe
      begin atomic select case when a::text = b::text then 0 else btarraycmp(NUMBERS(a), NUMBERS(b)) end; end;
    create or replace function KIND_accum(state double precision[], v KIND) returns double precision[] language sql immutable strict parallel safe
      begin atomic select cloch.vector_state(state, 1::double precision || NUMBERS(v)::double precision[]); end;
    create or replace function KIND_combine(a double precision[], b double precision[]) returns double precision[] language sql immutable strict parallel safe
      begin atomic select cloch.vector_state(a, b); end;
    create or replace function KIND_avg(state double precision[]) returns KIND language sql immutable strict parallel safe
      begin atomic select cloch.vector_text(cloch.vector_average(state, 'KIND'))::KIND; end;
  $sql$;
  dense_objects constant text := $sql$
    create aggregate avg(KIND) (sfunc = KIND_accum, stype = double precision[], finalfunc = KIND_avg, combinefunc = KIND_combine,
      initcond = '{0}', parallel = safe);
    create aggregate sum(KIND) (sfunc = KIND_add, stype = KIND, combinefunc = KIND_add, parallel = safe);
    create operator + (leftarg = KIND, rightarg = KIND, function = KIND_add, commutator = +);
    create operator - (leftarg = KIND, rightarg = KIND, function = KIND_sub);
    create operator * (leftarg = KIND, rightarg = KIND, function = KIND_mul, commutator = *);
    create operator || (leftarg = KIND, rightarg = KIND, function = KIND_concat);
    create cast (KIND as real[]) with function KIND_to_float4(KIND, integer, boolean) as implicit;
  $sql$;
  -- For types vector, halfvec and sparsevec. Executed after their function KIND_cmp was created.
  order_definition constant text := $sql$
    create or replace function KIND_lt(a KIND, b KIND) returns boolean language sql immutable strict parallel safe
      begin atomic select KIND_cmp(a, b) < 0; end;
    create or replace function KIND_le(a KIND, b KIND) returns boolean language sql immutable strict parallel safe
      begin atomic select KIND_cmp(a, b) <= 0; end;
    create or replace function KIND_eq(a KIND, b KIND) returns boolean language sql immutable strict parallel safe
      begin atomic select KIND_cmp(a, b) = 0; end;
    create or replace function KIND_ne(a KIND, b KIND) returns boolean language sql immutable strict parallel safe
      begin atomic select KIND_cmp(a, b) <> 0; end;
    create or replace function KIND_ge(a KIND, b KIND) returns boolean language sql immutable strict parallel safe
      begin atomic select KIND_cmp(a, b) >= 0; end;
    create or replace function KIND_gt(a KIND, b KIND) returns boolean language sql immutable strict parallel safe
      begin atomic select KIND_cmp(a, b) > 0; end;
  $sql$;
  equality constant text := $sql$
    create operator = (leftarg = KIND, rightarg = KIND, function = KIND_eq, commutator = =, negator = <>, restrict = eqsel, join = eqjoinsel);
    create operator <> (leftarg = KIND, rightarg = KIND, function = KIND_ne, commutator = <>, negator = =, restrict = eqsel, join = eqjoinsel);
    create operator <-> (leftarg = KIND, rightarg = KIND, function = l2_distance, commutator = <->);
    create operator <#> (leftarg = KIND, rightarg = KIND, function = KIND_negative_inner_product, commutator = <#>);
    create operator <=> (leftarg = KIND, rightarg = KIND, function = cosine_distance, commutator = <=>);
    create operator <+> (leftarg = KIND, rightarg = KIND, function = l1_distance, commutator = <+>);
    create cast (KIND as KIND) with function KIND(KIND, integer, boolean) as implicit;
  $sql$;
  order_objects constant text := $sql$
    create operator < (leftarg = KIND, rightarg = KIND, function = KIND_lt, commutator = >, negator = >=, restrict = scalarltsel, join = scalarltjoinsel);
    create operator <= (leftarg = KIND, rightarg = KIND, function = KIND_le, commutator = >=, negator = >, restrict = scalarlesel, join = scalarlejoinsel);
    create operator >= (leftarg = KIND, rightarg = KIND, function = KIND_ge, commutator = <=, negator = <, restrict = scalargesel, join = scalargejoinsel);
    create operator > (leftarg = KIND, rightarg = KIND, function = KIND_gt, commutator = <, negator = <=, restrict = scalargtsel, join = scalargtjoinsel);
    create operator class KIND_ops default for type KIND using btree as
      operator 1 <, operator 2 <=, operator 3 =, operator 4 >=, operator 5 >, function 1 KIND_cmp(KIND, KIND);
    create cast (integer[] as KIND) with function array_to_KIND(integer[], integer, boolean) as assignment;
    create cast (numeric[] as KIND) with function array_to_KIND(numeric[], integer, boolean) as assignment;
    create cast (real[] as KIND) with function array_to_KIND(real[], integer, boolean) as assignment;
    create cast (double precision[] as KIND) with function array_to_KIND(double precision[], integer, boolean) as assignment;
  $sql$;
  prepared text;
begin
  -- The objects are created in a schema of the superuser, and then moved to the target schema. Otherwise the bodies below could call
  -- functions and operators that the target's owner has created there, with argument types that fit better than those of PostgreSQL's own
  -- functions.
  create schema cloch_stand_in_draft;
  if cloch.stand_in_vector_type() is not null then
    perform cloch.move_stand_in_vector('cloch_stand_in_draft');
  end if;
  perform set_config('search_path', 'cloch_stand_in_draft', true);
  foreach kind in array array['vector', 'halfvec', 'sparsevec'] loop
    if to_regtype(kind) is null then
      execute replace(replace(type_definition, 'KIND', kind), 'MOST', case kind when 'sparsevec' then '1000000000' else '16000' end);
    end if;
  end loop;
  foreach kind in array array['vector', 'halfvec'] loop
    prepared := regexp_replace(dense_definition, 'NUMBERS\((\w)\)', 'cloch.vector_numbers(\1::text, ''KIND'')', 'g');
    prepared := replace(prepared, 'NORM', case kind when 'vector' then 'vector_norm' else 'l2_norm' end);
    execute replace(prepared || order_definition, 'KIND', kind);
    if to_regoperator(format('=(%s,%s)', kind, kind)) is null then
      execute replace(equality, 'KIND', kind);
    end if;
    if to_regoperator(format('<(%s,%s)', kind, kind)) is null then
      -- Development versions created functions that pgvector does not have. Their bodies called functions of the schema by name.
      if kind = 'vector' and to_regprocedure('real_array_to_vector(real[])') is not null then
        execute $sql$
          drop cast if exists (real[] as vector);
          drop cast if exists (double precision[] as vector);
          create or replace function vector_to_float8(v vector) returns double precision[] language sql immutable strict parallel safe
            begin atomic select cloch.vector_numbers(v::text, 'vector')::double precision[]; end;
          create or replace function array_to_vector(numbers double precision[]) returns vector language sql immutable strict parallel safe
            begin atomic select cloch.vector_text(cloch.vector_of_array(numbers, 'vector', -1))::vector; end;
          create or replace function real_array_to_vector(numbers real[]) returns vector language sql immutable strict parallel safe
            begin atomic select cloch.vector_text(cloch.vector_of_array(numbers::double precision[], 'vector', -1))::vector; end;
          alter operator = (vector, vector) set (restrict = eqsel, join = eqjoinsel);
          alter operator <> (vector, vector) set (restrict = eqsel, join = eqjoinsel);
        $sql$;
      end if;
      execute replace(dense_objects || order_objects, 'KIND', kind);
    end if;
  end loop;
  execute cloch.sparsevec_definition();
  if to_regoperator('<(sparsevec,sparsevec)') is null then
    execute replace(order_definition || equality || order_objects, 'KIND', 'sparsevec');
    execute $sql$
      create cast (halfvec as vector) with function halfvec_to_vector(halfvec, integer, boolean) as assignment;
      create cast (vector as halfvec) with function vector_to_halfvec(vector, integer, boolean) as implicit;
      create cast (sparsevec as vector) with function sparsevec_to_vector(sparsevec, integer, boolean) as assignment;
      create cast (vector as sparsevec) with function vector_to_sparsevec(vector, integer, boolean) as implicit;
      create cast (sparsevec as halfvec) with function sparsevec_to_halfvec(sparsevec, integer, boolean) as assignment;
      create cast (halfvec as sparsevec) with function halfvec_to_sparsevec(halfvec, integer, boolean) as implicit;
      create operator <~> (leftarg = bit, rightarg = bit, function = hamming_distance, commutator = <~>);
      create operator <%> (leftarg = bit, rightarg = bit, function = jaccard_distance, commutator = <%>);
    $sql$;
  end if;
  perform cloch.move_stand_in_vector(target);
  drop schema cloch_stand_in_draft;
end;
$outer$;
revoke all on function cloch.make_stand_in_vector(text) from public;
