/*
 * Declarations shared by the files of the library cloch_hooks.
 *
 * The library lets one role that is no superuser (`cloch.privileged_role`, on Cloch the project's owner `postgres`) execute the utility
 * statements that Supabase allows its role `postgres`.
 */
#ifndef CLOCH_HOOKS_H
#define CLOCH_HOOKS_H

/* PostgreSQL's own headers do not compile without warnings under -Wextra. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#pragma GCC diagnostic pop

/* The arguments of ProcessUtility for one statement. */
typedef struct Utility
{
	PlannedStmt *planned;
	const char *query;
	bool		read_only_tree;
	ProcessUtilityContext context;
	ParamListInfo params;
	QueryEnvironment *environment;
	DestReceiver *receiver;
	QueryCompletion *completion;
} Utility;

/* Identity under which a guarded statement runs. */
typedef enum RunAs
{
	RUN_AS_USER,				/* the current user, for statements that PostgreSQL itself elevates */
	RUN_AS_SUPERUSER			/* the bootstrap superuser */
} RunAs;

/* Settings (settings.c). */
extern char *privileged_role;
extern char *privileged_extensions;
extern char *reserved_roles;
extern char *reserved_memberships;
extern char *allowed_parameters;
extern char *closed_schemas;
extern void define_settings(void);

/* Comma-separated lists of names (names.c). */
extern bool list_contains(const char *list, const char *name, bool *is_starred);
extern bool list_matches(const char *list, const char *name);

/* User that executes the current utility statement; InvalidOid outside of statements (cloch_hooks.c). */
extern Oid	statement_user;

/* Execution of statements (elevate.c). */
extern bool is_privileged_user(void);
extern bool is_guarded(void);
extern void run_statement(Utility *call);
extern Node *writable_statement(Utility *call);
extern void run_guarded(Utility *call, RunAs identity, const char *search_path);
extern void call_elevated(void (*function) (void *), void *argument);
extern void set_owner(Oid catalog, Oid index, AttrNumber owner_column, Oid object, Oid owner);
extern void refuse_function_of_user(Oid function);
extern Oid	function_owner(Oid function);
extern List *qualified_function_name(Oid function);

/* Roles (roles.c, role_attributes.c). */
extern bool is_reserved_role(const char *name, bool allows_configurable);
extern void check_reserved_roles(Node *statement);
extern bool handle_role_attributes(Utility *call);

/* Owners of the platform's objects (ownership.c). */
extern void check_ownership(Node *statement);
extern void install_ownership_hook(void);

/* Parameters (parameters.c). */
extern bool handle_parameter(Utility *call);

/* Extensions (extensions.c, extension_files.c). */
typedef struct ExtensionFiles
{
	bool		exists;			/* the server's folder has a control file */
	bool		is_allowed;		/* trusted, or listed in cloch.privileged_extensions */
	bool		is_trusted;		/* PostgreSQL itself runs the script as superuser */
	bool		is_stand_in;	/* Cloch's control file in place of an extension that the server lacks: its script is empty */
	bool		needs_superuser;
	char	   *schema;			/* the schema that the control file fixes, or NULL */
	List	   *created;		/* names of the extensions that CREATE … CASCADE creates */
	char	   *missing;		/* a required extension that CASCADE may not create, or NULL */
} ExtensionFiles;

extern ExtensionFiles read_extension_files(const char *name);
extern bool handle_extension(Utility *call);

/* Extensions of superusers (server_extensions.c). */
extern void check_server_extensions(Node *statement);
extern void install_object_hook(void);

/* Index methods of pgvector (missing_index_methods.c). */
extern bool skip_missing_index_method(Node *statement);

/* Publications (publications.c). */
extern bool handle_publication(Utility *call);

/* Foreign-data wrappers (foreign_wrappers.c). */
extern bool handle_foreign_wrapper(Utility *call);

/* Event triggers (event_triggers.c, event_trigger_calls.c). */
extern bool handle_event_trigger(Utility *call);
extern bool handle_owner_by_superuser(Utility *call);
extern void check_event_trigger_function(Node *statement);
extern void install_function_hooks(void);

#endif
