/*
 * Entry point of the library: installs the hooks and passes each utility statement to the file that decides about it.
 *
 * A superuser's statements are passed on unchanged, with two exceptions (handle_owner_by_superuser, skip_missing_index_method), so that
 * dumps can be restored.
 */
#include "cloch_hooks.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "access/xact.h"
#include "fmgr.h"
#pragma GCC diagnostic pop

/* The only symbols that the library exports (build.sh: -fvisibility=hidden). PostgreSQL 15 does not mark them itself. */
#pragma GCC visibility push(default)
#if PG_VERSION_NUM >= 180000
PG_MODULE_MAGIC_EXT(.name = "cloch_hooks", .version = "1");
#else
PG_MODULE_MAGIC;
#endif
extern void _PG_init(void);
#pragma GCC visibility pop

ProcessUtility_hook_type previous_process_utility = NULL;
Oid			statement_user = InvalidOid;

/* Whether the library decides about a kind of statement. All others are passed on after this test. */
static bool
is_concerned(NodeTag tag)
{
	switch (tag)
	{
		case T_CreateRoleStmt:
		case T_AlterRoleStmt:
		case T_AlterRoleSetStmt:
		case T_DropRoleStmt:
		case T_GrantRoleStmt:
		case T_RenameStmt:
		case T_VariableSetStmt:
		case T_AlterDatabaseSetStmt:
		case T_CreateExtensionStmt:
		case T_AlterExtensionStmt:
		case T_AlterObjectSchemaStmt:
		case T_CommentStmt:
		case T_CreatePublicationStmt:
		case T_AlterPublicationStmt:
		case T_CreateSchemaStmt:
		case T_CreateFdwStmt:
		case T_CreateEventTrigStmt:
		case T_AlterOwnerStmt:
		case T_CreateFunctionStmt:
		case T_AlterFunctionStmt:
		case T_ReassignOwnedStmt:
		case T_DropOwnedStmt:
			return true;
		default:
			return false;
	}
}

/* Runs the statement if it is one that the privileged role may execute with more rights. */
static bool
handle(Utility *call)
{
	return handle_role_attributes(call) || handle_parameter(call) || handle_extension(call) || handle_publication(call) ||
		handle_foreign_wrapper(call) || handle_event_trigger(call);
}

/* Decides about a statement in a transaction. */
static void
dispatch(Utility *call)
{
	Node	   *statement = call->planned->utilityStmt;

	if (superuser())
	{
		if (!handle_owner_by_superuser(call))
			run_statement(call);
		return;
	}
	check_reserved_roles(statement);
	check_event_trigger_function(statement);
	check_server_extensions(statement);
	check_ownership(statement);
	if (!is_privileged_user() || !handle(call))
		run_statement(call);
}

static void
process_utility(PlannedStmt *planned, const char *query, bool read_only_tree, ProcessUtilityContext context, ParamListInfo params,
				QueryEnvironment *environment, DestReceiver *receiver, QueryCompletion *completion)
{
	Utility		call = {planned, query, read_only_tree, context, params, environment, receiver, completion};
	Oid			outer_user = statement_user;

	if (IsTransactionState() && skip_missing_index_method(planned->utilityStmt))
		return;
	statement_user = GetUserId();
	PG_TRY();
	{
		if (is_concerned(nodeTag(planned->utilityStmt)) && IsTransactionState())
			dispatch(&call);
		else
			run_statement(&call);
	}
	PG_FINALLY();
	{
		statement_user = outer_user;
	}
	PG_END_TRY();
}

void
_PG_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		ereport(ERROR, (errmsg("cloch_hooks must be loaded by shared_preload_libraries")));
	define_settings();
	if (privileged_role == NULL || privileged_role[0] == '\0')
		return;
	previous_process_utility = ProcessUtility_hook;
	ProcessUtility_hook = process_utility;
	install_function_hooks();
	install_object_hook();
	install_ownership_hook();
}
