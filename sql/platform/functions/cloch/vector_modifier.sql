-- Reads the type modifier of a stand-in type: the number of dimensions, which must not be greater than `most`.
create or replace function cloch.vector_modifier(modifiers cstring[], kind text, most integer) returns integer
language plpgsql immutable strict parallel safe set search_path = '' as $$
declare
  dimensions integer;
begin
  if cardinality(modifiers) <> 1 then
    raise exception 'invalid type modifier' using errcode = '22023';
  end if;
  dimensions := modifiers[1]::text::integer;
  if dimensions < 1 then
    raise exception 'dimensions for type % must be at least 1', kind using errcode = '22023';
  elsif dimensions > most then
    raise exception 'dimensions for type % cannot exceed %', kind, most using errcode = '22023';
  end if;
  return dimensions;
end;
$$;
