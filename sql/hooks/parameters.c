/*
 * SET, ALTER ROLE … SET and ALTER DATABASE … SET of parameters that PostgreSQL keeps for superusers, for those in cloch.allowed_parameters.
 *
 * Elevation covers only the parameter's own check. Whether the role or database may be configured is checked here as PostgreSQL does it.
 */
#include "cloch_hooks.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "catalog/pg_database.h"
#include "commands/dbcommands.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#pragma GCC diagnostic pop

/* Whether the statement sets or resets one single parameter of the list. */
static bool
is_allowed(const VariableSetStmt *statement)
{
	switch (statement->kind)
	{
		case VAR_SET_VALUE:
		case VAR_SET_DEFAULT:
		case VAR_SET_CURRENT:
		case VAR_RESET:
			return statement->name != NULL && list_matches(allowed_parameters, statement->name);
		default:
			return false;
	}
}

/* Whether the current user may configure a role, as AlterRoleSet decides. */
static bool
may_configure(const RoleSpec *spec)
{
	Oid			user = GetUserId();
	Oid			role;

	/* Only a superuser may execute ALTER ROLE ALL. */
	if (spec == NULL)
		return false;
	role = get_rolespec_oid(spec, false);
	if (superuser_arg(role))
		return false;
	if (role == user)
		return true;
	if (!has_createrole_privilege(user))
		return false;
#if PG_VERSION_NUM >= 160000
	return is_admin_of_role(user, role);
#else
	return true;
#endif
}

static bool
owns_database(const char *name)
{
	Oid			database = get_database_oid(name, true);

	if (!OidIsValid(database))
		return false;
#if PG_VERSION_NUM >= 160000
	return object_ownercheck(DatabaseRelationId, database, GetUserId());
#else
	return pg_database_ownercheck(database, GetUserId());
#endif
}

bool
handle_parameter(Utility *call)
{
	Node	   *statement = call->planned->utilityStmt;

	switch (nodeTag(statement))
	{
		case T_VariableSetStmt:
			if (!is_allowed((VariableSetStmt *) statement))
				return false;
			break;
		case T_AlterRoleSetStmt:
			if (!is_allowed(((AlterRoleSetStmt *) statement)->setstmt) || !may_configure(((AlterRoleSetStmt *) statement)->role))
				return false;
			break;
		case T_AlterDatabaseSetStmt:
			if (!is_allowed(((AlterDatabaseSetStmt *) statement)->setstmt) ||
				!owns_database(((AlterDatabaseSetStmt *) statement)->dbname))
				return false;
			break;
		default:
			return false;
	}
	run_guarded(call, RUN_AS_SUPERUSER, NULL);
	return true;
}
