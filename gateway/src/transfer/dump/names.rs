//! Lists of the roles, schemas and tables that belong to the platform and not to a project: Supabase or Cloch creates them in every project.
//! The lists are those of the Supabase CLI (`db dump`), extended by Cloch's own names.

/// Schemas that the platform creates, with all their objects. A dump of a project's schema does not contain them.
pub(crate) const INTERNAL_SCHEMAS: [&str; 35] = [
    "_analytics",
    "_realtime",
    "_supavisor",
    "auth",
    "cloch",
    "cron",
    "dbdev",
    "etl",
    "extensions",
    "graphql",
    "graphql_public",
    "information_schema",
    "net",
    "pg_catalog",
    "pgbouncer",
    "pgmq",
    "pgmq_public",
    "pgsodium",
    "pgsodium_masks",
    "pgtle",
    "pg_toast",
    "realtime",
    "repack",
    "storage",
    "supabase_functions",
    "supabase_migrations",
    "tiger",
    "tiger_data",
    "timescaledb_experimental",
    "timescaledb_information",
    "topology",
    "vault",
    "_timescaledb_internal",
    "_timescaledb_catalog",
    "_timescaledb_config",
];

/// Schemas that the platform creates but whose rows belong to the project.
pub(crate) const SCHEMAS_WITH_PROJECT_DATA: [&str; 2] = ["auth", "storage"];

/// Table of Cloch's own schema whose rows belong to the project: the vectors of vector buckets.
pub(crate) const VECTORS_TABLE: &str = "cloch.vectors";

/// Tables that a dump does not contain: tables that only the platform uses, tables that are derived from other tables, and tables of
/// unfinished uploads.
pub(crate) const PLATFORM_TABLES: [&str; 9] = [
    "auth.schema_migrations",
    "auth.instances",
    "storage.migrations",
    "storage.prefixes",
    "storage.s3_multipart_uploads",
    "storage.s3_multipart_uploads_parts",
    "storage.iceberg_namespaces",
    "storage.iceberg_tables",
    "supabase_functions.migrations",
];

/// Tables of users' sessions and unfinished sign-ins. Exports and imports contain their rows only with the option `--sessions`.
pub(crate) const SESSION_TABLES: [&str; 9] = [
    "auth.sessions",
    "auth.refresh_tokens",
    "auth.mfa_amr_claims",
    "auth.mfa_challenges",
    "auth.flow_state",
    "auth.saml_relay_states",
    "auth.oauth_authorizations",
    "auth.oauth_client_states",
    "auth.webauthn_challenges",
];

/// Roles that Supabase's database image or Cloch creates.
const RESERVED_ROLES: [&str; 26] = [
    "anon",
    "authenticated",
    "authenticator",
    "cloch_operators",
    "cloch_owner",
    "cloch_server",
    "cli_login_postgres",
    "dashboard_user",
    "pgbouncer",
    "postgres",
    "public",
    "service_role",
    "supabase_admin",
    "supabase_auth_admin",
    "supabase_etl_admin",
    "supabase_functions_admin",
    "supabase_privileged_role",
    "supabase_read_only_user",
    "supabase_realtime_admin",
    "supabase_replication_admin",
    "supabase_storage_admin",
    "supabase_superuser",
    "pgsodium_keyholder",
    "pgsodium_keyiduser",
    "pgsodium_keymaker",
    "pgtle_admin",
];

/// Roles of the platform whose PostgreSQL settings (`ALTER ROLE … SET`) a project may change.
pub(crate) const CONFIGURABLE_ROLES: [&str; 5] = ["anon", "authenticated", "authenticator", "postgres", "service_role"];

/// Extensions that the platform provides in every Supabase project.
pub(crate) const PLATFORM_EXTENSIONS: [&str; 8] =
    ["plpgsql", "pg_stat_statements", "pgcrypto", "uuid-ossp", "pg_graphql", "supabase_vault", "pgjwt", "pgsodium"];

/// Event triggers of Supabase's database image.
pub(crate) const PLATFORM_EVENT_TRIGGERS: [&str; 8] = [
    "issue_graphql_placeholder",
    "issue_pg_cron_access",
    "issue_pg_graphql_access",
    "issue_pg_net_access",
    "pgrst_ddl_watch",
    "pgrst_drop_watch",
    "graphql_watch_ddl",
    "graphql_watch_drop",
];

/// Whether a role belongs to the platform or to PostgreSQL.
pub(crate) fn is_reserved_role(name: &str) -> bool {
    name.starts_with("pg_") || RESERVED_ROLES.contains(&name)
}

/// Whether a role of the platform has more privileges than `anon` and `authenticated`. A dump must not make another role a member of such a
/// role.
pub(crate) fn is_powerful_role(name: &str) -> bool {
    is_reserved_role(name) && !["anon", "authenticated"].contains(&name)
}

/// Whether a schema belongs to the platform or to PostgreSQL.
pub(crate) fn is_internal_schema(name: &str) -> bool {
    INTERNAL_SCHEMAS.contains(&name) || name.starts_with("pg_temp") || name.starts_with("pg_toast")
}
