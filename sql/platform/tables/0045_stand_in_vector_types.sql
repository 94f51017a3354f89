-- Completes the stand-in for pgvector: types halfvec and sparsevec, and all functions, casts, operators and aggregates of pgvector 0.8.

\ir ../functions/cloch/vector_numbers.sql
\ir ../functions/cloch/vector_halves.sql
\ir ../functions/cloch/vector_text.sql
\ir ../functions/cloch/vector_expected.sql
\ir ../functions/cloch/vector_modifier.sql
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

do $$
begin
  if cloch.stand_in_vector_type() is null
     -- Objects of a database that another program made are not changed.
     or to_regclass('cloch.attached') is not null
        and exists (select from cloch.platform_migrations where version = '0031' and applied_at < now()) then
    return;
  end if;
  begin
    perform cloch.make_stand_in_vector('extensions');
  exception when others then
    -- An object of the project in schema extensions has a name of pgvector. The start must not fail for it.
    perform cloch.note('extension vector', 'not installed: distances are computed row by row, without an index; halfvec, sparsevec and '
      || 'other additions could not be created: ' || sqlerrm);
  end;
end;
$$;
