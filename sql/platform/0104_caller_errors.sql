-- Errors of callers' statements go to the caller. In the server's log they would
-- be anybody's to fill, and hold what was sent: values, keys, addresses. Other
-- roles' errors, and what PostgreSQL says of itself, stay in it.
select cloch.attempt('alter role authenticator set log_min_messages = log');
