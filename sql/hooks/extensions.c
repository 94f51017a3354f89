/*
 * CREATE, ALTER and COMMENT ON EXTENSION. DROP EXTENSION of the role's own extensions is left to PostgreSQL.
 *
 * An extension is created and updated if the server's own folder has its control file and if it is trusted there or in
 * cloch.privileged_extensions. A trusted one is left to PostgreSQL's own elevation, in a guarded statement. The extension belongs to the
 * privileged role in both cases. Only the default version is installed.
 *
 * Extensions of a superuser are updated and commented on, but neither moved nor dropped (server_extensions.c).
 */
#include "cloch_hooks.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "catalog/namespace.h"
#include "catalog/pg_database.h"
#include "catalog/pg_extension.h"
#include "commands/dbcommands.h"
#include "commands/defrem.h"
#include "commands/extension.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/xact.h"
#include "access/table.h"
#include "catalog/pg_namespace.h"
#pragma GCC diagnostic pop

/* Reads the owner and schema of an installed extension. Returns false if the extension is not installed. */
static bool
installed(const char *name, Oid *extension, Oid *owner, Oid *schema)
{
	Relation	relation;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		is_found;

	*extension = get_extension_oid(name, true);
	if (!OidIsValid(*extension))
		return false;
	relation = table_open(ExtensionRelationId, AccessShareLock);
	ScanKeyInit(&key, Anum_pg_extension_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(*extension));
	scan = systable_beginscan(relation, ExtensionOidIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	is_found = HeapTupleIsValid(tuple);
	if (is_found)
	{
		*owner = ((Form_pg_extension) GETSTRUCT(tuple))->extowner;
		*schema = ((Form_pg_extension) GETSTRUCT(tuple))->extnamespace;
	}
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
	return is_found;
}

/* Removes the version from a statement's options. Returns the other options. */
static List *
without_version(List *options, const char *extension)
{
	List	   *kept = NIL;
	ListCell   *cell;

	foreach(cell, options)
	{
		DefElem    *option = lfirst_node(DefElem, cell);

		if (strcmp(option->defname, "new_version") == 0)
			ereport(NOTICE,
					(errmsg("version \"%s\" of extension \"%s\" is ignored, the default version is used",
							defGetString(option), extension)));
		else
			kept = lappend(kept, option);
	}
	return kept;
}

static const char *
option_value(List *options, const char *name)
{
	ListCell   *cell;

	foreach(cell, options)
	{
		DefElem    *option = lfirst_node(DefElem, cell);

		if (strcmp(option->defname, name) == 0)
			return option->arg ? defGetString(option) : "true";
	}
	return NULL;
}

/* Fails if the current user may not create objects in a schema, or if it is a schema of PostgreSQL or Cloch. */
static void
check_target(const char *name)
{
	Oid			schema = get_namespace_oid(name, false);
	AclResult	result;

#if PG_VERSION_NUM >= 160000
	result = object_aclcheck(NamespaceRelationId, schema, GetUserId(), ACL_CREATE);
#else
	result = pg_namespace_aclcheck(schema, GetUserId(), ACL_CREATE);
#endif
	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_SCHEMA, name);
	if (strncmp(name, "pg_", 3) == 0 || strcmp(name, "information_schema") == 0 || list_contains(closed_schemas, name, NULL))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("extensions are not created in schema \"%s\"", name)));
}

/* Returns the first schema of the current search_path, in which CREATE EXTENSION without SCHEMA creates. */
static const char *
creation_schema(void)
{
	List	   *path = fetch_search_path(false);

	if (path == NIL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_SCHEMA), errmsg("no schema has been selected to create in")));
	return get_namespace_name(linitial_oid(path));
}

/* Supabase's projects write "create extension pg_cron with schema pg_catalog". All objects of pg_cron are in schema cron. */
static bool
is_pg_cron_in_catalog(const char *extension, const char *schema)
{
	return strcmp(extension, "pg_cron") == 0 && strcmp(schema, "pg_catalog") == 0;
}

