/*
 * The attributes BYPASSRLS and REPLICATION in CREATE ROLE and ALTER ROLE.
 *
 * In PostgreSQL 16 and later, a role with CREATEROLE can give the attributes that it has itself, so the library does nothing. PostgreSQL 15
 * requires a superuser, even for other changes to a role that has one of these attributes.
 *
 * CREATE ROLE runs without the two attributes as the privileged role, with all of PostgreSQL's checks; only the two attributes are then set as
 * superuser. ALTER ROLE runs as superuser if no option concerns superusers or memberships.
 */
#include "cloch_hooks.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "commands/defrem.h"
#include "commands/user.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/syscache.h"
#pragma GCC diagnostic pop

#if PG_VERSION_NUM >= 160000

bool
handle_role_attributes(Utility *call)
{
	(void) call;
	return false;
}

#else

/* Moves the two attributes out of a list of options, and returns them. */
static List *
take_attributes(List **options)
{
	List	   *taken = NIL;
	List	   *others = NIL;
	ListCell   *cell;

	foreach(cell, *options)
	{
		DefElem    *option = lfirst_node(DefElem, cell);

		if (strcmp(option->defname, "bypassrls") == 0 || strcmp(option->defname, "isreplication") == 0)
			taken = lappend(taken, option);
		else
			others = lappend(others, option);
	}
	*options = others;
	return taken;
}

static RoleSpec *
named(const char *name)
{
	RoleSpec   *role = makeNode(RoleSpec);

	role->roletype = ROLESPEC_CSTRING;
	role->rolename = pstrdup(name);
	role->location = -1;
	return role;
}

static void
set_attributes(void *statement)
{
	(void) AlterRole(NULL, (AlterRoleStmt *) statement);
}

static bool
create(Utility *call)
{
	CreateRoleStmt *statement = (CreateRoleStmt *) call->planned->utilityStmt;
	AlterRoleStmt *attributes = makeNode(AlterRoleStmt);
	List	   *kept = list_copy(statement->options);

	attributes->options = take_attributes(&kept);
	if (attributes->options == NIL)
		return false;
	statement = (CreateRoleStmt *) writable_statement(call);
	attributes->role = named(statement->role);
	attributes->action = 1;
	statement->options = kept;
	run_statement(call);
	CommandCounterIncrement();
	call_elevated(set_attributes, attributes);
	return true;
}

/* Whether a role that is no superuser has one of the two attributes. */
static bool
has_attributes(Oid role)
{
	HeapTuple	tuple = SearchSysCache1(AUTHOID, ObjectIdGetDatum(role));
	bool		is_found;

	if (!HeapTupleIsValid(tuple))
		return false;
	is_found = ((Form_pg_authid) GETSTRUCT(tuple))->rolreplication || ((Form_pg_authid) GETSTRUCT(tuple))->rolbypassrls;
	ReleaseSysCache(tuple);
	return is_found;
}

/* Reserved roles and the privileged role were already refused (roles.c). */
static bool
alter(Utility *call)
{
	AlterRoleStmt *statement = (AlterRoleStmt *) call->planned->utilityStmt;
	List	   *kept = list_copy(statement->options);
	Oid			role = get_rolespec_oid(statement->role, true);
	ListCell   *cell;

	if (!OidIsValid(role) || superuser_arg(role) || !has_createrole_privilege(GetUserId()))
		return false;
	if (take_attributes(&kept) == NIL && !has_attributes(role))
		return false;
	foreach(cell, statement->options)
	{
		const char *option = lfirst_node(DefElem, cell)->defname;

		if (strcmp(option, "superuser") == 0 || strcmp(option, "rolemembers") == 0)
			return false;
	}
	statement = (AlterRoleStmt *) writable_statement(call);
	/* Replace CURRENT_USER by a name, because it means another role while the statement runs. */
	statement->role = named(GetUserNameFromId(role, false));
	run_guarded(call, RUN_AS_SUPERUSER, NULL);
	return true;
}

bool
handle_role_attributes(Utility *call)
{
	switch (nodeTag(call->planned->utilityStmt))
	{
		case T_CreateRoleStmt:
			return create(call);
		case T_AlterRoleStmt:
			return alter(call);
		default:
			return false;
	}
}

#endif
