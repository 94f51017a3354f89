use std::os::unix::fs::symlink;

use serde_json::json;

use super::*;

/// Writes files into a folder and returns the workspace around `supabase/functions/a` in it. Files of the folder `closed` are not allowed.
pub(super) fn workspace(root: &Path, files: &[(&str, &str)]) -> Workspace {
    for (name, text) in files.iter().chain([&("supabase/functions/a/index.ts", "")]) {
        let file = root.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let repository = root.canonicalize().unwrap();
    let allow = |file: &Path| {
        let target = crate::source::real(file);
        let is_open = target.starts_with(&repository) && !target.starts_with(repository.join("closed"));
        is_open.then_some(()).ok_or_else(|| ImportsError::Outside(file.to_owned()))
    };
    Workspace::find(&root.join("supabase/functions/a"), root, &allow)
}

fn names(workspace: &Workspace) -> Vec<&str> {
    workspace.packages().map(|package| package.name.as_str()).collect()
}

fn found(files: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    names(&workspace(folder.path(), files)).into_iter().map(str::to_owned).collect()
}

/// Returns the specifiers and paths of the modules of the package `b`, and what was skipped.
pub(super) fn modules_of(manifest: &Value, files: &[&str]) -> (Vec<(String, String)>, String) {
    let folder = tempfile::tempdir().unwrap();
    let manifest = manifest.to_string();
    let all: Vec<(String, &str)> = files.iter().map(|file| (format!("packages/b/{file}"), "1")).collect();
    let mut all: Vec<(&str, &str)> = all.iter().map(|(file, text)| (file.as_str(), *text)).collect();
    all.extend([("packages/b/package.json", manifest.as_str()), PACKAGES]);
    let workspace = workspace(folder.path(), &all);
    let base = format!("file://{}/packages/b", folder.path().display());
    let path = |target: &Value| target.as_str().map_or_else(|| "-".to_owned(), |url| url.replacen(&base, "", 1));
    let problems = workspace.problems.iter().map(|(_, problem)| problem.clone());
    let Some(package) = workspace.package("b") else { return (Vec::new(), problems.collect()) };
    let modules = package.modules.iter().map(|(specifier, target)| (specifier.clone(), path(target))).collect();
    (modules, problems.chain(package.problems.clone()).collect::<Vec<_>>().join("; "))
}

pub(super) fn pairs<const N: usize>(expected: [(&str, &str); N]) -> Vec<(String, String)> {
    expected.map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec()
}

pub(super) const PACKAGES: (&str, &str) = ("package.json", r#"{"workspaces": ["packages/*"]}"#);
const ONE: (&str, &str) = ("packages/one/package.json", r#"{"name": "one"}"#);
const DEEP: (&str, &str) = ("packages/deep/two/package.json", r#"{"name": "two"}"#);
const INSTALLED: (&str, &str) = ("packages/node_modules/zod/package.json", r#"{"name": "zod"}"#);
const HIDDEN: (&str, &str) = ("packages/.cache/zod/package.json", r#"{"name": "zod"}"#);
const CLOSED: (&str, &str) = ("closed/zod/package.json", r#"{"name": "zod"}"#);

#[test]
fn each_tool_has_its_own_list_of_packages() {
    assert_eq!(found(&[ONE, PACKAGES]), ["one"]);
    assert_eq!(found(&[ONE, ("package.json", r#"{"workspaces": {"packages": ["./packages/one/"]}}"#)]), ["one"]);
    assert_eq!(found(&[ONE, ("pnpm-workspace.yaml", "packages:\n  - 'packages/*'\n")]), ["one"]);
    assert_eq!(found(&[ONE, ("deno.jsonc", r#"{"workspace": ["./packages/one"] /* all */}"#)]), ["one"]);
    assert_eq!(found(&[ONE, ("deno.json", r#"{"workspace": {"members": ["packages/*"]}}"#)]), ["one"]);
    assert_eq!(found(&[ONE]), [""; 0], "no workspace");
    assert_eq!(found(&[ONE, ("pnpm-workspace.yaml", "")]), [""; 0]);
}

#[test]
fn patterns_stand_for_folders_inside_the_workspace() {
    let of = |patterns: Value| {
        let manifest = json!({ "workspaces": patterns }).to_string();
        found(&[ONE, DEEP, INSTALLED, HIDDEN, CLOSED, ("package.json", &manifest)])
    };
    assert_eq!(of(json!(["packages/**"])), ["one", "two"]);
    assert_eq!(of(json!(["**"])), ["one", "two"]);
    assert_eq!(of(json!(["packages/**", "!**/deep/**"])), ["one"]);
    assert_eq!(of(json!(["packages/{one,deep/t?o}"])), ["one", "two"]);
    assert_eq!(of(json!(["p*s/*/*o"])), ["two"]);
    assert_eq!(of(json!(["packages/.cache/*", "packages/node_modules/*", "closed/*"])), [""; 0]);
}

#[test]
fn patterns_that_lead_out_are_skipped_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let patterns = json!({"workspaces": ["../../*", "packages/../../x", "/**", "~/x", "file:///etc/*", "[a-z]*", "{a", "{,a}{,b}{,c}{,d}{,e}{,f}{,g}{,h}{,i}", 7, "packages/*"]});
    let workspace = workspace(folder.path(), &[ONE, ("package.json", &patterns.to_string())]);
    assert_eq!(names(&workspace), ["one"]);
    let problems: Vec<&str> = workspace.problems.iter().map(|(_, problem)| problem.as_str()).collect();
    assert_eq!(problems.len(), 9, "{problems:?}");
    assert!(problems.iter().any(|problem| problem.contains("\"../../*\"") && problem.contains("leads out of")));
    assert!(problems.iter().any(|problem| problem.contains("\"/**\"") && problem.contains("not relative")));
}

#[test]
fn links_are_not_followed() {
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (root, outside) = (folder.path(), outside.path());
    for (place, name) in [(outside.join("x"), "outside"), (root.join("inside"), "inside")] {
        std::fs::create_dir_all(&place).unwrap();
        std::fs::write(place.join("package.json"), json!({ "name": name }).to_string()).unwrap();
    }
    std::fs::create_dir_all(root.join("packages/manifest")).unwrap();
    std::fs::create_dir_all(root.join("packages/module/src")).unwrap();
    symlink(outside.join("x"), root.join("packages/x")).unwrap();
    symlink(outside, root.join("linked")).unwrap();
    symlink("../inside", root.join("packages/inside")).unwrap();
    symlink("..", root.join("packages/round")).unwrap();
    symlink(outside.join("x/package.json"), root.join("packages/manifest/package.json")).unwrap();
    symlink(outside, root.join("packages/module/src/out")).unwrap();
    let module = json!({"name": "module", "exports": {".": "./src/out/x/package.json", "./*": "./src/out/*.ts", "./y": "./y.ts"}});
    let files = [
        ONE,
        ("packages/module/package.json", &module.to_string()),
        ("package.json", r#"{"workspaces": ["packages/**", "linked/*", "packages/x"]}"#),
    ];
    let workspace = workspace(root, &files);
    assert_eq!(names(&workspace), ["module", "one"]);
    let module = workspace.package("module").unwrap();
    assert_eq!(module.modules.iter().filter(|(_, target)| !target.is_null()).count(), 1, "{module:?}");
    assert!(module.problems.iter().all(|problem| problem.contains("leads out of the project's repository")));
    let problems: Vec<&str> = workspace.problems.iter().map(|(_, problem)| problem.as_str()).collect();
    assert!(problems.iter().any(|problem| problem.contains("packages/x is a link")), "{problems:?}");
}

#[test]
fn a_workspace_above_the_limits_is_not_used() {
    let limit = |make: &dyn Fn(&Path), patterns: &str| {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path());
        let workspace = workspace(folder.path(), &[ONE, ("package.json", patterns)]);
        assert!(workspace.packages.is_empty());
        workspace.explain("one/x").unwrap()
    };
    let folders = |root: &Path| {
        (0..50_100).for_each(|number| std::fs::create_dir_all(root.join(format!("packages/{number}"))).unwrap())
    };
    assert!(limit(&folders, r#"{"workspaces": ["packages/*"]}"#).contains("more than 50000 files and folders"));
    let package = |root: &Path, number: usize, manifest: &str| {
        std::fs::create_dir_all(root.join(format!("packages/{number}"))).unwrap();
        std::fs::write(root.join(format!("packages/{number}/package.json")), manifest).unwrap();
    };
    let many = |root: &Path| (0..1_001).for_each(|number| package(root, number, "{}"));
    assert!(limit(&many, r#"{"workspaces": ["packages/*"]}"#).contains("more than 1000 packages"));
    let filled = format!("{{\"name\": \"a\"}}{}", " ".repeat(1_000_000));
    let large = |root: &Path| (0..35).for_each(|number| package(root, number, &filled));
    assert!(limit(&large, r#"{"workspaces": ["packages/*"]}"#).contains("larger than 32 MB"));
    let exports: Map<String, Value> = (0..20_001).map(|number| (format!("./{number}"), "./x.ts".into())).collect();
    let manifest = json!({"name": "m", "exports": exports}).to_string();
    let modules = |root: &Path| package(root, 1, &manifest);
    assert!(limit(&modules, r#"{"workspaces": ["packages/*"]}"#).contains("more than 20000 modules"));
}

#[test]
fn folders_below_the_maximum_depth_are_not_searched() {
    let deep = format!("packages/{}package.json", "a/".repeat(40));
    assert_eq!(found(&[ONE, (&deep, r#"{"name": "deep"}"#), ("package.json", r#"{"workspaces": ["**"]}"#)]), ["one"]);
}

#[test]
fn the_nearest_workspace_counts() {
    let files = [
        ONE,
        PACKAGES,
        ("supabase/package.json", r#"{"workspaces": ["functions/*", "lib"]}"#),
        ("supabase/lib/package.json", r#"{"name": "lib"}"#),
        ("supabase/functions/b/package.json", "{"),
    ];
    assert_eq!(found(&files), ["lib"]);
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_used() {
    let large = format!("{{\"name\": \"large\", \"x\": \"{}\"}}", "x".repeat(1 << 20));
    let levels =
        (1..10).map(|level| format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 10].join(",")));
    // Ten levels of ten aliases would expand to 10,000,000,000 texts.
    let bomb = format!("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n{}packages: *a9\n", levels.collect::<String>());
    let nested = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    for (file, text, reason) in [
        ("packages/x/package.json", "{", "line 1"),
        ("packages/x/package.json", large.as_str(), "more than 1 MB"),
        ("packages/x/package.json", nested.as_str(), "nesting"),
        ("packages/x/package.json", r#"{"name": "../x"}"#, "not the name of a package"),
        ("packages/x/package.json", r#"{"name": "@scope/../x"}"#, "not the name of a package"),
        ("packages/x/package.json", r#"{"name": "npm:zod"}"#, "not the name of a package"),
        ("packages/x/package.json", r#"{"name": "one"}"#, "belongs to the package in"),
        (
            "packages/x/package.json",
            r#"{"name": "x", "exports": {".": "./a.ts", "b": "./b.ts"}}"#,
            "\"b\" is not a valid key",
        ),
        ("deno.json", "{", "line 1"),
        ("deno.json", r#"{"workspace": 1}"#, "must be a list of texts"),
        ("deno.json", r#"{"workspace": ["packages/one"], "imports": 1}"#, "must be objects"),
        ("pnpm-workspace.yaml", "packages: {", ""),
        ("pnpm-workspace.yaml", bomb.as_str(), ""),
        ("pnpm-workspace.yaml", "packages: 1", "must be a list of texts"),
        (
            "pnpm-workspace.yaml",
            "packages: ['packages/*']\ncatalog: {zod: 3.1, ok: ^1}",
            "\"zod\" in the catalog \"default\" is no text",
        ),
        ("pnpm-workspace.yaml", "packages: ['packages/*']\ncatalogs: [zod]", "catalogs must be an object"),
        (
            "pnpm-workspace.yaml",
            "packages: ['packages/*']\ncatalogs: {old: ^1}",
            "the catalog \"old\" must be an object",
        ),
        ("pnpm-workspace.yaml", "packages: ['packages/*']\ncatalog: ^1", "the catalog \"default\" must be an object"),
        ("packages/x/package.json", r#"{"name": "x", "dependencies": ["zod"]}"#, "dependencies must be an object"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let workspace = workspace(folder.path(), &[ONE, PACKAGES, (file, text)]);
        assert_eq!(names(&workspace), ["one"], "{file}: {reason}");
        let [(path, problem)] = workspace.problems.as_slice() else { panic!("{:?}", workspace.problems) };
        assert!(folder.path().join(file).starts_with(path) && problem.contains(reason), "{path:?}: {problem}");
        let reason = workspace.explain("nothing/x").unwrap();
        assert!(reason.contains("has no package nothing") && reason.contains(problem), "{reason}");
        assert!(reason.contains("packages/*") && reason.contains("package.json"), "{reason}");
    }
}

#[test]
fn versions_come_from_the_workspace_or_from_a_catalog() {
    let folder = tempfile::tempdir().unwrap();
    let yaml = "packages: [packages/*]\ncatalog: {zod: ^3.1}\ncatalogs: {old: {zod: npm:zod3@3}}\n";
    let one = ("packages/one/package.json", r#"{"name": "one", "exports": {".": "./a.ts", "./b": "./b.ts"}}"#);
    let workspace = workspace(folder.path(), &[one, ("pnpm-workspace.yaml", yaml)]);
    let import = |name: &str, version: &str| {
        let NpmImports { imports, problems, .. } =
            NpmImports::of(&[(name.to_owned(), Ok(version.to_owned()))], &workspace, true);
        match problems.get(name) {
            Some(problem) => format!("error: {problem}"),
            None => imports.get(name).map_or("none", |target| target.as_str().unwrap()).to_owned(),
        }
    };
    for version in ["workspace:*", "workspace:^", "workspace:~1.2", "^1"] {
        assert_eq!(import("one", version), "none", "{version}");
    }
    let of_function = NpmImports::of(&[("one".to_owned(), Ok("^1".to_owned()))], &workspace, false).imports;
    assert_eq!(of_function.get("one").unwrap(), "npm:one@^1");
    assert_eq!(import("one", "npm:other@1"), "npm:other@1");
    assert_eq!(import("zod", "catalog:"), "npm:zod@^3.1");
    assert_eq!(import("zod", "catalog:default"), "npm:zod@^3.1");
    assert_eq!(import("zod", "catalog:old"), "npm:zod3@3");
    assert_eq!(import("b", "1"), "npm:b@1");
    assert!(import("alias", "workspace:one@*").ends_with("/packages/one/a.ts"));
    assert!(import("two", "workspace:^").contains("the workspace has no package two. Searched: packages/* of "));
    assert!(import("zod", "catalog:new").contains("has no catalog \"new\""));
    assert!(import("b", "catalog:").contains("has no version of \"b\""));
    assert!(import("b", "file:../b").contains("only packages of npm and of a workspace"));
}

#[test]
fn a_catalog_or_version_that_cannot_be_used_is_the_reason_of_the_error() {
    let folder = tempfile::tempdir().unwrap();
    let root = r#"{"workspaces": {"packages": ["packages/*"], "catalogs": 1}, "catalog": {"zod": 3}}"#;
    let one = r#"{"name": "one", "devDependencies": {"hono": "^4"}, "dependencies": {"hono": 4, "zod": "catalog:", "old": "catalog:old"}}"#;
    let workspace = workspace(folder.path(), &[("package.json", root), ("packages/one/package.json", one)]);
    let dependencies = &workspace.package("one").unwrap().dependencies;
    let NpmImports { imports, problems, .. } = NpmImports::of(dependencies, &workspace, true);
    assert!(imports.is_empty(), "{imports:?}");
    assert_eq!(problems["hono"], "the version of \"hono\" in dependencies of package.json is 4, and must be a text");
    assert!(
        problems["zod"].contains("Skipped: ") && problems["zod"].contains("\"zod\" in the catalog"),
        "{problems:?}"
    );
    assert!(
        problems["old"].contains("has no catalog \"old\"") && problems["old"].contains("catalogs must be an object")
    );
}

#[test]
fn deno_json_counts_before_package_json() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        PACKAGES,
        (
            "packages/b/deno.json",
            r#"{"name": "@a/b", "exports": "./mod.ts", "imports": {"z": "npm:zod@3", "own": "./own.ts"}}"#,
        ),
        (
            "packages/b/package.json",
            r##"{"name": "b", "dependencies": {"c": "^1"}, "imports": {"#i": {"deno": "./i.ts"}, "#up": "../../x.ts"}}"##,
        ),
    ];
    let workspace = workspace(folder.path(), &files);
    let package = workspace.package("@a/b").unwrap();
    let url = |file: &str| json!(format!("file://{}/packages/b/{file}", folder.path().display()));
    assert_eq!(package.modules["@a/b"], url("mod.ts"));
    assert_eq!((&package.imports["z"], &package.imports["own"]), (&json!("npm:zod@3"), &url("own.ts")));
    assert_eq!((&package.imports["#i"], &package.imports["#up"]), (&url("i.ts"), &Value::Null));
    assert_eq!(package.dependencies, [("c".to_owned(), Ok("^1".to_owned()))]);
}

#[test]
fn an_import_of_what_a_package_does_not_export_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = ("packages/one/package.json", r#"{"name": "@a/one", "exports": {".": "./a.ts", "./b": "../b.ts"}}"#);
    let workspace = workspace(folder.path(), &[manifest, PACKAGES]);
    let reason = workspace.explain("@a/one/c").unwrap();
    assert!(reason.starts_with("the package @a/one in ") && reason.contains(" exports @a/one. Skipped: "), "{reason}");
    for other in ["./x", "https://example.org/x", "#x", "@scope/../x"] {
        assert_eq!(workspace.explain(other), None, "{other}");
    }
}

#[test]
fn the_files_behind_an_import_are_those_of_its_package() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let workspace = workspace(root, &[ONE, DEEP, ("package.json", r#"{"workspaces": ["packages/**"]}"#)]);
    let behind = |file: &str| workspace.files_behind(&BTreeSet::from([root.join(file)]));
    assert_eq!(behind("packages/one/index.ts"), [root.join("package.json"), root.join("packages/one/package.json")]);
    assert!(behind("supabase/functions/a/index.ts").is_empty());
}
