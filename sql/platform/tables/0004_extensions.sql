-- Makes the extensions of Supabase's image that belong to PostgreSQL's contrib modules: pg_stat_statements, pgcrypto and uuid-ossp, in
-- schema extensions. If the server lacks pgcrypto or uuid-ossp, SQL functions replace the functions that projects call most.

\ir ../functions/cloch/ensure_extension.sql

do $$
begin
  perform cloch.ensure_extension('pg_stat_statements', 'extensions');

  if not cloch.ensure_extension('pgcrypto', 'extensions') then
    create or replace function extensions.gen_random_uuid() returns uuid
      language sql volatile as 'select pg_catalog.gen_random_uuid()';
    -- Each block of 32 bytes is the SHA-256 of two random UUIDs, which have 122 random bits each.
    create or replace function extensions.gen_random_bytes(count int) returns bytea
      language sql volatile strict as
      'select substring(string_agg(sha256(uuid_send(pg_catalog.gen_random_uuid()) || uuid_send(pg_catalog.gen_random_uuid())), ''''::bytea) from 1 for count)
         from generate_series(0, (count - 1) / 32)';
    create or replace function extensions.digest(data bytea, type text) returns bytea
      language sql immutable strict as
      'select case lower(type) when ''md5'' then decode(md5(data), ''hex'')
         when ''sha224'' then sha224(data) when ''sha256'' then sha256(data)
         when ''sha384'' then sha384(data) when ''sha512'' then sha512(data) end';
    create or replace function extensions.digest(data text, type text) returns bytea
      language sql immutable strict as
      'select extensions.digest(convert_to(data, ''UTF8''), type)';
    perform cloch.note('extension pgcrypto', 'not installed: gen_random_uuid, gen_random_bytes and digest are stood in for; crypt, hmac and pgp_* are missing');
  end if;

  if not cloch.ensure_extension('uuid-ossp', 'extensions') then
    create or replace function extensions.uuid_generate_v4() returns uuid
      language sql volatile as 'select pg_catalog.gen_random_uuid()';
    create or replace function extensions.uuid_nil() returns uuid
      language sql immutable as $f$ select '00000000-0000-0000-0000-000000000000'::uuid $f$;
    perform cloch.note('extension uuid-ossp', 'not installed: uuid_generate_v4 and uuid_nil are stood in for');
  end if;
end;
$$;
