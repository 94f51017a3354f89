use super::*;

fn write(folder: &Path, name: &str, text: &str) {
    let file = folder.join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

#[test]
fn the_nearest_file_counts_and_its_paths_are_relative_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let (functions, own) = (folder.path(), folder.path().join("a"));
    write(functions, "import_map.json", r#"{"imports": {"x": "./_shared/x.ts", "z": "npm:zod"}}"#);
    write(functions, "a/index.ts", "");
    let shared = ImportConfig::read(None, (&own, functions), &Workspace::default(), |_| Ok(())).unwrap();
    assert_eq!(shared.imports["x"], format!("file://{}/_shared/x.ts", functions.display()));
    write(
        functions,
        "a/deno.jsonc",
        "{ // a comment\n \"imports\": {\"y\": \"../b.ts\"}, \"compilerOptions\": {\"jsx\": \"react-jsx\", \"strict\": true} }",
    );
    let nearest = ImportConfig::read(None, (&own, functions), &Workspace::default(), |_| Ok(())).unwrap();
    assert_eq!(nearest.imports["y"], format!("file://{}/b.ts", functions.display()));
    assert_eq!(nearest.compiler_options, Some(json!({"jsx": "react-jsx"})));
    assert!(!nearest.imports.contains_key("x"));
}

#[test]
fn dependencies_of_a_package_are_imports() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a/package.json", r#"{"dependencies": {"zod": "^3", "@scope/b": "npm:c@1"}}"#);
    let imports =
        ImportConfig::read(None, (&folder.path().join("a"), folder.path()), &Workspace::default(), |_| Ok(()))
            .unwrap()
            .imports;
    assert_eq!((&imports["zod"], &imports["zod/"]), (&json!("npm:zod@^3"), &json!("npm:/zod@^3/")));
    assert_eq!(imports["@scope/b"], "npm:c@1");
}

