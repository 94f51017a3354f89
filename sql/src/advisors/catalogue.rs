//! Catalogue of all lints of the advisors (checks of a project's schema), ordered by severity. Names and severity levels are those of
//! Supabase's Management API.

use super::{Category, Level, Lint};

/// Builds a [`Lint`] whose SQL is `lints/common.sql` followed by `lints/<name>.sql`.
macro_rules! lint {
    ($name:literal, $level:ident, $category:ident, $title:literal, $description:literal, $remediation:literal) => {
        Lint {
            name: $name,
            title: $title,
            level: Level::$level,
            category: Category::$category,
            description: $description,
            remediation: $remediation,
            sql: concat!(include_str!("lints/common.sql"), include_str!(concat!("lints/", $name, ".sql"))),
        }
    };
}

/// All lints, ordered by severity.
pub const LINTS: [Lint; 28] = [
    lint!(
        "auth_users_exposed",
        Error,
        Security,
        "Accounts are exposed",
        "A view of auth.users in an exposed schema shows addresses and metadata of the project's accounts.",
        "Take the view away from the API's roles, or show a table of profiles instead."
    ),
    lint!(
        "policy_exists_rls_disabled",
        Error,
        Security,
        "Policies without row-level security",
        "A table has policies, and row-level security is off, so that none of them applies.",
        "Switch row-level security on."
    ),
    lint!(
        "security_definer_view",
        Error,
        Security,
        "View with its owner's rights",
        "A view in an exposed schema reads its tables as its owner, past the policies that apply to the caller.",
        "Let the view run with the rights of the caller (security_invoker)."
    ),
    lint!(
        "rls_disabled_in_public",
        Error,
        Security,
        "Row-level security is off",
        "A table in an exposed schema has no row-level security: whoever has the public key reads or changes all of it, as the grants allow.",
        "Switch row-level security on, and write a policy for each thing that callers shall do."
    ),
    lint!(
        "rls_references_user_metadata",
        Error,
        Security,
        "A policy believes what users write",
        "A policy decides by user_metadata, which each user changes with auth.updateUser().",
        "Decide by app_metadata, which only the project's servers write, or by a table."
    ),
    lint!(
        "insecure_queue_exposed_in_api",
        Error,
        Security,
        "A queue is open",
        "The tables of a message queue have no row-level security, and the API exposes the queue's functions.",
        "Switch row-level security on for the queue's tables."
    ),
    lint!(
        "fkey_to_auth_unique",
        Error,
        Security,
        "Foreign key to a unique constraint of auth",
        "A foreign key refers to columns of schema auth that are no primary key. The platform may change such a constraint.",
        "Refer to the primary key (auth.users.id)."
    ),
    lint!(
        "sensitive_columns_exposed",
        Error,
        Security,
        "Sensitive columns are exposed",
        "Columns whose names tell of passwords, keys or numbers of documents are readable over the API without row-level security.",
        "Switch row-level security on, or take the columns away from the API's roles."
    ),
    lint!(
        "auth_rls_initplan",
        Warn,
        Performance,
        "A policy calls a function for each row",
        "auth.uid(), auth.jwt() or current_setting() in a policy is called for each row, although its value is the same for all.",
        "Put the call into a subselect: (select auth.uid())."
    ),
    lint!(
        "multiple_permissive_policies",
        Warn,
        Performance,
        "Several permissive policies",
        "Several permissive policies of a table apply to the same role and command. Each row is tested with all of them.",
        "Make one policy of them, joined by or; where they differ in role or command, give each role and command one."
    ),
    lint!(
        "duplicate_index",
        Warn,
        Performance,
        "The same index twice",
        "Two indexes of a table are the same: both are written, one is used.",
        "Drop one of them."
    ),
    lint!(
        "function_search_path_mutable",
        Warn,
        Security,
        "Function without a search_path",
        "A function looks names up in the search_path of its caller, who may put a schema of their own in front.",
        "Fix the function's search_path."
    ),
    lint!(
        "extension_in_public",
        Warn,
        Security,
        "Extension in schema public",
        "The objects of an extension in schema public are part of the API.",
        "Move the extension into schema extensions."
    ),
    lint!(
        "extension_versions_outdated",
        Warn,
        Security,
        "Old version of an extension",
        "An extension has an older version than the server brings.",
        "Update the extension."
    ),
    lint!(
        "materialized_view_in_api",
        Warn,
        Security,
        "Materialized view in the API",
        "Callers of the API read a materialized view, to which policies cannot apply.",
        "Take it away from the API's roles, or move it into a schema that is not exposed."
    ),
    lint!(
        "foreign_table_in_api",
        Warn,
        Security,
        "Foreign table in the API",
        "Callers of the API use a foreign table, to which policies cannot apply.",
        "Take it away from the API's roles, or move it into a schema that is not exposed."
    ),
    lint!(
        "unsupported_reg_types",
        Warn,
        Security,
        "Type that stops pg_upgrade",
        "A column has a type that refers to the catalog by numbers, which pg_upgrade refuses.",
        "Store the name as text."
    ),
    lint!(
        "rls_policy_always_true",
        Warn,
        Security,
        "A policy that allows everything",
        "A permissive policy for writing is true for every row: row-level security is as good as off for that command.",
        "Write the condition under which a row may be written, or drop the policy."
    ),
    lint!(
        "public_bucket_allows_listing",
        Warn,
        Security,
        "A public bucket can be listed",
        "Files of a public bucket are read by their addresses without a policy; a policy for reading its objects lets strangers list them all.",
        "Drop the policy, or limit it to the files that the caller owns."
    ),
    lint!(
        "pg_graphql_anon_table_exposed",
        Warn,
        Security,
        "Table in GraphQL for anon",
        "pg_graphql describes each relation that role anon may read to everybody who asks for its schema.",
        "Take the privilege away from anon where visitors need it not."
    ),
    lint!(
        "pg_graphql_authenticated_table_exposed",
        Warn,
        Security,
        "Table in GraphQL for authenticated",
        "pg_graphql describes each relation that role authenticated may read to every account.",
        "Take the privilege away from authenticated where accounts need it not."
    ),
    lint!(
        "anon_security_definer_function_executable",
        Warn,
        Security,
        "Visitors may call a function with its owner's rights",
        "A security definer function in an exposed schema passes the policies of the tables it uses, and visitors may call it.",
        "Take the privilege away, or let the function run with the rights of the caller (security invoker). Otherwise it has to check its caller itself."
    ),
    lint!(
        "authenticated_security_definer_function_executable",
        Warn,
        Security,
        "Accounts may call a function with its owner's rights",
        "A security definer function in an exposed schema passes the policies of the tables it uses, and every account may call it.",
        "Take the privilege away, or let the function run with the rights of the caller (security invoker). Otherwise it has to check its caller itself."
    ),
    lint!(
        "unindexed_foreign_keys",
        Info,
        Performance,
        "Foreign key without an index",
        "Joins by a foreign key, and deletions of what it refers to, read the whole table where no index begins with its columns.",
        "Make an index on the columns of the foreign key."
    ),
    lint!(
        "no_primary_key",
        Info,
        Performance,
        "Table without a primary key",
        "Rows without a key cannot be addressed one by one, and updates of such a table cannot be replicated.",
        "Add a primary key."
    ),
    lint!(
        "unused_index",
        Info,
        Performance,
        "Index that is not used",
        "An index was never used although its table has a thousand rows or more and was read. Each write pays for it. Indexes that guard a key, or serve a foreign key, are not counted.",
        "Drop it, if the statistics are of a usual time."
    ),
    lint!(
        "rls_enabled_no_policy",
        Info,
        Security,
        "Row-level security without a policy",
        "Row-level security is on, callers have privileges, and no policy lets them see or write a row.",
        "Write a policy for what callers shall do; a policy that is false says that it is meant."
    ),
    lint!(
        "table_bloat",
        Info,
        Performance,
        "Table with much free space",
        "By the statistics a table needs less than a third of the disk it takes, and 16 MB less.",
        "Rewrite the table at a quiet hour: it is locked meanwhile. pg_repack does it without."
    ),
];
