/*
 * CREATE EVENT TRIGGER, and the rules for functions of event triggers. Which calls are executed is decided in event_trigger_calls.c.
 *
 * PostgreSQL itself allows the owner to execute ALTER (except OWNER TO) and DROP EVENT TRIGGER. PostgreSQL refuses an owner that is not a
 * superuser, so the owner is written into the catalog, and a superuser's ALTER … OWNER TO the privileged role, which dumps contain, is done in
 * the same way.
 */
#include "cloch_hooks.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "access/xact.h"
#include "catalog/pg_event_trigger.h"
#include "catalog/pg_foreign_data_wrapper.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "commands/event_trigger.h"
#include "foreign/foreign.h"
#include "parser/parse_func.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#pragma GCC diagnostic pop

/*
 * Parameters that a function of an event trigger may set (CREATE FUNCTION … SET). PostgreSQL applies them before the library can skip the
 * call, also in a superuser's session. The values of these parameters cannot fail, so no such function blocks a superuser's statements.
 */
static const char *const FUNCTION_PARAMETERS = "search_path, statement_timeout, lock_timeout, client_min_messages";

static bool
owns_function(Oid function)
{
#if PG_VERSION_NUM >= 160000
	return object_ownercheck(ProcedureRelationId, function, GetUserId());
#else
	return pg_proc_ownercheck(function, GetUserId());
#endif
}

bool
handle_event_trigger(Utility *call)
{
	CreateEventTrigStmt *statement = (CreateEventTrigStmt *) call->planned->utilityStmt;
	Oid			user = GetUserId();
	Oid			function;

	if (!IsA(statement, CreateEventTrigStmt))
		return false;
	/* Such a function would run at every login, even if the server is started without this library. */
	if (strcmp(statement->eventname, "login") == 0)
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("only superusers create event triggers for logins")));
	function = LookupFuncName(statement->funcname, 0, NULL, false);
	if (!owns_function(function))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_FUNCTION, NameListToString(statement->funcname));
	statement = (CreateEventTrigStmt *) writable_statement(call);
	statement->funcname = qualified_function_name(function);
	run_guarded(call, RUN_AS_SUPERUSER, "pg_catalog, pg_temp");
	CommandCounterIncrement();
	set_owner(EventTriggerRelationId, EventTriggerOidIndexId, Anum_pg_event_trigger_evtowner,
			  get_event_trigger_oid(statement->trigname, false), user);
	return true;
}

/* ALTER EVENT TRIGGER and ALTER FOREIGN DATA WRAPPER … OWNER TO the privileged role, by a superuser. */
bool
handle_owner_by_superuser(Utility *call)
{
	AlterOwnerStmt *statement = (AlterOwnerStmt *) call->planned->utilityStmt;
	const char *name;
	Oid			role;

	if (!IsA(statement, AlterOwnerStmt) || is_guarded() ||
		(statement->objectType != OBJECT_EVENT_TRIGGER && statement->objectType != OBJECT_FDW))
		return false;
	role = get_rolespec_oid(statement->newowner, false);
	if (role != get_role_oid(privileged_role, true) || superuser_arg(role))
		return false;
	name = strVal(statement->object);
	if (statement->objectType == OBJECT_EVENT_TRIGGER)
		set_owner(EventTriggerRelationId, EventTriggerOidIndexId, Anum_pg_event_trigger_evtowner,
				  get_event_trigger_oid(name, false), role);
	else
		set_owner(ForeignDataWrapperRelationId, ForeignDataWrapperOidIndexId, Anum_pg_foreign_data_wrapper_fdwowner,
				  get_foreign_data_wrapper_oid(name, false), role);
	return true;
}

static void
check_options(List *options)
{
	ListCell   *cell;

	foreach(cell, options)
	{
		DefElem    *option = lfirst_node(DefElem, cell);
		VariableSetStmt *set;

		if (strcmp(option->defname, "set") != 0)
			continue;
		set = (VariableSetStmt *) option->arg;
		if (set->kind == VAR_RESET || set->kind == VAR_RESET_ALL || (set->name && list_contains(FUNCTION_PARAMETERS, set->name, NULL)))
			continue;
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("a function of an event trigger cannot set parameter \"%s\"", set->name ? set->name : "?"),
				 errhint("Allowed are %s.", FUNCTION_PARAMETERS)));
	}
}

/* Checks the parameters that CREATE FUNCTION and ALTER FUNCTION give to a function of an event trigger. */
void
check_event_trigger_function(Node *statement)
{
	if (IsA(statement, CreateFunctionStmt))
	{
		CreateFunctionStmt *create = (CreateFunctionStmt *) statement;

		if (create->returnType != NULL && create->returnType->names != NIL &&
			strcmp(strVal(llast(create->returnType->names)), "event_trigger") == 0)
			check_options(create->options);
	}
	else if (IsA(statement, AlterFunctionStmt))
	{
		AlterFunctionStmt *alter = (AlterFunctionStmt *) statement;
		Oid			function = LookupFuncWithArgs(alter->objtype, alter->func, true);

		if (OidIsValid(function) && get_func_rettype(function) == EVENT_TRIGGEROID)
			check_options(alter->actions);
	}
}
