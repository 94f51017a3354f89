//! Replaces imports from CDNs by npm packages, Node modules or modules that Cloch contains, so that neither a deployment nor the first call of a
//! function requires the CDN.

use std::path::Path;

/// URL prefixes of CDNs that serve npm packages.
const NPM_CDNS: [&str; 6] = [
    "https://esm.sh/",
    "https://cdn.skypack.dev/",
    "https://cdn.jsdelivr.net/npm/",
    "https://unpkg.com/",
    "https://esm.run/",
    "https://ga.jspm.io/npm:",
];
/// Packages of jsr.io whose authors also publish the same code to npm. Each entry contains the name on jsr.io and the name on npm. A
/// trailing slash means all packages of the scope.
const JSR_IN_NPM: [(&str, &str); 5] = [
    ("@panva/jose", "jose"),
    ("@openai/openai", "openai"),
    ("@hono/hono", "hono"),
    ("@zod/zod", "zod"),
    ("@supabase/", "@supabase/"),
];
/// Modules of deno.land/x whose main module is also an npm package, each with the package's name on npm.
const X_IN_NPM: [(&str, &str); 5] =
    [("zod", "zod"), ("hono", "hono"), ("openai", "openai"), ("postgresjs", "postgres"), ("date_fns", "date-fns")];
/// Prefixes that may precede the name of a package in a URL of esm.sh.
const CHANNELS: [&str; 3] = ["stable/", "pin/", "*"];

/// File names of the replacement modules that Cloch contains.
const EMPTY: &str = "empty.js";
const HTTP_SERVER: &str = "http_server.js";
const BASE64: &str = "base64.js";

/// Returns the replacement of a resolved specifier: an `npm:` or `node:` specifier, or the URL of a file in the folder `modules`. Returns `None` if
/// the specifier is not replaced.
pub(crate) fn replacement(specifier: &str, modules: &Path) -> Option<String> {
    let own = |file: &str| Some(format!("file://{}", modules.join(file).display()));
    if is_types_only(specifier) {
        return own(EMPTY);
    }
    if let Some(rest) = NPM_CDNS.iter().find_map(|cdn| specifier.strip_prefix(cdn)) {
        return npm_package(rest);
    }
    if let Some(rest) = specifier.strip_prefix("jsr:").map(|rest| rest.trim_start_matches('/')) {
        let (from, to) = JSR_IN_NPM.iter().find(|(from, _)| is_package(rest, from))?;
        return Some(format!("npm:{to}{}", rest.strip_prefix(from)?));
    }
    let rest = specifier.strip_prefix("https://deno.land/")?;
    match rest.strip_prefix("x/") {
        Some(module) => match without_version(module)? {
            ("xhr", _, _) => own(EMPTY),
            (name, version, "mod.ts" | "mod.js" | "index.ts") => {
                let (_, package) = X_IN_NPM.iter().find(|(known, _)| *known == name)?;
                Some(format!("npm:{package}{}", version.map_or_else(String::new, |version| format!("@{version}"))))
            }
            _ => None,
        },
        None => match without_version(rest)? {
            ("std", _, "http/server.ts") => own(HTTP_SERVER),
            ("std", _, "encoding/base64.ts") => own(BASE64),
            ("std", _, "dotenv/load.ts") => own(EMPTY),
            ("std", _, path) => path.strip_prefix("node/")?.strip_suffix(".ts").map(|name| format!("node:{name}")),
            _ => None,
        },
    }
}

/// Returns prefixes for the import map. They apply to specifiers that code builds at run time, which cannot be found in the source.
pub(crate) fn prefixes() -> impl Iterator<Item = (&'static str, &'static str)> {
    NPM_CDNS.into_iter().map(|cdn| (cdn, "npm:/"))
}

/// Whether the module with this specifier contains only type declarations of the edge runtime.
fn is_types_only(specifier: &str) -> bool {
    specifier.contains("@supabase/functions-js")
        && specifier.split(['?', '#']).next().is_some_and(|path| path.ends_with(".d.ts"))
        || specifier.starts_with("jsr:@supabase/functions-js")
        || specifier.starts_with("https://esm.sh/@supabase/functions-js") && specifier.contains("edge-runtime")
}

/// Whether `rest` begins with the package `name`, or, if `name` ends with a slash, with a package of the scope `name`.
fn is_package(rest: &str, name: &str) -> bool {
    rest.strip_prefix(name).is_some_and(|rest| name.ends_with('/') || rest.is_empty() || rest.starts_with(['@', '/']))
}

