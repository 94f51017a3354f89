-- Makes the stand-in for pgjwt, unless the server has the extension: functions that sign and verify JSON Web Tokens with HMAC. Like
-- pgjwt, they are SQL and use hmac() of pgcrypto.

do $outer$
begin
  if not cloch.stand_in_wanted('pgjwt', 'sign and verify with HS256, HS384 and HS512') then
    return;
  end if;
  if not exists (select from pg_catalog.pg_extension where extname = 'pgcrypto') then
    delete from cloch.stand_ins where extension = 'pgjwt';
    perform cloch.note('extension pgjwt', 'not installed, and not stood in for because pgcrypto is missing');
    return;
  end if;

  create function extensions.url_encode(data bytea) returns text
  language sql immutable as $$
    select translate(encode(data, 'base64'), E'+/=\n', '-_')
  $$;

  create function extensions.url_decode(data text) returns bytea
  language sql immutable as $$
    select decode(rpad(translate(data, '-_', '+/'), (length(data) + 3) / 4 * 4, '='), 'base64')
  $$;

  create function extensions.algorithm_sign(signables text, secret text, algorithm text) returns text
  language plpgsql immutable as $$
  declare
    digest text := case algorithm
      when 'HS256' then 'sha256' when 'HS384' then 'sha384' when 'HS512' then 'sha512' end;
  begin
    if digest is null then
      raise exception 'algorithm % is not supported', algorithm;
    end if;
    return extensions.url_encode(extensions.hmac(signables, secret, digest));
  end;
  $$;

  create function extensions.sign(payload json, secret text, algorithm text default 'HS256') returns text
  language sql immutable as $$
    select s.signables || '.' || extensions.algorithm_sign(s.signables, secret, algorithm)
      from (select extensions.url_encode(convert_to(format('{"alg":"%s","typ":"JWT"}', algorithm), 'UTF8'))
                   || '.' || extensions.url_encode(convert_to(payload::text, 'UTF8')) as signables) as s
  $$;

  create function extensions.verify(token text, secret text, algorithm text default 'HS256')
  returns table (header json, payload json, valid boolean)
  language sql stable as $$
    select convert_from(extensions.url_decode(p[1]), 'UTF8')::json,
           convert_from(extensions.url_decode(p[2]), 'UTF8')::json,
           p[3] = extensions.algorithm_sign(p[1] || '.' || p[2], secret, algorithm)
             and coalesce(to_timestamp((convert_from(extensions.url_decode(p[2]), 'UTF8')::jsonb ->> 'nbf')::float8) <= now(), true)
             and coalesce(to_timestamp((convert_from(extensions.url_decode(p[2]), 'UTF8')::jsonb ->> 'exp')::float8) > now(), true)
      from regexp_split_to_array(token, '\.') as p
  $$;
end;
$outer$;
