-- Auth works as supabase_auth_admin, so that triggers on auth.users and hooks
-- never have the rights of Cloch's own login. What it needs outside its schema:
-- to put a mail into the outbox and to count calls.

grant usage on schema cloch to supabase_auth_admin;
grant insert on cloch.mail_outbox, cloch.mail_attachments to supabase_auth_admin;
grant select (id) on cloch.mail_outbox to supabase_auth_admin;
grant select, insert, update, delete on cloch.rate_limits to supabase_auth_admin;
