/*
 * Objects of the platform's roles keep their owner.
 *
 * The privileged role is a member of supabase_auth_admin and other owners, so that it may create policies and triggers on their tables. With
 * this membership, PostgreSQL would also let it take or drop all of their objects. The servers behind these roles would then lose their
 * privileges: nobody could sign in after ALTER TABLE auth.users OWNER TO postgres. On Supabase, the role is no member, and PostgreSQL
 * refuses the statements.
 */
#include "cloch_hooks.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#pragma GCC diagnostic pop

/* Returns the owner of an object of one of four catalogs; InvalidOid if the object is missing. */
static Oid
owner_in(Oid catalog, Oid object)
{
	int			cache = catalog == RelationRelationId ? RELOID : catalog == ProcedureRelationId ? PROCOID :
		catalog == TypeRelationId ? TYPEOID : NAMESPACEOID;
	HeapTuple	tuple = OidIsValid(object) ? SearchSysCache1(cache, ObjectIdGetDatum(object)) : NULL;
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	if (cache == RELOID)
		owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	else if (cache == PROCOID)
		owner = ((Form_pg_proc) GETSTRUCT(tuple))->proowner;
	else if (cache == TYPEOID)
		owner = ((Form_pg_type) GETSTRUCT(tuple))->typowner;
	else
		owner = ((Form_pg_namespace) GETSTRUCT(tuple))->nspowner;
	ReleaseSysCache(tuple);
	return owner;
}

/* Returns the owner of the object of ALTER … OWNER TO; InvalidOid for kinds of objects of which the platform's roles own none. */
static Oid
owner_of(const AlterOwnerStmt *statement)
{
	Node	   *object = statement->object;
	Relation	relation = NULL;
	ObjectAddress address;

	switch (statement->objectType)
	{
		case OBJECT_TYPE:
		case OBJECT_DOMAIN:
			object = (Node *) makeTypeNameFromNameList(castNode(List, object));
			break;
		case OBJECT_FUNCTION:
		case OBJECT_PROCEDURE:
		case OBJECT_ROUTINE:
		case OBJECT_AGGREGATE:
		case OBJECT_SCHEMA:
			break;
		default:
			return InvalidOid;
	}
	address = get_object_address(statement->objectType, object, &relation, AccessShareLock, true);
	return owner_in(address.classId, address.objectId);
}

/* Whether the owner is a role of the platform, and another role shall own the object. */
static bool
is_taken(Oid owner, const RoleSpec *new_owner)
{
	return OidIsValid(owner) && owner != get_rolespec_oid(new_owner, true) && is_reserved_role(GetUserNameFromId(owner, false), true);
}

/* Returns the name of the object of ALTER … OWNER TO, for a message. */
static const char *
name_of(Node *object)
{
	if (IsA(object, ObjectWithArgs))
		return NameListToString(((ObjectWithArgs *) object)->objname);
	return IsA(object, List) ? NameListToString((List *) object) : strVal(object);
}

static void
check_table(const AlterTableStmt *statement)
{
	ListCell   *cell;

	foreach(cell, statement->cmds)
	{
		const AlterTableCmd *command = lfirst_node(AlterTableCmd, cell);
		Oid			table;

		if (command->subtype != AT_ChangeOwner)
			continue;
		table = RangeVarGetRelid(statement->relation, NoLock, true);
		if (is_taken(owner_in(RelationRelationId, table), command->newowner))
			aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(table)), get_rel_name(table));
	}
}

static void
check_roles(const List *roles, const char *verb)
{
	ListCell   *cell;

	foreach(cell, roles)
	{
		Oid			role = get_rolespec_oid(lfirst_node(RoleSpec, cell), true);

		if (OidIsValid(role) && is_reserved_role(GetUserNameFromId(role, false), true))
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("permission denied to %s objects", verb),
					 errdetail("Role \"%s\" is reserved.", GetUserNameFromId(role, false))));
	}
}

/* Refuses statements of roles that are no superusers which would take objects away from a role of the platform. */
void
check_ownership(Node *statement)
{
	switch (nodeTag(statement))
	{
		case T_AlterTableStmt:
			check_table((AlterTableStmt *) statement);
			break;
		case T_AlterOwnerStmt:
			if (is_taken(owner_of((AlterOwnerStmt *) statement), ((AlterOwnerStmt *) statement)->newowner))
				aclcheck_error(ACLCHECK_NOT_OWNER, ((AlterOwnerStmt *) statement)->objectType,
							   name_of(((AlterOwnerStmt *) statement)->object));
			break;
		case T_ReassignOwnedStmt:
			check_roles(((ReassignOwnedStmt *) statement)->roles, "reassign");
			break;
		case T_DropOwnedStmt:
			check_roles(((DropOwnedStmt *) statement)->roles, "drop");
			break;
		default:
			break;
	}
}
