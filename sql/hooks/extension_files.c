/*
 * Reads the control files of the server's own folder. Only an extension with a control file in this folder is created with a superuser's
 * rights: libraries such as pg_tle offer extensions whose scripts are written by users.
 */
#include "cloch_hooks.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#pragma GCC diagnostic pop

/* $1: the name, $2: its schema in the list of rows that pg_available_extension_versions returns for the default version. */
static const char *const FILES =
	"select v.superuser, v.trusted, v.schema::pg_catalog.text, v.version operator(pg_catalog.=) 'stand-in'"
	"  from pg_catalog.pg_available_extensions() as e"
	"  join pg_catalog.pg_available_extension_versions() as v"
	"    on v.name operator(pg_catalog.=) e.name and v.version operator(pg_catalog.=) e.default_version"
	" where e.name operator(pg_catalog.=) $1::pg_catalog.name";

/* Names of the extensions that an extension requires directly or indirectly, and that are not installed, with the rights that they need. */
static const char *const REQUIRED =
	"with recursive needed(name) as ("
	"  select $1::pg_catalog.name union"
	"  select r.name from needed as n"
	"    join pg_catalog.pg_available_extensions() as e on e.name operator(pg_catalog.=) n.name"
	"    join pg_catalog.pg_available_extension_versions() as v"
	"      on v.name operator(pg_catalog.=) e.name and v.version operator(pg_catalog.=) e.default_version,"
	"    pg_catalog.unnest(v.requires) as r(name)"
	")"
	"select n.name::pg_catalog.text, v.superuser, v.trusted from needed as n"
	"  left join (pg_catalog.pg_available_extensions() as e"
	"    join pg_catalog.pg_available_extension_versions() as v"
	"      on v.name operator(pg_catalog.=) e.name and v.version operator(pg_catalog.=) e.default_version)"
	"    on e.name operator(pg_catalog.=) n.name"
	" where not exists (select from pg_catalog.pg_extension as x where x.extname operator(pg_catalog.=) n.name)";

static bool
boolean_of(int row, int column)
{
	bool		is_null;
	Datum		value = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, &is_null);

	return !is_null && DatumGetBool(value);
}

static void
query(const char *text, const char *name)
{
	Oid			types[] = {NAMEOID};
	Datum		values[] = {DirectFunctionCall1(namein, CStringGetDatum(name))};

	if (SPI_execute_with_args(text, 1, types, values, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "reading the folder of extensions failed");
}

/* Returns the properties of an extension according to the control file in the server's folder. */
ExtensionFiles
read_extension_files(const char *name)
{
	ExtensionFiles files = {0};
	MemoryContext outer = CurrentMemoryContext;

	if (strlen(name) >= NAMEDATALEN)
		return files;
	PushActiveSnapshot(GetTransactionSnapshot());
	SPI_connect();
	query(FILES, name);
	if (SPI_processed == 1)
	{
		char	   *schema = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 3);

		files.exists = true;
		files.needs_superuser = boolean_of(0, 1);
		files.is_trusted = boolean_of(0, 2);
		files.is_stand_in = boolean_of(0, 4);
		files.schema = schema ? MemoryContextStrdup(outer, schema) : NULL;
		files.is_allowed = files.is_trusted || list_contains(privileged_extensions, name, NULL);
	}
	if (files.is_allowed)
	{
		query(REQUIRED, name);
		for (uint64 row = 0; row < SPI_processed; row++)
		{
			char	   *required = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 1);
			bool		is_null;
			MemoryContext inner = MemoryContextSwitchTo(outer);

			files.created = lappend(files.created, pstrdup(required));
			MemoryContextSwitchTo(inner);
			bool		needs_superuser;

			needs_superuser = boolean_of((int) row, 2);
			(void) SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 2, &is_null);
			if (is_null || (needs_superuser && !boolean_of((int) row, 3) && !list_contains(privileged_extensions, required, NULL)))
				files.missing = MemoryContextStrdup(outer, required);
		}
	}
	SPI_finish();
	PopActiveSnapshot();
	return files;
}
