/*
 * Objects of the platform's roles keep their owner, their schema and their name, and are not dropped.
 *
 * The privileged role is a member of supabase_auth_admin and other owners, so that it may create policies and triggers on their tables. With
 * this membership, PostgreSQL would also let it take, rename, move or drop all of their objects. The servers behind these roles would then
 * miss them: nobody could sign in after ALTER TABLE auth.users OWNER TO postgres. On Supabase, the role is no member, and PostgreSQL refuses
 * the statements.
 *
 * The decision is made when PostgreSQL changes the catalog, by the identifier of the object. A name in a statement could mean another
 * object when the statement runs, and CASCADE reaches objects that no statement names.
 */
#include "cloch_hooks.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/objectaccess.h"
#include "catalog/objectaddress.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#pragma GCC diagnostic pop

static object_access_hook_type previous_object_access = NULL;

/* Properties of an object that the library protects. For kinds of objects without a schema, the schema is InvalidOid. */
typedef struct Entry
{
	Oid			owner;
	Oid			schema;
	NameData	name;
} Entry;

/* A row of a catalog. */
typedef struct Row
{
	Datum		values[MaxTupleAttributeNumber];
	bool		nulls[MaxTupleAttributeNumber];
} Row;

static Oid
oid_of(const Row *row, AttrNumber column)
{
	return column == InvalidAttrNumber || row->nulls[column - 1] ? InvalidOid : DatumGetObjectId(row->values[column - 1]);
}

/*
 * Reads the entry of an object in its catalog. Returns false if the snapshot does not show it. With NULL as snapshot, it reads the state
 * before the running command; with SnapshotSelf, the state that the command has written.
 *
 * The inline function heap_getattr is not used: in headers of some minor versions it calls a function that earlier ones do not export.
 */
static bool
read_entry(Oid catalog, Oid object, Snapshot snapshot, Entry *entry)
{
	Relation	relation = table_open(catalog, AccessShareLock);
	AttrNumber	name = get_object_attnum_name(catalog);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		is_found;

	memset(entry, 0, sizeof(*entry));
	ScanKeyInit(&key, get_object_attnum_oid(catalog), BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(object));
	scan = systable_beginscan(relation, get_object_oid_index(catalog), true, snapshot, 1, &key);
	tuple = systable_getnext(scan);
	is_found = HeapTupleIsValid(tuple);
	if (is_found)
	{
		Row		   *row = palloc(sizeof(Row));

		heap_deform_tuple(tuple, RelationGetDescr(relation), row->values, row->nulls);
		entry->owner = oid_of(row, get_object_attnum_owner(catalog));
		entry->schema = oid_of(row, get_object_attnum_namespace(catalog));
		if (name != InvalidAttrNumber && !row->nulls[name - 1])
			entry->name = *DatumGetName(row->values[name - 1]);
		pfree(row);
	}
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
	return is_found;
}

/*
 * Whether the library protects a kind of object. Indexes and TOAST tables are parts of their table, which may be changed. Row types and array
 * types are created and dropped together with their table or element type, so only the table or element type is checked.
 */
static bool
is_protected_kind(Oid catalog, Oid object)
{
	char		kind;

	if (!is_objectclass_supported(catalog) || get_object_attnum_owner(catalog) == InvalidAttrNumber)
		return false;
	if (catalog == TypeRelationId)
		return !OidIsValid(get_element_type(object)) && !OidIsValid(get_typ_typrelid(object));
	if (catalog != RelationRelationId)
		return true;
	kind = get_rel_relkind(object);
	return kind != RELKIND_INDEX && kind != RELKIND_PARTITIONED_INDEX && kind != RELKIND_TOASTVALUE;
}

/* Whether a role is one of the platform's. Superusers are not: PostgreSQL itself protects their objects. */
static bool
is_platform_role(Oid role)
{
	const char *name = OidIsValid(role) ? GetUserNameFromId(role, true) : NULL;

	return name != NULL && is_reserved_role(name, true) && !superuser_arg(role);
}

