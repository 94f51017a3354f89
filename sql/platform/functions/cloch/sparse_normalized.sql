-- Divides a sparsevec by its Euclidean norm. A value in which all numbers are zero is returned unchanged.
create or replace function cloch.sparse_normalized(value text) returns text
language plpgsql immutable strict parallel safe security definer set search_path = 'pg_catalog', 'pg_temp' set extra_float_digits = 1 as $$
declare
  canonical text := cloch.sparse_text(value);
  norm double precision;
  elements text;
begin
  select sqrt(sum(number * number)) into norm from cloch.sparse_elements(canonical);
  select string_agg(place || ':' || (number / norm)::real, ',' order by place) into elements
    from cloch.sparse_elements(canonical) where abs(number / norm) > 7.006492321624085e-46;
  return '{' || coalesce(elements, '') || '}/' || split_part(canonical, '/', 2)::integer;
end;
$$;
