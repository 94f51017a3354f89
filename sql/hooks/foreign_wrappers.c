/*
 * CREATE FOREIGN DATA WRAPPER. The wrapper then belongs to the privileged role.
 *
 * A handler trusts its own validator: file_fdw_validator refuses programs and files to roles without rights, postgres_fdw_validator refuses
 * password_required = false. So a handler is accepted only with the validator of the same name from the same extension (stripe_fdw_handler,
 * stripe_fdw_validator), and only if the role may execute both functions.
 */
#include "cloch_hooks.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "catalog/dependency.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_foreign_data_wrapper.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "access/xact.h"
#include "foreign/foreign.h"
#include "nodes/makefuncs.h"
#include "parser/parse_func.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#pragma GCC diagnostic pop

static Oid
find_function(DefElem *option)
{
	static const Oid validator_arguments[] = {TEXTARRAYOID, OIDOID};
	bool		is_handler = strcmp(option->defname, "handler") == 0;
	Oid			function;
	AclResult	result;

	if (option->arg == NULL)
		return InvalidOid;
	function = LookupFuncName((List *) option->arg, is_handler ? 0 : 2, validator_arguments, false);
#if PG_VERSION_NUM >= 160000
	result = object_aclcheck(ProcedureRelationId, function, GetUserId(), ACL_EXECUTE);
#else
	result = pg_proc_aclcheck(function, GetUserId(), ACL_EXECUTE);
#endif
	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FUNCTION, get_func_name(function));
	if (!superuser_arg(function_owner(function)))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("function \"%s\" of a foreign-data wrapper must belong to a superuser", get_func_name(function))));
	/* The statement runs with another search_path, so the name must be qualified. */
	option->arg = (Node *) qualified_function_name(function);
	return function;
}

/* Returns the length of a function's name without a suffix; 0 if the name does not end with it. */
static size_t
stem(const char *name, const char *suffix)
{
	size_t		length = strlen(name);
	size_t		end = strlen(suffix);

	return length > end && strcmp(name + length - end, suffix) == 0 ? length - end : 0;
}

static void
check_pair(Oid handler, Oid validator)
{
	const char *one;
	const char *other;
	size_t		length;
	Oid			extension;

	if (!OidIsValid(handler))
		return;
	if (OidIsValid(validator))
	{
		one = get_func_name(handler);
		other = get_func_name(validator);
		length = stem(one, "_handler");
		extension = getExtensionOfObject(ProcedureRelationId, handler);
		if (length > 0 && length == stem(other, "_validator") && strncmp(one, other, length) == 0 && OidIsValid(extension) &&
			extension == getExtensionOfObject(ProcedureRelationId, validator) &&
			get_func_namespace(handler) == get_func_namespace(validator))
			return;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("handler \"%s\" requires the validator of the same name from the same extension", get_func_name(handler))));
}

bool
handle_foreign_wrapper(Utility *call)
{
	CreateFdwStmt *statement = (CreateFdwStmt *) call->planned->utilityStmt;
	Oid			user = GetUserId();
	Oid			handler = InvalidOid;
	Oid			validator = InvalidOid;
	ListCell   *cell;

	if (!IsA(statement, CreateFdwStmt))
		return false;
	statement = (CreateFdwStmt *) writable_statement(call);
	foreach(cell, statement->func_options)
	{
		DefElem    *option = lfirst_node(DefElem, cell);
		Oid			function = find_function(option);

		if (strcmp(option->defname, "handler") == 0)
			handler = function;
		else
			validator = function;
	}
	check_pair(handler, validator);
	run_guarded(call, RUN_AS_SUPERUSER, "pg_catalog, pg_temp");
	CommandCounterIncrement();
	set_owner(ForeignDataWrapperRelationId, ForeignDataWrapperOidIndexId, Anum_pg_foreign_data_wrapper_fdwowner,
			  get_foreign_data_wrapper_oid(statement->fdwname, false), user);
	return true;
}
