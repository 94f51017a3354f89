"""The synchronous client: auth, tables, storage, functions."""

import httpx
from postgrest.exceptions import APIError
from storage3.exceptions import StorageApiError
from supabase import ClientOptions, create_client
from supabase_auth.errors import AuthApiError, AuthWeakPasswordError
from supabase_functions.errors import FunctionsHttpError

from steps import ANON, PASSWORD, PICTURE, SERVICE, URL, raises, run, step, totp

EMAIL = "python@club.example"
options = ClientOptions(auto_refresh_token=False, persist_session=True)
client = create_client(URL, ANON, options)
service = create_client(URL, SERVICE, ClientOptions(auto_refresh_token=False, persist_session=False))
kept = {}


@step("auth.sign_up, weak password")
def _():
    error = raises(AuthWeakPasswordError, client.auth.sign_up, {"email": "weak@club.example", "password": "abc"})
    assert error.reasons


@step("auth.sign_up, unconfirmed")
def _():
    answer = client.auth.sign_up({"email": EMAIL, "password": PASSWORD, "options": {"data": {"nick": "Py"}}})
    assert answer.session is None and answer.user.user_metadata["nick"] == "Py"


@step("auth.admin.generate_link, auth.verify_otp with a token hash")
def _():
    link = service.auth.admin.generate_link({"type": "signup", "email": EMAIL, "password": PASSWORD})
    answer = client.auth.verify_otp({"type": "signup", "token_hash": link.properties.hashed_token})
    assert answer.user.email_confirmed_at


@step("auth.sign_in_with_password, wrong password")
def _():
    other = create_client(URL, ANON)
    error = raises(AuthApiError, other.auth.sign_in_with_password, {"email": EMAIL, "password": "wrong"})
    assert (error.status, error.code) == (400, "invalid_credentials")


@step("auth.sign_in_with_password")
def _():
    answer = client.auth.sign_in_with_password({"email": EMAIL, "password": PASSWORD})
    assert answer.session.token_type == "bearer" and answer.user.identities[0].identity_id
    kept["user"] = answer.user.id


@step("auth.get_user")
def _():
    assert client.auth.get_user().user.id == kept["user"]


@step("auth.get_claims")
def _():
    assert client.auth.get_claims()["claims"]["sub"] == kept["user"]


@step("auth.update_user")
def _():
    assert client.auth.update_user({"data": {"nick": "Pier"}}).user.user_metadata["nick"] == "Pier"


@step("auth.refresh_session")
def _():
    assert client.auth.refresh_session().session.access_token


@step("auth.reauthenticate")
def _():
    client.auth.reauthenticate()


@step("auth.get_user_identities")
def _():
    assert client.auth.get_user_identities().identities[0].provider == "email"


@step("auth.mfa.enroll, challenge_and_verify")
def _():
    factor = client.auth.mfa.enroll({"factor_type": "totp", "friendly_name": "phone", "issuer": "club.example"})
    assert factor.totp.uri.startswith("otpauth://")
    client.auth.mfa.challenge_and_verify({"factor_id": factor.id, "code": totp(factor.totp.secret)})
    kept["factor"] = factor.id


@step("auth.mfa.get_authenticator_assurance_level")
def _():
    assert client.auth.mfa.get_authenticator_assurance_level().current_level == "aal2"


@step("auth.mfa.list_factors")
def _():
    assert client.auth.mfa.list_factors().totp[0].status == "verified"


@step("auth.admin.mfa.list_factors")
def _():
    assert service.auth.admin.mfa.list_factors({"user_id": kept["user"]})[0].id == kept["factor"]


@step("auth.mfa.unenroll")
def _():
    assert client.auth.mfa.unenroll({"factor_id": kept["factor"]}).id == kept["factor"]


@step("auth.sign_in_with_otp, verify_otp with a code")
def _():
    other = create_client(URL, ANON)
    other.auth.sign_in_with_otp({"email": EMAIL, "options": {"should_create_user": False}})
    link = service.auth.admin.generate_link({"type": "magiclink", "email": EMAIL})
    answer = other.auth.verify_otp({"type": "email", "email": EMAIL, "token": link.properties.email_otp})
    assert answer.session


@step("auth.reset_password_for_email")
def _():
    create_client(URL, ANON).auth.reset_password_for_email(EMAIL, {"redirect_to": "https://club.example/reset"})


