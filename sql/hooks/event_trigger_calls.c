/*
 * Decides which calls of event trigger functions are executed.
 *
 * PostgreSQL calls the function of an event trigger with the rights of the role that runs the statement. A function of a superuser is always
 * called. Another function is called only if its owner has the rights of the session already: for the current user, the role of SET ROLE, the
 * session's user and its login, the owner is a member of that role, and the role is neither a superuser nor reserved. Otherwise, and during
 * guarded statements, an empty function is called instead. SECURITY DEFINER makes no difference: such a function could still change settings
 * of the session.
 *
 * The same hook stops calls of functions of users in guarded statements (refuse_function_of_user).
 */
#include "cloch_hooks.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/lsyscache.h"
#pragma GCC diagnostic pop

static needs_fmgr_hook_type previous_needs_hook = NULL;
static fmgr_hook_type previous_hook = NULL;

static bool
needs_hook(Oid function)
{
	bool		is_needed = previous_needs_hook && previous_needs_hook(function);

	if (get_func_rettype(function) == EVENT_TRIGGEROID)
		return true;
	refuse_function_of_user(function);
	return is_needed;
}

/* Whether code of `owner` may run in a session in which `role` takes part. */
static bool
may_run_as(Oid owner, Oid role)
{
	if (!OidIsValid(role) || superuser_arg(role))
		return false;
	return is_member_of_role_nosuper(owner, role) && !is_reserved_role(GetUserNameFromId(role, false), false);
}

static bool
is_skipped(Oid function)
{
	Oid			owner = function_owner(function);

	if (superuser_arg(owner))
		return false;
	/* The current user may already be the owner of a SECURITY DEFINER function, so the user who runs the statement is checked. */
	return is_guarded() || !may_run_as(owner, statement_user) || !may_run_as(owner, GetOuterUserId()) ||
		!may_run_as(owner, GetSessionUserId()) || !may_run_as(owner, GetAuthenticatedUserId());
}

static Datum
skipped(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	return (Datum) 0;
}

static void
on_call(FmgrHookEventType event, FmgrInfo *function, Datum *state)
{
	if (event == FHET_START && get_func_rettype(function->fn_oid) == EVENT_TRIGGEROID && is_skipped(function->fn_oid))
	{
		ereport(DEBUG1, (errmsg_internal("event trigger function %s is skipped", get_func_name(function->fn_oid))));
		function->fn_addr = skipped;
	}
	if (previous_hook)
		previous_hook(event, function, state);
}

void
install_function_hooks(void)
{
	previous_needs_hook = needs_fmgr_hook;
	needs_fmgr_hook = needs_hook;
	previous_hook = fmgr_hook;
	fmgr_hook = on_call;
}
