-- Returns the text of the sparsevec with these numbers.
create or replace function cloch.sparse_of_numbers(numbers real[]) returns text
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' set extra_float_digits = 1 as $$
declare
  elements text;
  count integer;
begin
  select string_agg(place || ':' || x, ',' order by place), count(*) into elements, count
    from unnest(numbers) with ordinality as n (x, place) where x <> 0;
  if count > 16000 then
    raise exception 'sparsevec cannot have more than 16000 non-zero elements' using errcode = '54000';
  end if;
  return '{' || coalesce(elements, '') || '}/' || cardinality(numbers);
end;
$$;