@step("auth.sign_in_anonymously")
def _():
    assert create_client(URL, ANON).auth.sign_in_anonymously().user.is_anonymous


@step("auth.sign_in_with_oauth")
def _():
    answer = client.auth.sign_in_with_oauth({"provider": "github"})
    assert httpx.get(answer.url).headers["location"].startswith("https://github.com/login/oauth/authorize?")


@step("auth.sign_in_with_id_token, provider without configuration")
def _():
    raises(AuthApiError, create_client(URL, ANON).auth.sign_in_with_id_token, {"provider": "google", "token": "e30.e30.e30"})


@step("auth.admin.create_user, get_user_by_id, update_user_by_id, list_users, delete_user")
def _():
    admin = service.auth.admin
    made = admin.create_user({"email": "second@club.example", "password": PASSWORD, "email_confirm": True}).user
    assert admin.get_user_by_id(made.id).user.email == "second@club.example"
    assert admin.update_user_by_id(made.id, {"app_metadata": {"role": "coach"}}).user.app_metadata["role"] == "coach"
    assert any(user.id == made.id for user in admin.list_users(page=1, per_page=50))
    admin.delete_user(made.id)
    assert raises(AuthApiError, admin.get_user_by_id, made.id).code == "user_not_found"


@step("auth.admin.invite_user_by_email")
def _():
    assert service.auth.admin.invite_user_by_email("invited@club.example").user.invited_at


@step("table.select, filters")
def _():
    members = lambda: client.table("members").select("name")
    names = lambda query: [row["name"] for row in query.order("id").execute().data]
    assert names(members().eq("name", "Ann")) == ["Ann"]
    assert names(members().in_("name", ["Ann", "Cara, Jr. (2nd)"])) == ["Ann", "Cara, Jr. (2nd)"]
    assert names(members().is_("age", None)) == ["Dee"]
    assert names(members().contains("tags", ["red", "blue"])) == ["Ann"]
    assert names(members().contains("profile", {"town": "Largs"})) == ["Bob"]
    assert names(members().overlaps("tags", ["blue", "green"])) == ["Ann", "Cara, Jr. (2nd)"]
    assert names(members().range_lt("stay", [10, 12])) == ["Ann", "Bob"]
    assert names(members().like_any_of("name", "A%,B%")) == ["Ann", "Bob"]
    assert names(members().not_.eq("name", "Ann").or_("age.gt.16,age.is.null")) == ["Cara, Jr. (2nd)", "Dee"]
    assert names(members().match({"age": 15, "club_id": 1})) == ["Bob"]


@step("table.select, text_search")
def _():
    rows = client.table("members").select("name").text_search("name", "ann", {"type": "websearch", "config": "english"}).execute()
    assert rows.data == [{"name": "Ann"}]


@step("table.select, count, order, range")
def _():
    rows = client.table("members").select("name", count="exact").order("name", desc=True).range(1, 2).execute()
    assert rows.count == 4 and [row["name"] for row in rows.data] == ["Cara, Jr. (2nd)", "Bob"]


@step("table.select, head")
def _():
    assert client.table("members").select("*", count="exact", head=True).execute().count == 4


@step("table.select, embedding with order and limit of the embedded table")
def _():
    rows = client.table("clubs").select("name, members(name)").eq("id", 1)
    rows = rows.order("name", desc=True, foreign_table="members").limit(1, foreign_table="members").execute()
    assert rows.data == [{"name": "Chess", "members": [{"name": "Bob"}]}]


@step("table.select, single and maybe_single")
def _():
    query = lambda: client.table("members").select("*")
    assert query().eq("id", 1).single().execute().data["name"] == "Ann"
    assert query().eq("id", 99).maybe_single().execute() is None
    assert raises(APIError, query().single().execute).code == "PGRST116"


@step("table.select, csv")
def _():
    assert client.table("members").select("id,name").eq("id", 1).csv().execute().data == "id,name\n1,Ann"


@step("table.select, explain")
def _():
    assert "Scan" in client.table("members").select("*").explain(analyze=True, format="text").execute()


