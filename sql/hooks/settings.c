/*
 * Settings of the library. All of them are fixed when the server starts (PGC_POSTMASTER): no session, role, database or reload changes
 * them. The prefix `cloch` is not reserved, because Cloch's sessions have settings of their own under it.
 */
#include "cloch_hooks.h"

#include "utils/guc.h"

char	   *privileged_role = NULL;
char	   *privileged_extensions = NULL;
char	   *reserved_roles = NULL;
char	   *reserved_memberships = NULL;
char	   *allowed_parameters = NULL;
char	   *closed_schemas = NULL;

/* A name with `*` may be configured (ALTER ROLE … SET) and may receive memberships. */
static const char *const RESERVED_ROLES =
	"supabase_admin, supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin, supabase_functions_admin, "
	"supabase_replication_admin, supabase_read_only_user, supabase_etl_admin, supabase_privileged_role, dashboard_user, pgbouncer, "
	"pgsodium_keyiduser, pgsodium_keyholder, pgsodium_keymaker, cloch_server, cloch_operators, "
	"anon*, authenticated*, authenticator*, service_role*";

static const char *const RESERVED_MEMBERSHIPS =
	"pg_read_server_files, pg_write_server_files, pg_execute_server_program, supabase_admin, supabase_auth_admin, "
	"supabase_storage_admin, supabase_realtime_admin, supabase_functions_admin, supabase_replication_admin, supabase_read_only_user, "
	"supabase_etl_admin, dashboard_user, pgbouncer, pgsodium_keyiduser, pgsodium_keyholder, pgsodium_keymaker, cloch_server, cloch_operators, "
	"authenticator";

static const char *const ALLOWED_PARAMETERS =
	"auto_explain.*, log_lock_waits, log_min_duration_statement, log_min_messages, log_parameter_max_length, log_replication_commands, "
	"log_statement, log_temp_files, pg_net.batch_size, pg_net.ttl, pg_stat_statements.*, pgaudit.*, pgrst.*, plan_filter.*, "
	"safeupdate.enabled, session_replication_role, track_functions, track_io_timing, wal_compression";

/* Schemas with secrets of Cloch and of extensions. No publication that the library permits contains them. */
static const char *const CLOSED_SCHEMAS = "cloch, vault, pgsodium, _realtime, pgbouncer, net";

static void
define(const char *name, const char *description, char **value, const char *initial)
{
	DefineCustomStringVariable(name, description, NULL, value, initial, PGC_POSTMASTER, 0, NULL, NULL, NULL);
}

void
define_settings(void)
{
	define("cloch.privileged_role", "Role that may execute the statements that Supabase allows its role postgres; empty for none.",
		   &privileged_role, "");
	define("cloch.privileged_extensions", "Extensions that this role may create, besides those whose control file is trusted.",
		   &privileged_extensions, "");
	define("cloch.reserved_roles", "Roles that only superusers change; those with * may be configured.",
		   &reserved_roles, RESERVED_ROLES);
	define("cloch.reserved_memberships", "Roles whose membership only superusers grant.",
		   &reserved_memberships, RESERVED_MEMBERSHIPS);
	define("cloch.allowed_parameters", "Superuser-only parameters that the privileged role may set; name.* stands for a prefix.",
		   &allowed_parameters, ALLOWED_PARAMETERS);
	define("cloch.closed_schemas", "Schemas that publications of the privileged role do not contain.",
		   &closed_schemas, CLOSED_SCHEMAS);
}
