//! Settings for finding Deno, and environment variables for Deno's downloads.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use cloch_core::programs;
use cloch_functions::deno::Places;

/// Names of the environment variables that are passed to Deno when it downloads modules. They configure proxies, certificates and package
/// registries.
const DOWNLOAD_VARIABLES: [&str; 11] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "DENO_CERT",
    "DENO_TLS_CA_STORE",
    REGISTRY_VARIABLE,
    "JSR_URL",
];
const REGISTRY_VARIABLE: &str = "NPM_CONFIG_REGISTRY";
const NPM_REGISTRY: &str = "https://registry.npmjs.org";

/// Settings for Deno from the environment.
#[derive(Clone, Debug, Default)]
pub struct DenoConfig {
    /// Path of Deno's executable (`CLOCH_DENO`).
    pub program: Option<PathBuf>,
    path: Vec<PathBuf>,
    registry: Option<String>,
    /// Environment variables for Deno's downloads.
    pub download_environment: Vec<(String, OsString)>,
}

impl DenoConfig {
    pub(in crate::config) fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let seen = DOWNLOAD_VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), variable(name)?.into())));
        Self {
            program: variable("CLOCH_DENO").map(PathBuf::from),
            path: variable("PATH").map(|path| programs::search_path(path.as_ref())).unwrap_or_default(),
            registry: variable(REGISTRY_VARIABLE),
            download_environment: seen.collect(),
        }
    }

    /// Returns the places in which the Deno program is searched. `folder` is the folder that contains a downloaded Deno.
    #[must_use]
    pub fn places(&self, folder: &Path) -> Places {
        Places {
            program: self.program.clone(),
            path: self.path.clone(),
            download_folder: folder.join("runtime"),
            registry: self.registry.clone().unwrap_or_else(|| NPM_REGISTRY.to_owned()),
        }
    }
}
