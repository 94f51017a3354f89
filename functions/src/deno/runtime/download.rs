//! Downloads one pinned version of Deno from the npm registry.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha512};

/// The pinned version of Deno, which Cloch downloads.
pub const VERSION: &str = "2.9.6";
/// Name of the npm package with Deno for this platform, with its SHA-512 checksum in the registry. `None` if no package is pinned for this platform.
#[cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
const PACKAGE: Option<(&str, &str)> = Some((
    "linux-x64-glibc",
    "3md4TKLCuzsLDmfOoC5KN7NAZaxSVkMgm64vg6foD00JBADCpYS2/5QqXfzgnP5ZQz3iLP9vBQJtEgc116OAoQ==",
));
#[cfg(not(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu")))]
const PACKAGE: Option<(&str, &str)> = None;
const DOWNLOAD_TIMEOUT: Duration = Duration::from_mins(5);
/// SHA-512 checksum of the Deno program in the npm package.
const PROGRAM_DIGEST: &str = "h1ZkMv27oL44vIVpANpUY8jQm9aDiKbzBGY++78FYYGiQBbCGkvfxoifB/JsRC5pjsctRvyVpRRM3gcbrcAp+w==";
/// Maximum size of the npm package in bytes, twice its actual size.
const MAX_PACKAGE_BYTES: usize = 100 << 20;
/// Path of the Deno program in the npm package.
const PROGRAM_IN_PACKAGE: &str = "package/deno";

/// Returns the path of the Deno program that was downloaded earlier. `None` if there is none or its checksum differs from the pinned checksum.
/// The check is required because the data folder may come from an untrusted project.
pub(super) async fn kept(folder: &Path) -> Option<PathBuf> {
    let program = program(folder);
    let file = std::fs::File::open(&program).ok()?;
    let found = tokio::task::spawn_blocking(move || digest_of(file)).await.ok()?;
    match found {
        Ok(digest) if digest == PROGRAM_DIGEST => Some(program),
        found => {
            tracing::warn!(
                program = %program.display(),
                error = ?found.err(),
                "functions: Deno download has a wrong checksum and is not used, downloading it again"
            );
            None
        }
    }
}

fn digest_of(mut file: impl Read) -> std::io::Result<String> {
    let (mut hash, mut block) = (Sha512::new(), vec![0; 1 << 20]);
    loop {
        match file.read(&mut block)? {
            0 => return Ok(STANDARD.encode(hash.finalize())),
            count => hash.update(block.get(..count).unwrap_or_default()),
        }
    }
}

fn program(folder: &Path) -> PathBuf {
    folder.join(format!("deno-{VERSION}"))
}

/// Downloads the Deno program into a folder. The program is moved into the folder only when it is complete.
pub(super) async fn fetch(registry: &str, folder: &Path) -> Result<PathBuf, String> {
    let Some((name, checksum)) = PACKAGE else {
        return Err(
            "there is no Deno in PATH, and none is fetched for this system: install Deno or set CLOCH_DENO".to_owned()
        );
    };
    let url = format!("{}/@deno/{name}/-/{name}-{VERSION}.tgz", registry.trim_end_matches('/'));
    tracing::info!(%url, "functions: fetching Deno, which runs the project's own functions");
    let package = download(&url).await.map_err(|error| format!("Deno cannot be fetched from {url}: {error}"))?;
    let program = program(folder);
    let unpacked = program.clone();
    tokio::task::spawn_blocking(move || {
        if STANDARD.encode(Sha512::digest(&package)) != checksum {
            return Err("the package has another checksum than it should".to_owned());
        }
        unpack(&package, &unpacked).map_err(|error| error.to_string())
    })
    .await
    .map_err(|error| error.to_string())?
    .map_err(|error| format!("Deno from {url} cannot be used: {error}"))?;
    tracing::info!(program = %program.display(), "functions: Deno installed");
    Ok(program)
}

async fn download(url: &str) -> Result<Vec<u8>, String> {
    let text = |error: reqwest::Error| error.without_url().to_string();
    let client = reqwest::Client::builder().timeout(DOWNLOAD_TIMEOUT).build().map_err(text)?;
    let mut response = client.get(url).send().await.and_then(reqwest::Response::error_for_status).map_err(text)?;
    let mut package = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(text)? {
        if package.len() + chunk.len() > MAX_PACKAGE_BYTES {
            return Err(format!("it is larger than {MAX_PACKAGE_BYTES} bytes"));
        }
        package.extend_from_slice(&chunk);
    }
    Ok(package)
}

fn unpack(package: &[u8], program: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let folder = program.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(package));
    for entry in archive.entries()? {
        let mut entry = entry?;
        if entry.path()?.as_os_str() == PROGRAM_IN_PACKAGE {
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            std::io::copy(&mut entry.by_ref(), &mut file)?;
            file.as_file().set_permissions(std::fs::Permissions::from_mode(0o755))?;
            file.as_file().sync_all()?;
            // A program that is open for writing cannot be executed, so the file is closed before it gets its name.
            file.into_temp_path().persist(program)?;
            return Ok(());
        }
    }
    Err(std::io::Error::other("the package has no program"))
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_not_the_pinned_package_is_not_kept() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let registry = format!("http://{}/npm/", listener.local_addr().unwrap());
        let package = format!("/npm/@deno/linux-x64-glibc/-/linux-x64-glibc-{VERSION}.tgz");
        let routes = axum::Router::new().route(&package, axum::routing::get(async || "another program"));
        tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
        let folder = tempfile::tempdir().unwrap();
        let error = fetch(&registry, folder.path()).await.unwrap_err();
        assert!(error.contains("another checksum"), "{error}");
        let missing = fetch(&registry.replace("/npm/", "/other"), folder.path()).await.unwrap_err();
        assert!(missing.contains("404"), "{missing}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn a_program_that_came_with_the_data_folder_is_not_run() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(kept(folder.path()).await, None);
        std::fs::write(program(folder.path()), "#!/bin/sh\necho deno 2.9.6\n").unwrap();
        assert_eq!(kept(folder.path()).await, None);
    }
}
