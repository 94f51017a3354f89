/*
 * Reserved roles and memberships. These checks hold for every role that is no superuser, because PostgreSQL 15 lets any role with CREATEROLE
 * change all roles but superusers.
 *
 * A reserved role cannot be created, altered, renamed or dropped, and receives no membership. The privileged role may configure some of them
 * (ALTER ROLE … SET) and grant roles to them. A reserved membership cannot be granted in any form: GRANT, IN ROLE, or ALTER GROUP … ADD USER.
 */
#include "cloch_hooks.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "commands/defrem.h"
#include "utils/builtins.h"
#pragma GCC diagnostic pop

/* Whether a role is reserved. With `allows_configurable`, roles that may be configured do not count. */
bool
is_reserved_role(const char *name, bool allows_configurable)
{
	bool		is_configurable = false;

	return list_contains(reserved_roles, name, &is_configurable) && !(is_configurable && allows_configurable);
}

static void
refuse_reserved(const char *name, bool allows_configurable)
{
	if (is_reserved_role(name, allows_configurable))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("role \"%s\" is reserved: only superusers change it", name)));
}

static void
refuse_membership(const char *name)
{
	if (list_contains(reserved_memberships, name, NULL))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("membership in role \"%s\" is reserved: only superusers grant it", name)));
}

/* Returns the name of a role in a statement; NULL for PUBLIC and for ALTER ROLE ALL. */
static const char *
name_of(const RoleSpec *role)
{
	if (role == NULL || role->roletype == ROLESPEC_PUBLIC)
		return NULL;
	/* A named role may be missing: DROP ROLE IF EXISTS. */
	return role->roletype == ROLESPEC_CSTRING ? role->rolename : get_rolespec_name(role);
}

static void
check_names(List *roles, bool allows_configurable)
{
	ListCell   *cell;

	foreach(cell, roles)
	{
		const char *name = name_of(lfirst_node(RoleSpec, cell));

		if (name != NULL)
			refuse_reserved(name, allows_configurable);
	}
}

/* Checks the memberships that CREATE ROLE and ALTER GROUP grant. `role` is the created or altered role. */
static void
check_member_options(const char *role, List *options)
{
	ListCell   *cell;
	ListCell   *member;

	foreach(cell, options)
	{
		DefElem    *option = lfirst_node(DefElem, cell);

		if (strcmp(option->defname, "addroleto") == 0)
		{
			foreach(member, (List *) option->arg)
			{
				const char *name = name_of(lfirst_node(RoleSpec, member));

				if (name != NULL)
					refuse_membership(name);
			}
		}
		else if (strcmp(option->defname, "rolemembers") == 0 || strcmp(option->defname, "adminmembers") == 0)
		{
			refuse_membership(role);
			check_names((List *) option->arg, is_privileged_user());
		}
	}
}

static void
check_grant(const GrantRoleStmt *statement)
{
	ListCell   *cell;

	if (statement->is_grant)
	{
		foreach(cell, statement->granted_roles)
			refuse_membership(lfirst_node(AccessPriv, cell)->priv_name);
	}
	check_names(statement->grantee_roles, is_privileged_user());
}

static void
check_alter_role(const AlterRoleStmt *statement)
{
	const char *name = name_of(statement->role);

	if (name == NULL)
		return;
	refuse_reserved(name, false);
	check_member_options(name, statement->options);
}

/* The privileged role itself: its password and attributes belong to Cloch, which logs in as this role. */
static void
check_privileged_role(const RoleSpec *role)
{
	const char *name = name_of(role);

	if (name != NULL && strcmp(name, privileged_role) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("only superusers alter role \"%s\"", name),
				 errhint("ALTER ROLE … SET and RESET are allowed.")));
}

void
check_reserved_roles(Node *statement)
{
	switch (nodeTag(statement))
	{
		case T_CreateRoleStmt:
			refuse_reserved(((CreateRoleStmt *) statement)->role, false);
			check_member_options(((CreateRoleStmt *) statement)->role, ((CreateRoleStmt *) statement)->options);
			break;
		case T_AlterRoleStmt:
			check_privileged_role(((AlterRoleStmt *) statement)->role);
			check_alter_role((AlterRoleStmt *) statement);
			break;
		case T_AlterRoleSetStmt:
			{
				const char *name = name_of(((AlterRoleSetStmt *) statement)->role);

				if (name != NULL)
					refuse_reserved(name, is_privileged_user());
				break;
			}
		case T_DropRoleStmt:
			check_names(((DropRoleStmt *) statement)->roles, false);
			break;
		case T_GrantRoleStmt:
			check_grant((GrantRoleStmt *) statement);
			break;
		case T_RenameStmt:
			if (((RenameStmt *) statement)->renameType == OBJECT_ROLE)
			{
				refuse_reserved(((RenameStmt *) statement)->subname, false);
				refuse_reserved(((RenameStmt *) statement)->newname, false);
			}
			break;
		default:
			break;
	}
}
