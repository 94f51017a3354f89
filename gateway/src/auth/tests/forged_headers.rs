//! Links and redirects are made from the configuration alone: no header of a request changes one letter of them.

use super::{external, json};

/// Every header by which a proxy, a framework or a client says where a request was sent, or where it came from.
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

#[tokio::test]
async fn no_header_changes_a_mail_or_a_redirect() {
    let (project, issuer) = external::project().await;
    issuer.says("1", "provider@b.example", true);
    let token = project.member("known@b.example").await.access_token();
    let key = project.service_key();
    for header in HEADERS {
        for value in EVIL {
            let link = json!({"type": "recovery", "email": "known@b.example"});
            for (path, body, bearer, to) in [
                ("/signup", json!({"email": "new@b.example", "password": "correct horse"}), None, "new@b.example"),
                ("/resend", json!({"email": "new@b.example", "type": "signup"}), None, "new@b.example"),
                ("/otp", json!({"email": "known@b.example"}), None, "known@b.example"),
                ("/recover", json!({"email": "known@b.example"}), None, "known@b.example"),
                ("/invite", json!({"email": "guest@b.example"}), Some(&key), "guest@b.example"),
                ("/admin/generate_link", link, Some(&key), "known@b.example"),
            ] {
                let call = project.post(path, body).header(header, value);
                let call = match bearer {
                    Some(bearer) => call.bearer(bearer),
                    None => call,
                };
                let answer = call.send().await.expect(200);
                assert!(!answer.body.to_string().contains("evil"), "{header}: {path}: {}", answer.body);
                let mail = project.mail(to).await;
                assert!(!mail.html.contains("evil"), "{header}: {path}: {}", mail.html);
                let start = "/verify?token=";
                assert!(mail.link.starts_with(start), "{header}: {path}: {}", mail.link);
                assert!(mail.link.ends_with("&redirect_to=https://club.example"), "{header}: {path}: {}", mail.link);
            }
            let change =
                project.put("/user", json!({"email": "changed@b.example"})).bearer(&token).header(header, value);
            change.send().await.expect(200);
            let mail = project.mail("changed@b.example").await;
            assert!(!mail.html.contains("evil") && mail.link.starts_with("/verify?token="), "{header}: {}", mail.html);

            let get = async |path: &str| project.get(path).header(header, value).send().await;
            let location = get("/authorize?provider=club").await.expect(302).location();
            assert!(!location.contains("evil"), "{header}: {location}");
            let callback = "redirect_uri=http%3A%2F%2F127.0.0.1%3A54321%2Fauth%2Fv1%2Fcallback";
            assert!(location.contains(callback), "{header}: {location}");
            let ends = [
                get("/verify?type=signup&token=none").await.expect(303).location(),
                get("/callback?code=x&state=none").await.expect(303).location(),
            ];
            for location in ends {
                assert!(location.starts_with("https://club.example"), "{header}: {location}");
            }
            let document = get("/.well-known/openid-configuration").await.expect(200).body;
            assert_eq!(document["issuer"], "http://127.0.0.1:54321/auth/v1", "{header}");
            assert!(!document.to_string().contains("evil"), "{header}: {document}");
        }
    }
}
