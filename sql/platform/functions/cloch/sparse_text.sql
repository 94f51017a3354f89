-- Returns the normalised text of a value of the type sparsevec of Cloch's substitute for pgvector: ascending indices, no zeros, no blanks.
-- The limits and error messages are those of pgvector. Fails if the number of dimensions differs from the type modifier; -1 accepts any
-- number.
create or replace function cloch.sparse_text(value text, type_modifier integer default -1) returns text
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' set extra_float_digits = 1 as $$
declare
  blank constant text := '[ \t\n\r\v\f]*';
  number_form constant text := '[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?';
  part text[];
  rest text;
  element text;
  exact numeric;
  places bigint[] := '{}';
  numbers real[] := '{}';
  dimensions numeric;
  result text;
  is_outside boolean;
  is_repeated boolean;
begin
  if length(value) - length(replace(value, ',', '')) >= 16000 then
    raise exception 'sparsevec cannot have more than 16000 non-zero elements' using errcode = '54000';
  end if;
  part := regexp_match(value, '^' || blank || '\{' || blank || '(.*)$');
  if part is null then
    raise exception 'invalid input syntax for type sparsevec: "%"', value
      using errcode = '22P02', detail = 'Vector contents must start with "{".';
  end if;
  rest := part[1];
  if rest ~ '^\}' then
    rest := substr(rest, 2);
  else
    if strpos(rest, '}') = 0 then
      element := rest;
      rest := null;
    else
      element := left(rest, strpos(rest, '}') - 1);
      rest := substr(rest, strpos(rest, '}') + 1);
    end if;
    foreach element in array string_to_array(element, ',') loop
      part := regexp_match(element, '^' || blank || '([+-]?\d+)' || blank || ':' || blank || '(.*)$');
      if part is null then
        raise exception 'invalid input syntax for type sparsevec: "%"', value using errcode = '22P02';
      elsif part[2] ~* '^[+-]?nan' then
        raise exception 'NaN not allowed in sparsevec' using errcode = '22000';
      elsif part[2] ~* '^[+-]?inf' then
        raise exception 'infinite value not allowed in sparsevec' using errcode = '22000';
      end if;
      places := places || greatest(least(part[1]::numeric, 2147483647), -2147483647)::bigint;
      part := regexp_match(part[2], '^(' || number_form || ')' || blank || '(.*)$');
      if part is null then
        raise exception 'invalid input syntax for type sparsevec: "%"', value using errcode = '22P02';
      end if;
      exact := case when part[1] ~ '[eE][+-]?0*\d{4,}$' then 'Infinity' else abs(part[1]::numeric) end;
      if exact >= 3.40282356779733661637539395458142568448e38
         or exact > 0 and exact <= 7.006492321624085354618647916449580656401309709382578858785e-46 then
        raise exception '"%" is out of range for type sparsevec', part[1] using errcode = '22003';
      elsif part[2] <> '' then
        raise exception 'invalid input syntax for type sparsevec: "%"', value using errcode = '22P02';
      end if;
      numbers := numbers || part[1]::real;
    end loop;
    if rest is null then
      raise exception 'invalid input syntax for type sparsevec: "%"', value using errcode = '22P02';
    end if;
  end if;
  if rest !~ ('^' || blank || '/') then
    raise exception 'invalid input syntax for type sparsevec: "%"', value using errcode = '22P02', detail = 'Unexpected end of input.';
  end if;
  part := regexp_match(rest, '^' || blank || '/' || blank || '([+-]?\d+)' || blank || '(.*)$');
  if part is null then
    raise exception 'invalid input syntax for type sparsevec: "%"', value using errcode = '22P02';
  elsif part[2] <> '' then
    raise exception 'invalid input syntax for type sparsevec: "%"', value using errcode = '22P02', detail = 'Junk after closing.';
  end if;
  dimensions := part[1]::numeric;
  if dimensions < 1 then
    raise exception 'sparsevec must have at least 1 dimension' using errcode = '22000';
  elsif dimensions > 1000000000 then
    raise exception 'sparsevec cannot have more than 1000000000 dimensions' using errcode = '54000';
  end if;
  select '{' || coalesce(string_agg(place || ':' || number, ',' order by place), '') || '}/' || dimensions,
         bool_or(place < 1 or place > dimensions), count(*) > count(distinct place)
    into result, is_outside, is_repeated
    from unnest(places, numbers) as n (place, number) where n.number <> 0;
  if is_outside then
    raise exception 'sparsevec index out of bounds' using errcode = '22000';
  elsif is_repeated then
    raise exception 'sparsevec indices must not contain duplicates' using errcode = '22000';
  end if;
  if type_modifier <> -1 and dimensions <> type_modifier then
    raise exception 'expected % dimensions, not %', type_modifier, dimensions using errcode = '22000';
  end if;
  return result;
end;
$$;
