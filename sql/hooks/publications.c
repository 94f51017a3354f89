/*
 * CREATE PUBLICATION … FOR ALL TABLES, FOR TABLES IN SCHEMA, and ALTER PUBLICATION … ADD or SET TABLES IN SCHEMA.
 *
 * FOR ALL TABLES becomes FOR TABLES IN SCHEMA of all schemas except those of PostgreSQL and those in cloch.closed_schemas, so that a replica
 * does not receive Cloch's own tables. CREATE SCHEMA of the privileged role adds the new schema to its publications that contain all other
 * schemas. Named tables in the same statement must belong to the role, as PostgreSQL requires without schemas.
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
#include "catalog/namespace.h"
#include "catalog/pg_database.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_publication.h"
#include "catalog/pg_publication_namespace.h"
#include "commands/publicationcmds.h"
#include "nodes/makefuncs.h"
#include "parser/parse_node.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#pragma GCC diagnostic pop

/* Whether a publication of the privileged role may contain a schema. */
static bool
is_open(const char *name)
{
	return strncmp(name, "pg_", 3) != 0 && strcmp(name, "information_schema") != 0 && !list_contains(closed_schemas, name, NULL);
}

static AclResult
usage_of(Oid schema)
{
#if PG_VERSION_NUM >= 160000
	return object_aclcheck(NamespaceRelationId, schema, GetUserId(), ACL_USAGE);
#else
	return pg_namespace_aclcheck(schema, GetUserId(), ACL_USAGE);
#endif
}

static bool
owns_relation(Oid relation)
{
#if PG_VERSION_NUM >= 160000
	return object_ownercheck(RelationRelationId, relation, GetUserId());
#else
	return pg_class_ownercheck(relation, GetUserId());
#endif
}

static bool
owns_publication(Oid publication)
{
#if PG_VERSION_NUM >= 160000
	return object_ownercheck(PublicationRelationId, publication, GetUserId());
#else
	return pg_publication_ownercheck(publication, GetUserId());
#endif
}

static PublicationObjSpec *
schema_object(const char *name)
{
	PublicationObjSpec *object = makeNode(PublicationObjSpec);

	object->pubobjtype = PUBLICATIONOBJ_TABLES_IN_SCHEMA;
	object->name = pstrdup(name);
	object->location = -1;
	return object;
}

/* Returns the names of all schemas that a publication FOR ALL TABLES of the privileged role contains. */
static List *
open_schemas(void)
{
	Relation	relation = table_open(NamespaceRelationId, AccessShareLock);
	SysScanDesc scan = systable_beginscan(relation, InvalidOid, false, NULL, 0, NULL);
	List	   *names = NIL;
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_namespace schema = (Form_pg_namespace) GETSTRUCT(tuple);

		if (is_open(NameStr(schema->nspname)) && usage_of(schema->oid) == ACLCHECK_OK)
			names = lappend(names, pstrdup(NameStr(schema->nspname)));
	}
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
	return names;
}

static bool
contains_schemas(List *objects)
{
	ListCell   *cell;

	foreach(cell, objects)
	{
		if (lfirst_node(PublicationObjSpec, cell)->pubobjtype != PUBLICATIONOBJ_TABLE)
			return true;
	}
	return false;
}

/* Checks the objects of a statement as the current user, and qualifies their names. */
static void
resolve(List *objects)
{
	ListCell   *cell;

	foreach(cell, objects)
	{
		PublicationObjSpec *object = lfirst_node(PublicationObjSpec, cell);

		if (object->pubobjtype == PUBLICATIONOBJ_TABLE)
		{
			RangeVar   *name = object->pubtable->relation;
			Oid			relation = RangeVarGetRelid(name, AccessShareLock, false);

			if (!owns_relation(relation))
				aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, name->relname);
			name->schemaname = get_namespace_name(get_rel_namespace(relation));
			continue;
		}
		if (object->pubobjtype == PUBLICATIONOBJ_TABLES_IN_CUR_SCHEMA)
		{
			List	   *path = fetch_search_path(false);

			if (path == NIL)
				ereport(ERROR, (errcode(ERRCODE_UNDEFINED_SCHEMA), errmsg("no schema has been selected for CURRENT_SCHEMA")));
			object->name = get_namespace_name(linitial_oid(path));
			object->pubobjtype = PUBLICATIONOBJ_TABLES_IN_SCHEMA;
		}
		if (usage_of(get_namespace_oid(object->name, false)) != ACLCHECK_OK)
			aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_SCHEMA, object->name);
		if (!is_open(object->name))
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("schema \"%s\" is not published: it holds secrets of the server", object->name)));
	}
}