/*
 * Whether the session may change the objects of a role of the platform: as superuser, or if it has logged in as this role. A current user
 * alone is not enough, because the privileged role becomes the owner with SET ROLE, or by a function with SECURITY DEFINER.
 */
static bool
is_session_of(Oid owner)
{
	return superuser() || superuser_arg(GetSessionUserId()) || (owner == GetUserId() && owner == GetSessionUserId());
}

static Oid
schema_owner(Oid schema)
{
	HeapTuple	tuple = OidIsValid(schema) ? SearchSysCache1(NAMESPACEOID, ObjectIdGetDatum(schema)) : NULL;
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	owner = ((Form_pg_namespace) GETSTRUCT(tuple))->nspowner;
	ReleaseSysCache(tuple);
	return owner;
}

/* Whether a table is a partition of realtime.messages: a function of the platform drops old partitions in sessions of another login. */
static bool
is_partition_of_messages(Oid catalog, Oid object)
{
	Oid			messages;

	if (catalog != RelationRelationId || !get_rel_relispartition(object))
		return false;
	messages = get_relname_relid("messages", get_namespace_oid("realtime", true));
	return OidIsValid(messages) && get_partition_parent(object, true) == messages;
}

static void
refuse(Oid catalog, Oid object, const Entry *entry)
{
	aclcheck_error(ACLCHECK_NOT_OWNER, get_object_type(catalog, object), NameStr(entry->name));
}

/*
 * Called for each object that a statement removes, also by CASCADE. The owner of a schema may drop all objects in it, as PostgreSQL decides.
 * A column is an object of its table, and may be dropped as any other part of the table's definition.
 */
static void
check_drop(Oid catalog, Oid object, int column, const ObjectAccessDrop *drop)
{
	Entry		entry;

	/* Deletions by PostgreSQL itself, such as the old file of a table when the type of a column changes. */
	if (column != 0 || (drop->dropflags & PERFORM_DELETION_INTERNAL) != 0 || !is_protected_kind(catalog, object))
		return;
	if (!read_entry(catalog, object, NULL, &entry) || !is_platform_role(entry.owner) || is_session_of(entry.owner))
		return;
	if (OidIsValid(entry.schema) && !is_platform_role(schema_owner(entry.schema)) && !superuser_arg(schema_owner(entry.schema)))
		return;
	if (!is_partition_of_messages(catalog, object))
		refuse(catalog, object, &entry);
}

/* Called after PostgreSQL has written the new entry of an object, which later commands see. */
static void
check_alter(Oid catalog, Oid object, int column, const ObjectAccessPostAlter *alter)
{
	Entry		before;
	Entry		after;

	if (column != 0 || alter->is_internal || !is_protected_kind(catalog, object))
		return;
	if (!read_entry(catalog, object, NULL, &before) || !is_platform_role(before.owner) || is_session_of(before.owner))
		return;
	if (!read_entry(catalog, object, SnapshotSelf, &after) || memcmp(&before, &after, sizeof(before)) != 0)
		refuse(catalog, object, &before);
}

static void
on_access(ObjectAccessType access, Oid catalog, Oid object, int sub_object, void *argument)
{
	if (access == OAT_DROP && !superuser())
		check_drop(catalog, object, sub_object, argument);
	else if (access == OAT_POST_ALTER && !superuser())
		check_alter(catalog, object, sub_object, argument);
	if (previous_object_access)
		previous_object_access(access, catalog, object, sub_object, argument);
}

void
install_ownership_hook(void)
{
	previous_object_access = object_access_hook;
	object_access_hook = on_access;
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

/*
 * Refuses DROP OWNED and REASSIGN OWNED of a role of the platform with a message about the role, and before DROP OWNED revokes the
 * privileges of that role. The name of a reserved role always means the same role: it cannot be renamed.
 */
void
check_ownership(Node *statement)
{
	if (IsA(statement, ReassignOwnedStmt))
		check_roles(((ReassignOwnedStmt *) statement)->roles, "reassign");
	else if (IsA(statement, DropOwnedStmt))
		check_roles(((DropOwnedStmt *) statement)->roles, "drop");
}
