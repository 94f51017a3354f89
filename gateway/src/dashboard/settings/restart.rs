//! Determines the command with which the operator restarts the server, so that changed settings take effect.

use std::path::Path;

use crate::config::Config;

/// Files that Docker and Podman create in each container.
const CONTAINER_MARKS: [&str; 2] = ["/.dockerenv", "/run/.containerenv"];

/// Returns the command that restarts this server.
pub(super) fn command(config: &Config) -> String {
    if config.notify_socket.is_some() {
        return "sudo systemctl restart cloch".to_owned();
    }
    if CONTAINER_MARKS.iter().any(|mark| Path::new(mark).exists()) {
        return "docker compose restart".to_owned();
    }
    let [project, data] = [&config.project, &config.data].map(|folder| quoted(&folder.display().to_string()));
    format!("cloch start --project {project} --data {data}")
}

/// Quotes a path for a shell.
fn quoted(path: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if path.chars().all(is_plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_path_is_one_word_of_the_command() {
        assert_eq!(quoted("/srv/club/supabase"), "/srv/club/supabase");
        assert_eq!(quoted("/srv/the club's"), r"'/srv/the club'\''s'");
    }
}