static bool
create(Utility *call)
{
	CreatePublicationStmt *statement = (CreatePublicationStmt *) call->planned->utilityStmt;
	Oid			user = GetUserId();

	if (!statement->for_all_tables && !contains_schemas(statement->pubobjects))
		return false;
#if PG_VERSION_NUM >= 160000
	if (object_aclcheck(DatabaseRelationId, MyDatabaseId, user, ACL_CREATE) != ACLCHECK_OK)
#else
	if (pg_database_aclcheck(MyDatabaseId, user, ACL_CREATE) != ACLCHECK_OK)
#endif
		return false;
	statement = (CreatePublicationStmt *) writable_statement(call);
	if (statement->for_all_tables)
	{
		ListCell   *cell;
		List	   *schemas = open_schemas();

		foreach(cell, schemas)
			statement->pubobjects = lappend(statement->pubobjects, schema_object(lfirst(cell)));
		statement->for_all_tables = false;
	}
	else
		resolve(statement->pubobjects);
	run_guarded(call, RUN_AS_SUPERUSER, "pg_catalog, pg_temp");
	CommandCounterIncrement();
	set_owner(PublicationRelationId, PublicationObjectIndexId, Anum_pg_publication_pubowner,
			  get_publication_oid(statement->pubname, false), user);
	return true;
}

static bool
alter(Utility *call)
{
	AlterPublicationStmt *statement = (AlterPublicationStmt *) call->planned->utilityStmt;
	Oid			publication;

	if (!contains_schemas(statement->pubobjects))
		return false;
	publication = get_publication_oid(statement->pubname, true);
	if (!OidIsValid(publication) || !owns_publication(publication))
		return false;
	statement = (AlterPublicationStmt *) writable_statement(call);
	resolve(statement->pubobjects);
	run_guarded(call, RUN_AS_SUPERUSER, "pg_catalog, pg_temp");
	return true;
}

/* Returns the names of the user's publications that contain all open schemas. */
static List *
complete_publications(List *schemas)
{
	Relation	relation = table_open(PublicationRelationId, AccessShareLock);
	SysScanDesc scan = systable_beginscan(relation, InvalidOid, false, NULL, 0, NULL);
	List	   *names = NIL;
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_publication publication = (Form_pg_publication) GETSTRUCT(tuple);
		bool		is_complete = publication->pubowner == GetUserId() && !publication->puballtables && schemas != NIL;
		ListCell   *cell;

		foreach(cell, schemas)
		{
			Oid			schema = get_namespace_oid(lfirst(cell), false);

			is_complete = is_complete && SearchSysCacheExists2(PUBLICATIONNAMESPACEMAP, ObjectIdGetDatum(schema),
															   ObjectIdGetDatum(publication->oid));
		}
		if (is_complete)
			names = lappend(names, pstrdup(NameStr(publication->pubname)));
	}
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
	return names;
}

static void
add_schemas(void *statement)
{
	AlterPublication(make_parsestate(NULL), (AlterPublicationStmt *) statement);
}

/* Runs CREATE SCHEMA, and adds the new schema to the publications that contain all others. */
static bool
create_schema(Utility *call)
{
	List	   *before = open_schemas();
	List	   *publications = complete_publications(before);
	List	   *added = NIL;
	ListCell   *cell;
	ListCell   *other;

	if (publications == NIL)
		return false;
	run_statement(call);
	CommandCounterIncrement();
	foreach(cell, open_schemas())
	{
		bool		is_new = true;

		foreach(other, before)
			is_new = is_new && strcmp(lfirst(cell), lfirst(other)) != 0;
		if (is_new)
			added = lappend(added, schema_object(lfirst(cell)));
	}
	if (added == NIL)
		return true;
	foreach(cell, publications)
	{
		AlterPublicationStmt *statement = makeNode(AlterPublicationStmt);

		statement->pubname = lfirst(cell);
		statement->pubobjects = copyObject(added);
		statement->action = AP_AddObjects;
		call_elevated(add_schemas, statement);
	}
	return true;
}

bool
handle_publication(Utility *call)
{
	switch (nodeTag(call->planned->utilityStmt))
	{
		case T_CreatePublicationStmt:
			return create(call);
		case T_AlterPublicationStmt:
			return alter(call);
		case T_CreateSchemaStmt:
			return create_schema(call);
		default:
			return false;
	}
}