#[test]
fn dependencies_that_are_no_texts_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let read = |text: &str| {
        write(folder.path(), "a/package.json", text);
        let own = folder.path().join("a");
        ImportConfig::read(None, (&own, folder.path()), &Workspace::default(), |_| Ok(()))
    };
    let config = read(r#"{"dependencies": {"zod": 3, "hono": "^4"}}"#).unwrap();
    assert_eq!(config.imports["hono"], "npm:hono@^4");
    let reason = config.explain("zod/v4", &Workspace::default()).unwrap();
    assert_eq!(reason, "the version of \"zod\" in dependencies of package.json is 3, and must be a text");
    let error = read(r#"{"dependencies": ["zod"]}"#).unwrap_err().to_string();
    assert!(error.ends_with("a/package.json: dependencies must be an object"), "{error}");
}

#[test]
fn imports_of_one_file_are_added_unless_the_function_replaces_the_package() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("supabase/functions/a");
    write(folder.path(), "package.json", r#"{"workspaces": ["packages/*"]}"#);
    write(
        folder.path(),
        "packages/one/package.json",
        r##"{"name": "one", "exports": {"./*": "./one.ts"}, "imports": {"#*": "./own.ts"}}"##,
    );
    write(&own, "index.ts", "");
    let workspace = Workspace::find(&own, folder.path(), &|_| Ok(()));
    let unresolved = BTreeSet::from(["one/x".to_owned(), "#x".to_owned(), "two/x".to_owned()]);
    let added = |map: &str| {
        write(&own, "deno.json", map);
        let mut config = ImportConfig::read(None, (&own, &own), &workspace, |_| Ok(())).unwrap();
        let is_added = config.add_single_files(&unresolved, &workspace);
        assert!(!config.add_single_files(&unresolved, &workspace), "each import is added once");
        let scope = config.scopes.values().next().unwrap().get("#x").and_then(Value::as_str);
        assert!(scope.unwrap().ends_with("/packages/one/own.ts"));
        (is_added, config.imports.get("one/x").and_then(Value::as_str).map(str::to_owned))
    };
    let (is_added, target) = added("{}");
    assert!(is_added && target.unwrap().ends_with("/packages/one/one.ts"));
    assert_eq!(added(r#"{"imports": {"one": "npm:one@1"}}"#), (true, None));
}

#[test]
fn another_name_of_a_package_resolves_all_of_its_patterns() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("supabase/functions/a");
    write(folder.path(), "package.json", r#"{"workspaces": ["packages/*"]}"#);
    let one = r#"{"name": "one", "exports": {"./*": "./src/*.ts", "./icons/*": "./icon.ts"}}"#;
    write(folder.path(), "packages/one/package.json", one);
    write(folder.path(), "packages/one/src/x.ts", "");
    let two = r#"{"name": "two", "dependencies": {"first": "workspace:one@*"}}"#;
    write(folder.path(), "packages/two/package.json", two);
    write(&own, "package.json", r#"{"dependencies": {"uno": "workspace:one@*"}}"#);
    let workspace = Workspace::find(&own, folder.path(), &|_| Ok(()));
    let mut config = ImportConfig::read(None, (&own, &own), &workspace, |_| Ok(())).unwrap();
    let specifiers = ["uno/icons/sun", "unos/icons/sun", "uno/none", "first/icons/sun"];
    let unresolved = specifiers.into_iter().map(str::to_owned).collect();
    assert!(config.add_single_files(&unresolved, &workspace));
    assert!(!config.add_single_files(&unresolved, &workspace), "each import is added once");
    let ends = |imports: &Map<String, Value>, specifier: &str, end: &str| {
        imports.get(specifier).and_then(Value::as_str).is_some_and(|url| url.ends_with(end))
    };
    assert!(ends(&config.imports, "uno/x", "/packages/one/src/x.ts"));
    assert!(ends(&config.imports, "uno/icons/sun", "/packages/one/icon.ts"));
    for other in ["unos/icons/sun", "uno/none", "first/icons/sun"] {
        assert!(!config.imports.contains_key(other), "{other}");
    }
    // The name that a package gives to another one is valid in its own modules only.
    let of_two = config.scopes.iter().find(|(scope, _)| scope.ends_with("/packages/two/")).unwrap().1;
    assert!(ends(of_two.as_object().unwrap(), "first/icons/sun", "/packages/one/icon.ts"));
}

#[test]
fn features_of_modules_are_kept_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let features = || {
        ImportConfig::read(None, (&folder.path().join("a"), folder.path()), &Workspace::default(), |_| Ok(()))
            .unwrap()
            .features
    };
    write(folder.path(), "a/package.json", r#"{"type": "module"}"#);
    assert_eq!(features(), [""; 0]);
    write(folder.path(), "a/package.json", r#"{"type": "commonjs"}"#);
    assert_eq!(features(), ["detect-cjs"]);
    write(folder.path(), "a/deno.json", r#"{"unstable": ["ffi", "sloppy-imports", "net"]}"#);
    assert_eq!(features(), ["sloppy-imports", "detect-cjs"]);
}

#[test]
fn features_and_packages_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let problem = || {
        let read =
            ImportConfig::read(None, (&folder.path().join("a"), folder.path()), &Workspace::default(), |_| Ok(()));
        read.unwrap_err().to_string()
    };
    write(folder.path(), "a/deno.json", r#"{"unstable": true}"#);
    assert!(problem().ends_with("a/deno.json: unstable must be a list of texts"));
    write(folder.path(), "a/deno.json", "{}");
    write(folder.path(), "a/package.json", "{");
    assert!(problem().contains("a/package.json: "));
}

#[test]
fn a_broken_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for text in
        ["{", r#"{"imports": []}"#, r#"{"imports": {"a": 1}}"#, r#"{"scopes": {"/": "x"}}"#, r#"{"importMap": 1}"#]
    {
        write(folder.path(), "a/deno.json", text);
        let read =
            ImportConfig::read(None, (&folder.path().join("a"), folder.path()), &Workspace::default(), |_| Ok(()));
        let error = read.unwrap_err().to_string();
        assert!(error.contains("a/deno.json"), "{error}");
    }
}

#[test]
fn an_import_of_nothing_stays_one() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a/deno.json", r#"{"imports": {"a": null}, "scopes": {"./b/": {"a": "./c.ts"}}}"#);
    let read =
        ImportConfig::read(None, (&folder.path().join("a"), folder.path()), &Workspace::default(), |_| Ok(())).unwrap();
    assert_eq!(read.imports["a"], Value::Null);
    assert_eq!(read.scopes.len(), 1);
}

#[test]
fn the_import_map_of_a_function_applies_to_packages_and_its_package_json_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("supabase/functions/a");
    write(folder.path(), "package.json", r#"{"workspaces": ["packages/*"]}"#);
    write(
        folder.path(),
        "packages/one/package.json",
        r#"{"name": "one", "dependencies": {"zod": "^4", "hono": "^4"}}"#,
    );
    write(&own, "index.ts", "");
    let workspace = Workspace::find(&own, folder.path(), &|_| Ok(()));
    let scope = |name: &str, text: &str| {
        std::fs::write(own.join(name), text).unwrap();
        let read = ImportConfig::read(None, (&own, &own), &workspace, |_| Ok(())).unwrap();
        std::fs::remove_file(own.join(name)).unwrap();
        let scope = read.scopes.values().next().unwrap();
        ["zod", "hono"].map(|name| scope.get(name).and_then(Value::as_str).unwrap_or_default().to_owned())
    };
    assert_eq!(scope("deno.json", r#"{"imports": {"zod": "npm:zod@3"}}"#), ["", "npm:hono@^4"]);
    assert_eq!(scope("package.json", r#"{"dependencies": {"zod": "3"}}"#), ["npm:zod@^4", "npm:hono@^4"]);
}
