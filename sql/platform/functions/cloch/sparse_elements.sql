-- Returns the non-zero elements of a sparsevec. `value` is a text that cloch.sparse_text has returned.
create or replace function cloch.sparse_elements(value text) returns table (place integer, number double precision)
language sql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
  select split_part(element, ':', 1)::integer, split_part(element, ':', 2)::real::double precision
    from string_to_table(nullif(split_part(substr(value, 2), '}', 1), ''), ',') as element
$$;