static bool
create(Utility *call)
{
	CreateExtensionStmt *statement = (CreateExtensionStmt *) call->planned->utilityStmt;
	ExtensionFiles files;
	const char *schema;
	ListCell   *cell;
	Oid			user = GetUserId();

	if (OidIsValid(get_extension_oid(statement->extname, true)))
		return false;
	files = read_extension_files(statement->extname);
	if (!files.is_allowed)
		return false;
	statement = (CreateExtensionStmt *) writable_statement(call);
	statement->options = without_version(statement->options, statement->extname);
	if (files.missing != NULL && option_value(statement->options, "cascade") != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("extension \"%s\", which \"%s\" requires, is not one that role \"%s\" may create",
						files.missing, statement->extname, privileged_role)));
	/* The script of a stand-in is empty. Its objects exist already, in the schema that projects name. */
	if (!files.needs_superuser || files.is_stand_in)
	{
		run_statement(call);
		return true;
	}
	schema = option_value(statement->options, "schema");
	if (schema == NULL)
		schema = files.schema;
	if (schema == NULL)
	{
		schema = creation_schema();
		statement->options = lappend(statement->options, makeDefElem("schema", (Node *) makeString(pstrdup(schema)), -1));
	}
	/* PostgreSQL itself checks this when it elevates a statement. */
#if PG_VERSION_NUM >= 160000
	if (object_aclcheck(DatabaseRelationId, MyDatabaseId, user, ACL_CREATE) != ACLCHECK_OK)
#else
	if (pg_database_aclcheck(MyDatabaseId, user, ACL_CREATE) != ACLCHECK_OK)
#endif
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_DATABASE, get_database_name(MyDatabaseId));
	/* A schema that the control file names is created with the extension, or exists as the server's package expects it. */
	if ((files.schema == NULL || strcmp(files.schema, schema) != 0) && !is_pg_cron_in_catalog(statement->extname, schema))
		check_target(schema);
	run_guarded(call, files.is_trusted ? RUN_AS_USER : RUN_AS_SUPERUSER, "pg_catalog, pg_temp");
	if (files.is_trusted)
		return true;
	CommandCounterIncrement();
	foreach(cell, files.created)
	{
		Oid			extension = get_extension_oid(lfirst(cell), true);

		if (OidIsValid(extension))
			set_owner(ExtensionRelationId, ExtensionOidIndexId, Anum_pg_extension_extowner, extension, user);
	}
	return true;
}

/* ALTER EXTENSION … UPDATE. */
static bool
update(Utility *call)
{
	AlterExtensionStmt *statement = (AlterExtensionStmt *) call->planned->utilityStmt;
	ExtensionFiles files;
	Oid			extension;
	Oid			owner;
	Oid			schema;

	if (!installed(statement->extname, &extension, &owner, &schema) || !(owner == GetUserId() || superuser_arg(owner)))
		return false;
	files = read_extension_files(statement->extname);
	if (!files.is_allowed)
		return false;
	statement = (AlterExtensionStmt *) writable_statement(call);
	statement->options = without_version(statement->options, statement->extname);
	if (!files.needs_superuser)
		run_statement(call);
	else
		run_guarded(call, owner == GetUserId() && files.is_trusted ? RUN_AS_USER : RUN_AS_SUPERUSER, "pg_catalog, pg_temp");
	return true;
}

/* ALTER EXTENSION … SET SCHEMA: PostgreSQL requires ownership of each object, and those of a trusted extension belong to the superuser. */
static bool
set_schema(Utility *call)
{
	AlterObjectSchemaStmt *statement = (AlterObjectSchemaStmt *) call->planned->utilityStmt;
	const char *name;
	Oid			extension;
	Oid			owner;
	Oid			schema;

	if (statement->objectType != OBJECT_EXTENSION)
		return false;
	name = strVal(statement->object);
	if (!installed(name, &extension, &owner, &schema))
		return false;
	if (superuser_arg(owner))
	{
		/* If the extension is in this schema already, nothing needs to be done. */
		if (get_namespace_oid(statement->newschema, true) == schema)
			return true;
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("extension \"%s\" belongs to the server and cannot be moved", name)));
	}
	if (owner != GetUserId() || !read_extension_files(name).is_allowed)
		return false;
	check_target(statement->newschema);
	run_guarded(call, RUN_AS_SUPERUSER, "pg_catalog, pg_temp");
	return true;
}

static bool
comment(Utility *call)
{
	CommentStmt *statement = (CommentStmt *) call->planned->utilityStmt;
	Oid			extension;
	Oid			owner;
	Oid			schema;

	if (statement->objtype != OBJECT_EXTENSION ||
		!installed(strVal(statement->object), &extension, &owner, &schema) || !superuser_arg(owner))
		return false;
	run_guarded(call, RUN_AS_SUPERUSER, "pg_catalog, pg_temp");
	return true;
}

bool
handle_extension(Utility *call)
{
	switch (nodeTag(call->planned->utilityStmt))
	{
		case T_CreateExtensionStmt:
			return create(call);
		case T_AlterExtensionStmt:
			return update(call);
		case T_AlterObjectSchemaStmt:
			return set_schema(call);
		case T_CommentStmt:
			return comment(call);
		default:
			return false;
	}
}
