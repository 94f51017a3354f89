/*
 * Statements about the index methods of pgvector on a server without pgvector.
 *
 * Only C code can define an index method, so the stand-in for pgvector (SQL that Cloch uses instead) has none. Its searches are exact and
 * need no index. CREATE INDEX … USING hnsw or ivfflat is skipped with a warning, also inside of functions and DO blocks, and so are
 * statements that drop operator classes and families of these methods.
 */
#include "cloch_hooks.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#pragma GCC diagnostic pop

/* Whether a function is PostgreSQL's own text input function under another name, as in the types of the stand-in. */
static bool
reads_text(Oid function)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	bool		is_internal;
	bool		is_null;
	Datum		source;
	bool		result = false;

	if (!HeapTupleIsValid(tuple))
		return false;
	is_internal = ((Form_pg_proc) GETSTRUCT(tuple))->prolang == INTERNALlanguageId;
	source = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &is_null);
	if (is_internal && !is_null)
		result = strcmp(TextDatumGetCString(source), "textin") == 0;
	ReleaseSysCache(tuple);
	return result;
}

/* Whether the database has the stand-in: a type `vector` over PostgreSQL's text functions, in any schema. */
static bool
has_stand_in(void)
{
	Relation	relation = table_open(TypeRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		result = false;

	ScanKeyInit(&key, Anum_pg_type_typname, BTEqualStrategyNumber, F_NAMEEQ, CStringGetDatum("vector"));
	scan = systable_beginscan(relation, TypeNameNspIndexId, true, NULL, 1, &key);
	while (!result && HeapTupleIsValid(tuple = systable_getnext(scan)))
		result = reads_text(((Form_pg_type) GETSTRUCT(tuple))->typinput);
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
	return result;
}

/* Returns the index method that a statement needs; NULL for other statements. */
static const char *
index_method(Node *statement)
{
	if (IsA(statement, IndexStmt))
		return ((IndexStmt *) statement)->accessMethod;
	if (IsA(statement, DropStmt))
	{
		DropStmt   *drop = (DropStmt *) statement;

		/* The name of an operator class or family is a list that begins with the index method. */
		if (drop->removeType == OBJECT_OPCLASS || drop->removeType == OBJECT_OPFAMILY)
			return strVal(linitial(linitial_node(List, drop->objects)));
	}
	return NULL;
}

/* Skips a statement that needs an index method of pgvector, if the database has the stand-in. */
bool
skip_missing_index_method(Node *statement)
{
	const char *method = index_method(statement);

	if (method == NULL || (strcmp(method, "hnsw") != 0 && strcmp(method, "ivfflat") != 0) ||
		OidIsValid(get_index_am_oid(method, true)) || !has_stand_in())
		return false;
	if (IsA(statement, IndexStmt))
		ereport(WARNING,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("index on table \"%s\" skipped: access method \"%s\" needs pgvector, which is not installed on this server",
						((IndexStmt *) statement)->relation->relname, method),
				 errdetail("Searches compute the distances of all rows."),
				 errhint("Install pgvector on the server, start Cloch again, and create the index.")));
	else
		ereport(WARNING,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("drop of an operator class skipped: access method \"%s\" needs pgvector, which is not installed on this server",
						method)));
	return true;
}
