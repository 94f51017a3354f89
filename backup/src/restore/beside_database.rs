//! Creates a new data folder for a database that its provider has restored: secrets, project folder, and exactly the files to which the
//! database's rows refer.

use cloch_sql::database::Login;

use super::plan::Plan;
use super::recover::Recovered;
use super::staging::Draft;
use super::{Request, Restored, Step, files, missing_files, recover};
use crate::encryption::Opener;
use crate::error::{BackupError, Result};
use crate::project;
use crate::repository::Repository;

/// Returns the login of the hosted database, and the files to which the database's rows refer.
pub(super) async fn read(request: &Request) -> Result<(&Login, Recovered)> {
    let Some(login) = &request.database else {
        return Err(BackupError::Refused(
            "this backup holds files, secrets and project, while the database is its provider's: let the provider restore it to the moment, \
             and name it in CLOCH_DB_URL. Exactly the files that it names are restored then, and --only takes rows out of it"
                .to_owned(),
        ));
    };
    Ok((login, recover::named(login).await?))
}

pub(super) async fn run(
    repository: &Repository,
    opener: &Opener,
    plan: Plan<'_>,
    request: &Request,
    report: &(dyn Fn(Step, u64, u64) + Sync),
) -> Result<Restored> {
    let (_, recovered) = read(request).await?;
    let draft = Draft::without_cluster(&request.data)?;
    project::restore(repository, opener, &plan.base.series, plan.moment, plan.settings, &draft.data).await?;
    let files = files::restore(repository, opener, &recovered, &draft, request.is_check, report).await?;
    missing_files::refuse(&files.missing, recovered.file_count(), request)?;
    if !request.is_check {
        draft.publish(&request.data)?;
    }
    Ok(Restored {
        project_id: repository.project_id.clone(),
        run: None,
        moment: plan.moment,
        base_bytes: 0,
        segments: 0,
        files: files.count,
        file_bytes: files.bytes,
        users: recovered.users,
        unfinished_uploads: 0,
        missing: files.missing,
        is_amchecked: false,
        is_files_only: true,
    })
}
