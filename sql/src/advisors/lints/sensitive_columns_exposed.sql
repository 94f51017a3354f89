select r.schema, r.name, 'table' as type,
       format('Callers read %s of %s, and no row-level security guards it.', string_agg(quote_ident(a.attname), ', ' order by a.attnum), r.sql_name) as detail,
       format('alter table %s enable row level security;', r.sql_name) as fix,
       jsonb_build_object('sensitive_columns', jsonb_agg(a.attname order by a.attnum)) as extra
  from relation r
  join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
 where r.is_exposed and r.kind in ('r', 'p') and not r.has_rls
   and lower(a.attname) ~ '^(password|passwd|passphrase|pwd|(password|token)_?hash|(client_|api_|otp_|totp_|jwt_)?secret(_key)?|api_?key|private_key|(access|refresh|auth|session|bearer)_token|ssn|social_security(_number)?|tax_id|national_id|national_insurance(_number)?|passport(_number|_no)?|(credit_?)?card_number|credit_?card|cvv|cvc|iban|bank_account(_number)?|account_number|pin_code|medical_record(_number)?|driving_licen[cs]e(_number)?)$'
   and exists (select from caller_role c
                where has_schema_privilege(c.oid, r.schema, 'usage') and has_column_privilege(c.oid, r.oid, a.attnum, 'select'))
 group by r.schema, r.name, r.sql_name
