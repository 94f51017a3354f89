/*
 * Execution of one statement with the rights of the bootstrap superuser.
 *
 * While such a statement runs,
 * - no function of a role that is no superuser is executed with a superuser's rights (refuse_function_of_user), and event triggers of such
 *   roles do not fire (event_trigger_calls.c);
 * - SECURITY_RESTRICTED_OPERATION holds: no SET ROLE, no temporary objects, no deferred triggers that would run after the statement;
 * - search_path is the one that the caller of run_guarded chose.
 * The identity is restored after the statement and after an error. PostgreSQL restores the settings of an aborted (sub)transaction itself.
 */
#include "cloch_hooks.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/dependency.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_proc.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#pragma GCC diagnostic pop

extern ProcessUtility_hook_type previous_process_utility;

/* Number of guarded statements that are running. */
static int	guarded = 0;

/* Whether the current user is the privileged role, outside of a restricted operation such as an index function during REINDEX. */
bool
is_privileged_user(void)
{
	Oid			role;

	if (InSecurityRestrictedOperation())
		return false;
	role = get_role_oid(privileged_role, true);
	return OidIsValid(role) && role == GetUserId() && !superuser_arg(role);
}

/* Whether a guarded statement is running. */
bool
is_guarded(void)
{
	return guarded > 0;
}

/* Passes the statement to the next hook, or to PostgreSQL. */
void
run_statement(Utility *call)
{
	ProcessUtility_hook_type next = previous_process_utility ? previous_process_utility : standard_ProcessUtility;

	next(call->planned, call->query, call->read_only_tree, call->context, call->params, call->environment, call->receiver,
		 call->completion);
}

/* Returns a copy of the statement that may be changed: the original may belong to a cached plan. */
Node *
writable_statement(Utility *call)
{
	call->planned = copyObject(call->planned);
	call->read_only_tree = false;
	return call->planned->utilityStmt;
}

typedef struct Identity
{
	Oid			user;
	int			context;
	int			guarded;
} Identity;

static void
begin(Identity *saved, RunAs identity)
{
	GetUserIdAndSecContext(&saved->user, &saved->context);
	saved->guarded = guarded;
	guarded++;
	if (identity == RUN_AS_SUPERUSER)
		SetUserIdAndSecContext(BOOTSTRAP_SUPERUSERID,
							   saved->context | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
	else
		SetUserIdAndSecContext(saved->user, saved->context | SECURITY_RESTRICTED_OPERATION);
}

static void
end(const Identity *saved)
{
	SetUserIdAndSecContext(saved->user, saved->context);
	guarded = saved->guarded;
}

/* Runs a statement under an identity, with a search_path (NULL: unchanged). Names in the statement must be qualified by the caller. */
void
run_guarded(Utility *call, RunAs identity, const char *search_path)
{
	Identity	saved;
	int			level = NewGUCNestLevel();

	if (search_path != NULL)
		(void) set_config_option("search_path", search_path, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	begin(&saved, identity);
	PG_TRY();
	{
		run_statement(call);
	}
	PG_FINALLY();
	{
		end(&saved);
	}
	PG_END_TRY();
	AtEOXact_GUC(true, level);
}

/* Calls a function of PostgreSQL as superuser. */
void
call_elevated(void (*function) (void *), void *argument)
{
	Identity	saved;

	begin(&saved, RUN_AS_SUPERUSER);
	PG_TRY();
	{
		function(argument);
	}
	PG_FINALLY();
	{
		end(&saved);
	}
	PG_END_TRY();
	CommandCounterIncrement();
}

/*
 * Writes the owner of an object into its catalog. PostgreSQL's own functions refuse owners of event triggers and foreign-data wrappers that
 * are no superusers, and extensions have no ALTER … OWNER.
 */
void
set_owner(Oid catalog, Oid index, AttrNumber owner_column, Oid object, Oid owner)
{
	Relation	relation = table_open(catalog, RowExclusiveLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	int			columns = RelationGetNumberOfAttributes(relation);
	Datum	   *values = palloc0(columns * sizeof(Datum));
	bool	   *nulls = palloc0(columns * sizeof(bool));
	bool	   *replaced = palloc0(columns * sizeof(bool));

	/* The object identifier is the first column of each of these catalogs. */
	ScanKeyInit(&key, 1, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(object));
	scan = systable_beginscan(relation, index, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "no entry of object %u in catalog %u", object, catalog);
	values[owner_column - 1] = ObjectIdGetDatum(owner);
	replaced[owner_column - 1] = true;
	tuple = heap_modify_tuple(tuple, RelationGetDescr(relation), values, nulls, replaced);
	CatalogTupleUpdate(relation, &tuple->t_self, tuple);
	systable_endscan(scan);
	changeDependencyOnOwner(catalog, object, owner);
	table_close(relation, RowExclusiveLock);
	CommandCounterIncrement();
}

Oid
function_owner(Oid function)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", function);
	owner = ((Form_pg_proc) GETSTRUCT(tuple))->proowner;
	ReleaseSysCache(tuple);
	return owner;
}

/* Returns a function's name with its schema, as a list for a parse tree. */
List *
qualified_function_name(Oid function)
{
	return list_make2(makeString(get_namespace_name(get_func_namespace(function))), makeString(get_func_name(function)));
}

/* Fails if a guarded statement is about to call, with a superuser's rights, a function that belongs to a role other than a superuser. */
void
refuse_function_of_user(Oid function)
{
	Oid			owner;

	if (guarded == 0 || !superuser_arg(GetUserId()))
		return;
	owner = function_owner(function);
	if (superuser_arg(owner))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("function %s.%s of role %s is not executed with the rights of a superuser",
					get_namespace_name(get_func_namespace(function)), get_func_name(function), GetUserNameFromId(owner, false)),
			 errhint("The statement runs as superuser. Move or rename the function, or name another schema.")));
}