@step("table.insert, upsert, update, delete")
def _():
    members = client.table("members")
    assert members.insert({"name": "Eve", "age": 14}).execute().data[0]["age"] == 14
    assert len(members.insert([{"name": "Fay"}, {"name": "Gus", "age": 3}], default_to_null=False).execute().data) == 2
    assert raises(APIError, members.insert({"name": "Eve"}).execute).code == "23505"
    assert members.upsert({"name": "Eve", "age": 15}, on_conflict="name").execute().data[0]["age"] == 15
    assert members.upsert({"name": "Eve", "age": 1}, on_conflict="name", ignore_duplicates=True).execute().data == []
    assert members.update({"age": 16}).eq("name", "Eve").execute().data[0]["age"] == 16
    assert members.update({"age": 17}, returning="minimal").eq("name", "Eve").execute().data == []
    assert len(members.delete().in_("name", ["Eve", "Fay", "Gus"]).execute().data) == 3


@step("rpc, also by GET")
def _():
    assert client.rpc("add", {"a": 1, "b": 2}).execute().data == 3
    assert client.rpc("older_than", {"minimum": 13}, get=True).eq("name", "Bob").execute().data[0]["age"] == 15


@step("table, error of an unknown table")
def _():
    assert raises(APIError, client.table("nothing").select("*").execute).code == "PGRST205"


@step("storage.create_bucket, get_bucket, list_buckets, update_bucket")
def _():
    service.storage.create_bucket("python", options={"public": True, "file_size_limit": "5MB"})
    assert service.storage.get_bucket("python").public
    assert [bucket.id for bucket in service.storage.list_buckets()] == ["python"]
    service.storage.update_bucket("python", {"public": True})


@step("storage.upload, update, upsert")
def _():
    files = client.storage.from_("python")
    answer = files.upload("folder/a b.txt", b"hello", {"content-type": "text/plain", "metadata": {"a": 1}})
    assert answer.full_path == "python/folder/a b.txt"
    assert raises(StorageApiError, files.upload, "folder/a b.txt", b"x").code == "Duplicate"
    files.update("folder/a b.txt", b"hello again", {"content-type": "text/plain"})
    files.upload("b.txt", b"b", {"content-type": "text/plain", "upsert": "true"})


@step("storage.download, info, exists, list")
def _():
    files = client.storage.from_("python")
    assert files.download("folder/a b.txt") == b"hello again"
    assert files.info("folder/a b.txt")["size"] == 11
    assert files.exists("b.txt")
    assert [entry["name"] for entry in files.list()] == ["b.txt", "folder"]


@step("storage.copy, move")
def _():
    files = client.storage.from_("python")
    files.copy("b.txt", "c.txt")
    assert files.move("c.txt", "d.txt")["message"]


@step("storage.create_signed_url, create_signed_urls")
def _():
    files = client.storage.from_("python")
    assert httpx.get(files.create_signed_url("d.txt", 60, {"download": True})["signedURL"]).text == "b"
    assert [one["path"] for one in files.create_signed_urls(["d.txt", "b.txt"], 60)] == ["d.txt", "b.txt"]


@step("storage.create_signed_upload_url, upload_to_signed_url")
def _():
    files = client.storage.from_("python")
    signed = files.create_signed_upload_url("signed.txt")
    files.upload_to_signed_url(signed["path"], signed["token"], b"signed", {"content-type": "text/plain"})
    assert files.download("signed.txt") == b"signed"


@step("storage.get_public_url, download with a transformation")
def _():
    files = client.storage.from_("python")
    files.upload("pier.png", PICTURE, {"content-type": "image/png"})
    url = files.get_public_url("pier.png", {"transform": {"width": 8, "height": 8, "resize": "cover"}})
    assert httpx.get(url).headers["content-type"].startswith("image/")
    assert files.download("pier.png", {"transform": {"width": 8}})


@step("storage.remove, empty_bucket, delete_bucket")
def _():
    assert client.storage.from_("python").remove(["d.txt"])[0]["name"] == "d.txt"
    service.storage.empty_bucket("python")
    service.storage.delete_bucket("python")


@step("functions.invoke")
def _():
    answer = client.functions.invoke("hello", {"body": {"word": "pier"}, "responseType": "json"})
    assert answer["method"] == "POST" and answer["body"].replace(" ", "") == '{"word":"pier"}'
    assert b"number" in client.functions.invoke("events")


@step("functions.invoke of a function that fails")
def _():
    raises(FunctionsHttpError, client.functions.invoke, "fails")


@step("auth.sign_out")
def _():
    client.auth.sign_out()
    assert client.auth.get_session() is None


run()
