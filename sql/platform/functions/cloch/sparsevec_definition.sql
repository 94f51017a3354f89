-- Returns a part of the SQL text that creates Cloch's substitute for pgvector: the functions for sparsevec, for conversions between its
-- types, and for bit strings. cloch.make_stand_in_vector executes the text, with the schema of the substitute as search path.
create or replace function cloch.sparsevec_definition() returns text
language sql immutable set search_path = 'pg_catalog', 'pg_temp' as $outer$
  select $sql$
    create or replace function sparsevec(v sparsevec, type_modifier integer, is_explicit boolean) returns sparsevec language sql immutable strict parallel safe
      begin atomic select cloch.sparse_text(v::text, type_modifier)::sparsevec; end;
    create or replace function array_to_sparsevec(numbers integer[], type_modifier integer, is_explicit boolean) returns sparsevec language sql immutable strict parallel safe
      begin atomic select cloch.sparse_of_numbers(cloch.vector_of_array(numbers::double precision[], 'sparsevec', type_modifier))::sparsevec; end;
    create or replace function array_to_sparsevec(numbers real[], type_modifier integer, is_explicit boolean) returns sparsevec language sql immutable strict parallel safe
      begin atomic select cloch.sparse_of_numbers(cloch.vector_of_array(numbers::double precision[], 'sparsevec', type_modifier))::sparsevec; end;
    create or replace function array_to_sparsevec(numbers double precision[], type_modifier integer, is_explicit boolean) returns sparsevec language sql immutable strict parallel safe
      begin atomic select cloch.sparse_of_numbers(cloch.vector_of_array(numbers, 'sparsevec', type_modifier))::sparsevec; end;
    create or replace function array_to_sparsevec(numbers numeric[], type_modifier integer, is_explicit boolean) returns sparsevec language sql immutable strict parallel safe
      begin atomic select cloch.sparse_of_numbers(cloch.vector_of_array(numbers::real[]::double precision[], 'sparsevec', type_modifier))::sparsevec; end;

    create or replace function l2_distance(a sparsevec, b sparsevec) returns double precision language sql immutable strict parallel safe
      begin atomic select sqrt(cloch.sparse_distance('l2_squared', a::text, b::text)); end;
    create or replace function sparsevec_l2_squared_distance(a sparsevec, b sparsevec) returns double precision language sql immutable strict parallel safe
      begin atomic select cloch.sparse_distance('l2_squared', a::text, b::text); end;
    create or replace function inner_product(a sparsevec, b sparsevec) returns double precision language sql immutable strict parallel safe
      begin atomic select cloch.sparse_distance('inner_product', a::text, b::text); end;
    create or replace function sparsevec_negative_inner_product(a sparsevec, b sparsevec) returns double precision language sql immutable strict parallel safe
      begin atomic select -cloch.sparse_distance('inner_product', a::text, b::text); end;
    create or replace function cosine_distance(a sparsevec, b sparsevec) returns double precision language sql immutable strict parallel safe
      begin atomic select cloch.sparse_distance('cosine', a::text, b::text); end;
    create or replace function l1_distance(a sparsevec, b sparsevec) returns double precision language sql immutable strict parallel safe
      begin atomic select cloch.sparse_distance('l1', a::text, b::text); end;
    create or replace function l2_norm(v sparsevec) returns double precision language sql immutable strict parallel safe
      begin atomic select sqrt(cloch.sparse_distance('inner_product', v::text, v::text)); end;
    create or replace function l2_normalize(v sparsevec) returns sparsevec language sql immutable strict parallel safe
      begin atomic select cloch.sparse_normalized(v::text)::sparsevec; end;
    create or replace function sparsevec_cmp(a sparsevec, b sparsevec) returns integer language sql immutable strict parallel safe
      begin atomic select cloch.sparse_order(a::text, b::text); end;

    create or replace function halfvec_to_vector(v halfvec, type_modifier integer, is_explicit boolean) returns vector language sql immutable strict parallel safe
      begin atomic select cloch.vector_text(cloch.vector_expected(cloch.vector_numbers(v::text, 'halfvec'), type_modifier % 65536))::vector; end;
    create or replace function vector_to_halfvec(v vector, type_modifier integer, is_explicit boolean) returns halfvec language sql immutable strict parallel safe
      begin atomic
        select cloch.vector_text(cloch.vector_halves(cloch.vector_expected(cloch.vector_numbers(v::text, 'vector'), type_modifier)))::halfvec;
      end;
    create or replace function vector_to_sparsevec(v vector, type_modifier integer, is_explicit boolean) returns sparsevec language sql immutable strict parallel safe
      begin atomic select cloch.sparse_of_numbers(cloch.vector_expected(cloch.vector_numbers(v::text, 'vector'), type_modifier))::sparsevec; end;
    create or replace function halfvec_to_sparsevec(v halfvec, type_modifier integer, is_explicit boolean) returns sparsevec language sql immutable strict parallel safe
      begin atomic select cloch.sparse_of_numbers(cloch.vector_expected(cloch.vector_numbers(v::text, 'halfvec'), type_modifier))::sparsevec; end;
    create or replace function sparsevec_to_vector(v sparsevec, type_modifier integer, is_explicit boolean) returns vector language sql immutable strict parallel safe
      begin atomic select cloch.vector_text(cloch.sparse_numbers(v::text, 'vector', type_modifier % 65536))::vector; end;
    create or replace function sparsevec_to_halfvec(v sparsevec, type_modifier integer, is_explicit boolean) returns halfvec language sql immutable strict parallel safe
      begin atomic select cloch.vector_text(cloch.sparse_numbers(v::text, 'halfvec', type_modifier))::halfvec; end;

    create or replace function hamming_distance(a bit, b bit) returns double precision language sql immutable strict parallel safe
      begin atomic select cloch.vector_bit_distance('hamming', a, b); end;
    create or replace function jaccard_distance(a bit, b bit) returns double precision language sql immutable strict parallel safe
      begin atomic select cloch.vector_bit_distance('jaccard', a, b); end;
  $sql$
$outer$;
revoke all on function cloch.sparsevec_definition() from public;
