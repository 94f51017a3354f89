use serde_json::{Value, json};

use super::tests::{PACKAGES, modules_of, pairs, workspace};

#[test]
fn a_pattern_with_one_file_resolves_what_a_module_graph_needs() {
    let folder = tempfile::tempdir().unwrap();
    let exports = json!({"./x": "./x.ts", "./icons/*": "./icon.ts", "./icons/sizes/*": null, "./*.css": "./style.ts", "./*": "./src/*", "./up/*": "../up.ts"});
    let manifest = json!({"name": "one", "exports": exports, "imports": {"#t/*": "./t.ts"}}).to_string();
    let files = [PACKAGES, ("packages/one/package.json", manifest.as_str()), ("packages/one/src/a.ts", "")];
    let workspace = workspace(folder.path(), &files);
    let package = workspace.package("one").unwrap();
    let base = format!("file://{}/packages/one/", folder.path().display());
    let of = |specifier: &str| package.single_file(specifier).map(|url| url.replacen(&base, "", 1));
    assert_eq!(of("one/icons/sun").as_deref(), Some("icon.ts"));
    assert_eq!(of("one/a.css").as_deref(), Some("style.ts"));
    for other in ["one/icons/", "one/icons/sizes/l", "one/a.ts", "one/up/x", "one", "two/icons/sun", "#t/x"] {
        assert_eq!(of(other), None, "{other}");
    }
    assert_eq!(package.own_single_file("#t/x"), Some(format!("{base}t.ts").as_str()));
    // The folder of `./*` would cover `one/a.css`, so its files are listed. `one/icons/` is closed for the same reason.
    let modules: Vec<&str> = package.modules.keys().map(String::as_str).collect();
    assert!(
        modules.contains(&"one/a.ts") && modules.contains(&"one/icons/") && !modules.contains(&"one/"),
        "{modules:?}"
    );
    assert!(package.problems.iter().all(|problem| problem.contains("up.ts")), "{:?}", package.problems);
}

#[test]
fn without_exports_all_files_and_the_main_module_are_exported() {
    let of = |manifest: Value, files: &[&str]| modules_of(&manifest, files).0;
    let main = json!({"name": "b", "main": "src/main"});
    assert_eq!(of(main.clone(), &["src/main.ts"]), pairs([("b", "/src/main.ts"), ("b/", "/")]));
    assert_eq!(of(main, &["src/main.ts", "src/main.js"]), pairs([("b", "/src/main.js"), ("b/", "/")]));
    assert_eq!(of(json!({"name": "b"}), &["index.ts"]), pairs([("b", "/index.ts"), ("b/", "/")]));
    assert_eq!(of(json!({"name": "b"}), &[]), pairs([("b/", "/")]));
    let both = |kind: Option<&str>| json!({"name": "b", "main": "a.js", "module": "b.js", "type": kind});
    assert_eq!(of(both(None), &["a.js", "b.js"])[0].1, "/b.js");
    assert_eq!(of(both(Some("module")), &["a.js", "b.js"])[0].1, "/a.js");
    let (modules, problems) = modules_of(&json!({"name": "b", "main": "../../../etc/passwd"}), &["index.ts"]);
    assert_eq!(modules[0].1, "/index.ts");
    assert!(problems.contains("leads out of the package"), "{problems}");
}

#[test]
fn the_first_condition_of_exports_that_applies_counts() {
    let of = |exports: Value| modules_of(&json!({"name": "b", "exports": exports}), &[]).0;
    let exports = json!({"types": "./a.d.ts", "browser": "./browser.js", "import": {"require": "./a.cjs", "default": "./a.mjs"}, "deno": "./late.ts"});
    assert_eq!(of(exports), pairs([("b", "/a.mjs")]));
    let exports =
        json!({".": ["../up.ts", "./a.ts"], "./private": null, "./types": {"types": "./t.d.ts"}, "./c": "./src/c.ts"});
    assert_eq!(of(exports), pairs([("b", "/a.ts"), ("b/private", "-"), ("b/types", "-"), ("b/c", "/src/c.ts")]));
    assert_eq!(of(json!({"deno": null, "default": "./a.ts"})), pairs([("b", "-")]));
}

#[test]
fn targets_do_not_leave_the_package() {
    let targets = [
        "../up.ts",
        "./../up.ts",
        "./a/../../up.ts",
        "./%2e%2E/up.ts",
        "./a%2f..%2fup.ts",
        "/etc/passwd",
        "file:///etc/passwd",
        "./node_modules/x/a.ts",
        "..",
        "./..",
        "npm:zod",
        "./..\\up.ts",
        "https://example.org/x.ts",
    ];
    for target in targets {
        for exports in
            [json!(target), json!({"./x": target}), json!({"./*.ts": target}), json!({"./x": {"import": target}})]
        {
            let (modules, problems) = modules_of(&json!({"name": "b", "exports": exports}), &[]);
            assert!(modules.iter().all(|(_, target)| target == "-"), "{exports}: {modules:?}");
            assert!(
                problems.contains("leads out") || problems.contains("does not begin with ./"),
                "{exports}: {problems}"
            );
        }
        let (modules, _) = modules_of(&json!({"name": "b", "main": target}), &[]);
        assert_eq!(modules, pairs([("b/", "/")]), "{target}");
    }
}

#[test]
fn a_pattern_of_exports_stands_for_each_file_that_matches() {
    let files = [
        "src/x.ts",
        "src/deep/y.ts",
        "src/z.js",
        "src/internal/i.ts",
        "src/node_modules/n.ts",
        "src/.hidden/h.ts",
        "other/a#b.ts",
    ];
    let of = |exports: Value| {
        let mut modules = modules_of(&json!({"name": "b", "exports": exports}), &files).0;
        modules.sort();
        modules
    };
    let exports = json!({"./x": "./other/x.ts", "./*": "./src/*.ts", "./internal/*": null});
    assert_eq!(of(exports), pairs([("b/deep/y", "/src/deep/y.ts"), ("b/internal/", "-"), ("b/x", "/other/x.ts")]));
    assert_eq!(of(json!({"./s/*": "./src/*"})), pairs([("b/s/", "/src/")]));
    assert_eq!(
        of(json!({"./*.js": "./src/*.ts", "./deep/*.js": "./other/*.ts"})),
        pairs([
            ("b/deep/a#b.js", "/other/a%23b.ts"),
            ("b/internal/i.js", "/src/internal/i.ts"),
            ("b/x.js", "/src/x.ts"),
        ])
    );
}
