//! Service files (`pg_service.conf`) and password files (`.pgpass`) of libpq.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use cloch_core::Secret;

use super::{Pairs, UrlError};
use crate::login::{Address, Login};

const MAX_FILE_BYTES: u64 = 1 << 20;

/// Returns the settings of the service `name` in the first service file that contains it: `PGSERVICEFILE` or `~/.pg_service.conf`, then the
/// system's service file (`PGSYSCONFDIR`). Fails if no file contains the service.
pub(super) fn service(name: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Pairs, UrlError> {
    let own = environment("PGSERVICEFILE").map(PathBuf::from).or_else(|| home(environment, ".pg_service.conf"));
    let of_system = environment("PGSYSCONFDIR").map_or_else(|| PathBuf::from("/etc/postgresql-common"), PathBuf::from);
    for file in own.into_iter().chain([of_system.join("pg_service.conf")]) {
        let Some(text) = read(&file) else { continue };
        if let Some(found) = section(&text, name) {
            return found
                .map_err(|line| UrlError(format!("names the service {name}, whose line \"{line} …\" has no \"=\"")));
        }
    }
    Err(UrlError(format!("names the service {name}, which is in no service file")))
}

/// Returns the settings in the section `name` of a service file; `None` if the file has no such section. If a line has no `=`, returns only
/// the first word of the line as error, because the rest of the line may be a password.
fn section(text: &str, name: &str) -> Option<Result<Pairs, String>> {
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) == Some(name))?;
    let pairs =
        lines.take_while(|line| !line.starts_with('[')).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let pair = |line: &str| match line.split_once('=') {
        Some((key, value)) => Ok((key.trim().to_owned(), value.trim().to_owned())),
        None => Err(line.split_whitespace().next().unwrap_or_default().to_owned()),
    };
    Some(pairs.map(pair).collect())
}

/// Returns the password of a login from the password file `passfile`, or from `~/.pgpass` if `passfile` is `None`. Returns an empty
/// password if no line of the file matches, or if other accounts may read the file.
pub(super) fn password(login: &Login, passfile: Option<&str>, environment: &dyn Fn(&str) -> Option<String>) -> Secret {
    let file = passfile.map(PathBuf::from).or_else(|| home(environment, ".pgpass"));
    let Some((file, metadata)) =
        file.and_then(|file| Some((std::fs::metadata(&file).ok()?, file))).map(|(m, f)| (f, m))
    else {
        return Secret::new("");
    };
    if metadata.permissions().mode() & 0o077 != 0 {
        tracing::warn!("database: password file {} ignored: readable by other accounts (chmod 0600)", file.display());
        return Secret::new("");
    }
    let text = read(&file).unwrap_or_default();
    let host = match &login.address {
        Address::Host(host) => host.clone(),
        Address::Socket(_) => "localhost".to_owned(),
    };
    let port = login.port.to_string();
    let wanted = [host.as_str(), port.as_str(), login.database.as_str(), login.user.as_str()];
    let found = text.lines().filter(|line| !line.starts_with('#')).map(fields).find_map(|fields| {
        let fits =
            fields.len() == 5 && fields.iter().zip(wanted).all(|(field, wanted)| field == "*" || field == wanted);
        fits.then(|| fields.into_iter().next_back()).flatten()
    });
    Secret::new(found.unwrap_or_default())
}

/// Splits a line of a password file into its fields. A backslash escapes the next character.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        if character == ':' && fields.len() < 5 {
            fields.push(String::new());
            continue;
        }
        let next = if character == '\\' { characters.next() } else { Some(character) };
        if let Some(field) = fields.last_mut() {
            field.extend(next);
        }
    }
    fields
}

fn home(environment: &dyn Fn(&str) -> Option<String>, name: &str) -> Option<PathBuf> {
    environment("HOME").map(|home| PathBuf::from(home).join(name))
}

fn read(file: &std::path::Path) -> Option<String> {
    let small = std::fs::metadata(file).is_ok_and(|metadata| metadata.len() <= MAX_FILE_BYTES);
    if small { std::fs::read_to_string(file).ok() } else { None }
}