/// Returns the npm specifier of a CDN path such as `v135/@scope/name@version/path?query`. `None` if the path does not name a single npm
/// package.
fn npm_package(rest: &str) -> Option<String> {
    let mut path = rest.split(['?', '#']).next()?;
    while let Some(inner) =
        CHANNELS.iter().find_map(|channel| path.strip_prefix(channel)).or_else(|| without_build(path))
    {
        path = inner;
    }
    if let Some(inner) = path.strip_prefix("jsr/") {
        let (from, to) = JSR_IN_NPM.iter().find(|(from, _)| is_package(inner, from))?;
        return Some(format!("npm:{to}{}", inner.strip_prefix(from)?));
    }
    let path = path.trim_end_matches('/').trim_end_matches("/+esm");
    // Exclude GitHub repositories, pull requests and lists of packages.
    let is_package = !path.starts_with("gh/") && !path.starts_with("pr/") && !path.contains(',') && !path.is_empty();
    is_package.then(|| format!("npm:{path}"))
}

/// Removes a leading build number such as `v135/` from the path of a CDN URL. `None` if the path has no build number.
fn without_build(path: &str) -> Option<&str> {
    let (build, rest) = path.strip_prefix('v')?.split_once('/')?;
    (!build.is_empty() && build.bytes().all(|byte| byte.is_ascii_digit())).then_some(rest)
}

/// Splits `name@version/path` into name, version and path. `None` if the text contains no path. The `v` that deno.land writes before the
/// version is removed.
fn without_version(module: &str) -> Option<(&str, Option<&str>, &str)> {
    let (package, path) = module.split_once('/')?;
    Some(match package.split_once('@') {
        Some((name, version)) => (name, Some(version.trim_start_matches('v')), path),
        None => (package, None, path),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_npm_has_comes_from_npm() {
        for (specifier, expected) in [
            ("https://esm.sh/@supabase/supabase-js@2.39.3", "npm:@supabase/supabase-js@2.39.3"),
            ("https://esm.sh/stripe@14.21.0?target=deno&no-check", "npm:stripe@14.21.0"),
            ("https://esm.sh/v135/resend@2.0.0", "npm:resend@2.0.0"),
            ("https://esm.sh/stable/*react@18/jsx-runtime", "npm:react@18/jsx-runtime"),
            ("https://esm.sh/jsr/@supabase/supabase-js@2", "npm:@supabase/supabase-js@2"),
            ("https://cdn.jsdelivr.net/npm/hono@4/+esm", "npm:hono@4"),
            ("https://unpkg.com/zod", "npm:zod"),
            ("https://deno.land/x/zod@v3.22.4/mod.ts", "npm:zod@3.22.4"),
            ("https://deno.land/x/zod/mod.ts", "npm:zod"),
            ("https://deno.land/std@0.177.0/node/crypto.ts", "node:crypto"),
            ("https://deno.land/std@0.168.0/http/server.ts", "file:///m/http_server.js"),
            ("https://deno.land/std/http/server.ts", "file:///m/http_server.js"),
            ("https://deno.land/x/xhr@0.1.0/mod.ts", "file:///m/empty.js"),
            ("jsr:@supabase/functions-js@^2/edge-runtime.d.ts", "file:///m/empty.js"),
            ("jsr:@supabase/functions-js/edge-runtime.d.ts", "file:///m/empty.js"),
            ("npm:@supabase/functions-js@2/edge-runtime.d.ts", "file:///m/empty.js"),
            ("https://esm.sh/@supabase/functions-js/src/edge-runtime.d.ts", "file:///m/empty.js"),
            ("jsr:@supabase/supabase-js@2", "npm:@supabase/supabase-js@2"),
            ("jsr:@supabase/server@^1", "npm:@supabase/server@^1"),
            ("jsr:@panva/jose@6", "npm:jose@6"),
            ("jsr:@openai/openai@4/helpers/zod", "npm:openai@4/helpers/zod"),
        ] {
            assert_eq!(replacement(specifier, Path::new("/m")).as_deref(), Some(expected), "{specifier}");
        }
    }

    #[test]
    fn all_else_stays_as_it_is() {
        for specifier in [
            "npm:zod@3",
            "node:crypto",
            "file:///a/b.ts",
            "https://deno.land/x/acme@v0.4.1/mod.ts",
            "https://deno.land/x/zod@v3.22.4/helpers/x.ts",
            "https://deno.land/std@0.177.0/async/delay.ts",
            "https://esm.sh/gh/microsoft/tslib",
            "https://example.org/esm.sh/zod",
            "jsr:@std/encoding",
            "jsr:@panva/josephine",
        ] {
            assert_eq!(replacement(specifier, Path::new("/m")), None, "{specifier}");
        }
    }
}
