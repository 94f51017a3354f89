//! Table of all endpoints of the dashboard's API.

use super::route::Route;
use super::{
    advisors, api_keys, audit, backups, cron, files, functions, health, logs, mail, metrics, openapi, operators,
    policies, postgres_log, project, queues, realtime, restore_files, restore_rows, rows, schema, settings, sql,
    statements, users, why,
};

const AREAS: &[&[Route]] = &[
    operators::SESSION_ROUTES,
    operators::PASSKEY_SIGN_IN_ROUTES,
    operators::PASSKEY_ROUTES,
    operators::WELCOME_ROUTES,
    operators::ACCOUNT_ROUTES,
    operators::ROUTES,
    audit::ROUTES,
    project::ROUTES,
    api_keys::ROUTES,
    users::ROUTES,
    advisors::ROUTES,
    statements::ROUTES,
    policies::ROUTES,
    why::ROUTES,
    logs::ROUTES,
    postgres_log::ROUTES,
    metrics::ROUTES,
    files::ROUTES,
    functions::ROUTES,
    mail::ROUTES,
    settings::ROUTES,
    settings::EDIT_ROUTES,
    settings::MAIL_ROUTES,
    settings::MAIL_DRAFT_ROUTES,
    settings::NODE_ROUTES,
    cron::ROUTES,
    queues::ROUTES,
    backups::ROUTES,
    health::ROUTES,
    realtime::ROUTES,
    openapi::ROUTES,
    schema::ROUTES,
    rows::ROUTES,
    restore_rows::ROUTES,
    restore_files::ROUTES,
    sql::ROUTES,
];

pub(super) fn all() -> impl Iterator<Item = &'static Route> {
    AREAS.iter().copied().flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::route::{Access, Method};
    use super::*;

    /// Name prefix of endpoints that change only the operator's own account, and that operators of every role may use.
    const OF_EVERYBODY: &str = "session.";

    #[test]
    fn no_endpoint_is_open_by_mistake() {
        let anyone: Vec<&str> = all().filter(|route| route.access == Access::Anyone).map(|route| route.name).collect();
        let expected = [
            "session.begin",
            "session.passkey_options",
            "session.begin_with_passkey",
            "welcome.check",
            "welcome.accept",
            "openapi.show",
        ];
        assert_eq!(anyone, expected);
        for route in all().filter(|route| route.method != Method::Get && route.access == Access::VIEWER) {
            assert!(route.is_harmless || route.name.starts_with(OF_EVERYBODY), "viewers may change: {}", route.name);
        }
    }

    #[test]
    fn an_endpoint_is_there_once_and_has_a_name() {
        let (mut places, mut names) = (HashSet::new(), HashSet::new());
        for route in all() {
            assert!(places.insert((route.method, route.path)), "{} twice", route.path);
            assert!(names.insert(route.name), "{} twice", route.name);
            assert!(route.name.split_once('.').is_some() && !route.summary.is_empty(), "{}", route.path);
        }
    }
}
