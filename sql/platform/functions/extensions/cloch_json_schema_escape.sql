-- Part of Cloch's substitute for pg_jsonschema. Translates the escape sequence with which `rest`, a part of a regular expression, begins.
-- Returns the length of the sequence in characters and its translation, separated by ' / '; null if the sequence is not valid. `blanks` are
-- the characters of \s.
create or replace function extensions.cloch_json_schema_escape(rest text, is_in_class boolean, blanks text) returns text
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  escape constant text := substr(rest, 2, 1);
  part text[];
begin
  if escape = '' then
    return null;
  elsif escape ~ '[pP]' and rest ~ '^\\[pP]\{' or escape = 'k' and rest ~ '^\\k<' then
    raise exception 'JSON schema: pattern with "\%" is not supported by the stand-in for pg_jsonschema', escape using errcode = '0A000';
  elsif escape = 'u' then
    part := regexp_match(rest, '^(\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2}))|^(\\u([0-9a-fA-F]{4}))|^(\\u\{([0-9a-fA-F]{1,6})\})');
    if part is null then
      return null;
    elsif part[1] is not null then
      return '12 / \U' || lpad(to_hex(65536 + (('x' || lpad(part[2], 8, '0'))::bit(32)::integer - 55296) * 1024 + ('x' || lpad(part[3], 8, '0'))::bit(32)::integer - 56320), 8, '0');
    end if;
    return length(coalesce(part[4], part[6])) || ' / \U' || lpad(coalesce(part[5], part[7]), 8, '0');
  elsif escape = 'x' then
    part := regexp_match(rest, '^\\x([0-9a-fA-F]{2})');
    return '4 / \u00' || part[1];
  elsif escape = 'c' then
    return case when rest ~ '^\\c[A-Za-z]' then '3 / ' || left(rest, 3) end;
  elsif escape ~ '[1-9]' and not is_in_class then
    part := regexp_match(rest, '^\\([0-9]{1,2})');
    return 1 + length(part[1]) || ' / (?:\' || part[1] || ')';
  end if;
  return '2 / ' || case
    when escape = 'd' and is_in_class then '0-9'
    when escape = 'w' and is_in_class then 'A-Za-z0-9_'
    when escape = 's' and is_in_class then blanks
    when escape in ('D', 'W', 'S') and is_in_class then '\' || escape
    when escape = 'b' and is_in_class then '\u0008'
    when escape = 'd' then '[0-9]'
    when escape = 'D' then '[^0-9]'
    when escape = 'w' then '[A-Za-z0-9_]'
    when escape = 'W' then '[^A-Za-z0-9_]'
    when escape = 's' then '[' || blanks || ']'
    when escape = 'S' then '[^' || blanks || ']'
    when escape = 'b' then '\y'
    when escape = 'B' then '\Y'
    when escape = 'v' then '\u000B'
    when escape = '0' then '\u0000'
    when escape ~ '[tnrf]' then '\' || escape
    when escape ~ '[A-Za-z0-9]' then null
    when escape ~ '[[:ascii:]]' or escape = '_' then '\' || escape
    else escape
  end;
end;
$$;
