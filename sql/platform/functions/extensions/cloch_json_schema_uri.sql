-- Part of Cloch's substitute for pg_jsonschema. Resolves a reference against a base URI (RFC 3986, section 5.2). Base URIs have no
-- fragment.
create or replace function extensions.cloch_json_schema_uri(base text, reference text) returns text
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  form constant text := '^([A-Za-z][A-Za-z0-9+.-]*:)?(//[^/?#]*)?([^?#]*)(\?[^#]*)?(#.*)?$';
  b constant text[] := regexp_match(base, form);
  r constant text[] := regexp_match(reference, form);
  path text;
  part text;
  parts text[] := '{}';
begin
  if reference = '' or reference like '#%' then
    return base || reference;
  elsif r[1] is not null then
    return reference;
  elsif r[2] is not null then
    return coalesce(b[1], '') || reference;
  elsif r[3] = '' then
    return concat(b[1], b[2], b[3], r[4], r[5]);
  end if;
  path := case when r[3] like '/%' then r[3] when b[2] is not null and b[3] = '' then '/' || r[3] else regexp_replace(b[3], '[^/]*$', '') || r[3] end;
  foreach part in array string_to_array(path, '/') loop
    if part = '..' and parts not in ('{}', array['']) then
      parts := trim_array(parts, 1);
    elsif part not in ('.', '..') then
      parts := parts || part;
    end if;
  end loop;
  return concat(b[1], b[2], array_to_string(parts, '/'), case when path ~ '(^|/)\.\.?$' then '/' end, r[4], r[5]);
end;
$$;
