//! Finds the project folder, which contains config.toml, and the data folder.

use std::path::{Path, PathBuf};

use crate::config::{ConfigError, Flags};

/// Default project folders, in order of precedence.
const PROJECT_FOLDERS: [&str; 2] = ["supabase-config", "supabase"];

pub(in crate::config) fn project_folder(flags: &Flags) -> Result<PathBuf, ConfigError> {
    let folder = match &flags.project {
        Some(folder) => folder.clone(),
        None => PROJECT_FOLDERS
            .iter()
            .map(PathBuf::from)
            .find(|folder| folder.join("config.toml").exists())
            .ok_or_else(|| ConfigError::Variable {
                name: "--project".into(),
                message: "there is no supabase-config/config.toml and no supabase/config.toml here: name the folder that holds \
                          config.toml, or make one with `cloch init DIR`"
                    .into(),
            })?,
    };
    let refused = |message: String| Err(ConfigError::Variable { name: "--project".into(), message });
    if !folder.is_dir() {
        return refused(format!("{} is no folder", folder.display()));
    }
    // The folder itself, or a project folder in it.
    let holding = PROJECT_FOLDERS.iter().map(|name| folder.join(name));
    let Some(folder) = std::iter::once(folder.clone()).chain(holding).find(|at| at.join("config.toml").exists()) else {
        return refused(format!(
            "{0} holds no config.toml, nor does a folder supabase/ in it; `cloch init {0}` makes a new project there",
            folder.display()
        ));
    };
    std::path::absolute(&folder).map_err(|source| ConfigError::Unreadable { file: folder, source })
}

pub(in crate::config) fn data_folder(flags: &Flags, variable: Option<String>, project: &Path) -> PathBuf {
    let wanted = flags
        .data
        .clone()
        .or_else(|| variable.map(PathBuf::from))
        .unwrap_or_else(|| project.parent().unwrap_or(project).join(".cloch"));
    std::path::absolute(&wanted).unwrap_or(wanted)
}

pub(in crate::config) fn folder_name(project: &Path) -> String {
    let own = project.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_usual = PROJECT_FOLDERS.contains(&own.as_str());
    match project.parent().and_then(Path::file_name) {
        Some(parent) if is_usual => parent.to_string_lossy().into_owned(),
        _ => own,
    }
}
