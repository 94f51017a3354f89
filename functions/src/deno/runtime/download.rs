//! Downloads one pinned version of Deno from the npm registry.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha512};

/// The pinned version of Deno, which Cloch downloads.
pub const VERSION: &str = "2.9.6";
/// The npm package with Deno for one platform.
#[derive(Debug, PartialEq, Eq)]
struct Package {
    name: &'static str,
    /// SHA-512 checksum of the package, which the registry gives as its `integrity`.
    digest: &'static str,
    /// SHA-512 checksum of the Deno program in the package.
    program_digest: &'static str,
}

const X64: Package = Package {
    name: "linux-x64-glibc",
    digest: "3md4TKLCuzsLDmfOoC5KN7NAZaxSVkMgm64vg6foD00JBADCpYS2/5QqXfzgnP5ZQz3iLP9vBQJtEgc116OAoQ==",
    program_digest: "h1ZkMv27oL44vIVpANpUY8jQm9aDiKbzBGY++78FYYGiQBbCGkvfxoifB/JsRC5pjsctRvyVpRRM3gcbrcAp+w==",
};
const ARM64: Package = Package {
    name: "linux-arm64-glibc",
    digest: "poqhoH9B3nYloigEMPT5t8HY+wBeiuea1An5Q7fqgJzP0SYmWsoS/oUnWO/pEiA4ofzIBy1Elt/in58xKtxEoQ==",
    program_digest: "d56U+xgZ6vPlvz/Or2T3xLd4FQYPOmROspgq4O8/h2Y5wIf3uKYCTqxHyOejXj+GnQ07LpgHH8MmhC11wnpKyw==",
};
const MACOS_X64: Package = Package {
    name: "darwin-x64",
    digest: "tPi3CWPRdjW1MaWlvWjORE7Ass5SADdWdj1BF1Q1PEdzi+5u/mC5YhmZzniMiPr81PpaFeqjXaLAsfb8lFsZ0Q==",
    program_digest: "c/hw5ghp5n1LDg8Fu+Xhen6v2PNQEIJpcEi78dYS7K0tNW4rFRrud2Co5B47rqzs+sPj2NBUyzIP1hLaOu+hzQ==",
};
const MACOS_ARM64: Package = Package {
    name: "darwin-arm64",
    digest: "V8uO1Aolrl/yvdMb5lOtgtigs8YuZBjrOrgviVMiYkQ0swymFfzkae1wZak4Xi24t7vf7d/eiMb/7ryjjVm+tg==",
    program_digest: "U7/eOAOuVzYUfPDJdMWPlOzX0+n0lEEQ6+t+sn5HIX/2kTZDXd6FciSLVrn8pjwJ6/xkYNE57lQnV0L0zgFgGQ==",
};

/// Returns the package for a platform, or `None` if Deno has none for it: Deno needs glibc on Linux.
const fn package(os: &str, architecture: &str, has_glibc: bool) -> Option<&'static Package> {
    match (os.as_bytes(), architecture.as_bytes()) {
        (b"linux", b"x86_64") if has_glibc => Some(&X64),
        (b"linux", b"aarch64") if has_glibc => Some(&ARM64),
        (b"macos", b"x86_64") => Some(&MACOS_X64),
        (b"macos", b"aarch64") => Some(&MACOS_ARM64),
        _ => None,
    }
}

/// The package for the platform of this program.
const PACKAGE: Option<&Package> = package(std::env::consts::OS, std::env::consts::ARCH, cfg!(target_env = "gnu"));
const DOWNLOAD_TIMEOUT: Duration = Duration::from_mins(5);
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
        Ok(digest) if PACKAGE.is_some_and(|package| package.program_digest == digest) => Some(program),
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
    let Some(Package { name, digest, .. }) = PACKAGE else {
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
        if STANDARD.encode(Sha512::digest(&package)) != *digest {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_not_the_pinned_package_is_not_kept() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let registry = format!("http://{}/npm/", listener.local_addr().unwrap());
        let name = PACKAGE.unwrap().name;
        let package = format!("/npm/@deno/{name}/-/{name}-{VERSION}.tgz");
        let routes = axum::Router::new().route(&package, axum::routing::get(async || "another program"));
        tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
        let folder = tempfile::tempdir().unwrap();
        let error = fetch(&registry, folder.path()).await.unwrap_err();
        assert!(error.contains("another checksum"), "{error}");
        let missing = fetch(&registry.replace("/npm/", "/other"), folder.path()).await.unwrap_err();
        assert!(missing.contains("404"), "{missing}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn each_platform_of_the_packages_has_its_deno() {
        assert_eq!(package("linux", "x86_64", true), Some(&X64));
        assert_eq!(package("linux", "aarch64", true), Some(&ARM64));
        assert_eq!(package("macos", "aarch64", false), Some(&MACOS_ARM64));
        assert_eq!(package("macos", "x86_64", false), Some(&MACOS_X64));
        assert_eq!(package("linux", "aarch64", false), None);
        assert_eq!(package("linux", "riscv64", true), None);
    }

    #[tokio::test]
    async fn a_program_that_came_with_the_data_folder_is_not_run() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(kept(folder.path()).await, None);
        std::fs::write(program(folder.path()), "#!/bin/sh\necho deno 2.9.6\n").unwrap();
        assert_eq!(kept(folder.path()).await, None);
    }
}
