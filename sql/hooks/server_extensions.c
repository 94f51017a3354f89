/*
 * Protection of the extensions that belong to a superuser against every role that is no superuser.
 *
 * Functions of the platform that run as superuser call functions of these extensions by name (extensions.pgp_sym_decrypt). The schema may
 * belong to the privileged role, which could otherwise remove the extension with the schema (DROP SCHEMA … CASCADE, DROP OWNED), or rename
 * the schema, and create functions of the same name.
 */
#include "cloch_hooks.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_extension.h"
#include "utils/rel.h"
#pragma GCC diagnostic pop

static object_access_hook_type previous_object_access = NULL;

/* Returns the name of an extension that a superuser owns: the extension with the given name, or one in the given schema. NULL if there is no such
 * extension. */
static const char *
find_extension(Oid extension, Oid schema)
{
	Relation	relation = table_open(ExtensionRelationId, AccessShareLock);
	SysScanDesc scan = systable_beginscan(relation, InvalidOid, false, NULL, 0, NULL);
	const char *name = NULL;
	HeapTuple	tuple;

	while (name == NULL && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_extension entry = (Form_pg_extension) GETSTRUCT(tuple);

		if ((entry->oid == extension || entry->extnamespace == schema) && superuser_arg(entry->extowner))
			name = pstrdup(NameStr(entry->extname));
	}
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
	return name;
}

static void
refuse(const char *extension, const char *verb)
{
	if (extension != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("extension \"%s\" belongs to the server and cannot be %s", extension, verb)));
}

/* Called for each object that a statement removes, also by CASCADE. */
static void
on_access(ObjectAccessType access, Oid catalog, Oid object, int sub_object, void *argument)
{
	if (access == OAT_DROP && catalog == ExtensionRelationId && !superuser())
		refuse(find_extension(object, InvalidOid), "dropped");
	if (previous_object_access)
		previous_object_access(access, catalog, object, sub_object, argument);
}

/* Refuses to rename a schema that contains an extension of a superuser. */
void
check_server_extensions(Node *statement)
{
	RenameStmt *rename = (RenameStmt *) statement;

	if (IsA(statement, RenameStmt) && rename->renameType == OBJECT_SCHEMA)
	{
		Oid			schema = get_namespace_oid(rename->subname, true);

		if (OidIsValid(schema))
			refuse(find_extension(InvalidOid, schema), "moved by renaming its schema");
	}
}

void
install_object_hook(void)
{
	previous_object_access = object_access_hook;
	object_access_hook = on_access;
}
