//! Tests that links and redirects depend only on the configuration, not on the headers of a request.

use super::issuer::Issuer;
use super::project::{Call, Project};
use super::{external, json};

/// Headers in which proxies, frameworks or clients send the host, path or origin of a request.
const HEADERS: [&str; 38] = [
    "host",
    "forwarded",
    "x-forwarded",
    "x-forwarded-by",
    "x-forwarded-for",
    "x-forwarded-for-original",
    "x-forwarded-host",
    "x-forwarded-path",
    "x-forwarded-port",
    "x-forwarded-prefix",
    "x-forwarded-proto",
    "x-forwarded-protocol",
    "x-forwarded-scheme",
    "x-forwarded-server",
    "x-forwarded-ssl",
    "x-forwarded-uri",
    "x-forwarded-url",
    "x-original-host",
    "x-original-uri",
    "x-original-url",
    "x-rewrite-url",
    "x-host",
    "x-http-host-override",
    "x-http-destinationurl",
    "x-proxy-url",
    "x-real-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-scheme",
    "x-url-scheme",
    "front-end-https",
    "x-envoy-original-path",
    "cf-visitor",
    "via",
    "origin",
    "referer",
    "base-url",
    "redirect_to",
];

const EVIL: [&str; 3] = ["evil.example", "https://evil.example/", "host=evil.example;proto=https"];

/// Sends each header alone, with one of the forged values.
#[tokio::test]
async fn no_header_changes_a_mail_or_a_redirect() {
    let scene = Scene::new().await;
    for (index, header) in HEADERS.into_iter().enumerate() {
        scene.try_headers(&[(header, EVIL[index % EVIL.len()])]).await;
    }
}

/// Sends all headers in one request, once for each forged value.
#[tokio::test]
async fn all_headers_together_change_no_mail_and_no_redirect() {
    let scene = Scene::new().await;
    for value in EVIL {
        scene.try_headers(&HEADERS.map(|header| (header, value))).await;
    }
}

struct Scene {
    project: Project,
    _issuer: Issuer,
    token: String,
    service_key: String,
}

impl Scene {
    async fn new() -> Self {
        let (project, issuer) = external::project().await;
        issuer.says("1", "provider@b.example", true);
        let token = project.member("known@b.example").await.access_token();
        let service_key = project.service_key();
        Self { project, _issuer: issuer, token, service_key }
    }

    async fn try_headers(&self, headers: &[(&str, &str)]) {
        self.try_mails(headers).await;
        self.try_redirects(headers).await;
    }

    async fn try_mails(&self, headers: &[(&str, &str)]) {
        let link = json!({"type": "recovery", "email": "known@b.example"});
        for (path, body, needs_key, to) in [
            ("/signup", json!({"email": "new@b.example", "password": "correct horse"}), false, "new@b.example"),
            ("/resend", json!({"email": "new@b.example", "type": "signup"}), false, "new@b.example"),
            ("/otp", json!({"email": "known@b.example"}), false, "known@b.example"),
            ("/recover", json!({"email": "known@b.example"}), false, "known@b.example"),
            ("/invite", json!({"email": "guest@b.example"}), true, "guest@b.example"),
            ("/admin/generate_link", link, true, "known@b.example"),
        ] {
            let mut call = with(self.project.post(path, body), headers);
            if needs_key {
                call = call.bearer(&self.service_key);
            }
            let answer = call.send().await.expect(200);
            assert!(!answer.body.to_string().contains("evil"), "{headers:?}: {path}: {}", answer.body);
            let mail = self.project.mail(to).await;
            assert!(!mail.html.contains("evil"), "{headers:?}: {path}: {}", mail.html);
            assert!(mail.link.starts_with("/verify?token="), "{headers:?}: {path}: {}", mail.link);
            assert!(mail.link.ends_with("&redirect_to=https://club.example"), "{headers:?}: {path}: {}", mail.link);
        }
        let change = self.project.put("/user", json!({"email": "changed@b.example"})).bearer(&self.token);
        with(change, headers).send().await.expect(200);
        let mail = self.project.mail("changed@b.example").await;
        assert!(!mail.html.contains("evil") && mail.link.starts_with("/verify?token="), "{headers:?}: {}", mail.html);
    }

    async fn try_redirects(&self, headers: &[(&str, &str)]) {
        let get = async |path: &str| with(self.project.get(path), headers).send().await;
        let location = get("/authorize?provider=club").await.expect(302).location();
        assert!(!location.contains("evil"), "{headers:?}: {location}");
        let callback = "redirect_uri=http%3A%2F%2F127.0.0.1%3A54321%2Fauth%2Fv1%2Fcallback";
        assert!(location.contains(callback), "{headers:?}: {location}");
        let ends = [
            get("/verify?type=signup&token=none").await.expect(303).location(),
            get("/callback?code=x&state=none").await.expect(303).location(),
        ];
        for location in ends {
            assert!(location.starts_with("https://club.example"), "{headers:?}: {location}");
        }
        let document = get("/.well-known/openid-configuration").await.expect(200).body;
        assert_eq!(document["issuer"], "http://127.0.0.1:54321/auth/v1", "{headers:?}");
        assert!(!document.to_string().contains("evil"), "{headers:?}: {document}");
    }
}

fn with<'a>(call: Call<'a>, headers: &[(&str, &str)]) -> Call<'a> {
    headers.iter().fold(call, |call, (name, value)| call.header(name, value))
}
