"""The asynchronous client: auth, tables, storage and functions, all at the same time."""

import asyncio

from postgrest.exceptions import APIError
from supabase import AsyncClientOptions, acreate_client
from supabase_auth.errors import AuthApiError

from steps import ANON, PASSWORD, SERVICE, URL, run_async, step

kept = {}


@step("acreate_client, auth.admin.create_user, auth.sign_in_with_password")
async def _():
    kept["service"] = await acreate_client(URL, SERVICE, AsyncClientOptions(auto_refresh_token=False))
    kept["client"] = await acreate_client(URL, ANON, AsyncClientOptions(auto_refresh_token=False))
    await kept["service"].auth.admin.create_user({"email": "async@club.example", "password": PASSWORD, "email_confirm": True})
    answer = await kept["client"].auth.sign_in_with_password({"email": "async@club.example", "password": PASSWORD})
    assert answer.session.user.role == "authenticated"


@step("auth.set_session, get_user, refresh_session")
async def _():
    session = await kept["client"].auth.get_session()
    other = await acreate_client(URL, ANON, AsyncClientOptions(auto_refresh_token=False))
    await other.auth.set_session(session.access_token, session.refresh_token)
    assert (await other.auth.get_user()).user.email == "async@club.example"
    await kept["client"].auth.refresh_session()


@step("auth, error of an unknown refresh token")
async def _():
    other = await acreate_client(URL, ANON)
    try:
        await other.auth.refresh_session("abcdefghijkl")
    except AuthApiError as error:
        assert error.code == "refresh_token_not_found", error.code
    else:
        raise AssertionError("no error")


@step("table.select, twenty at the same time")
async def _():
    query = lambda: kept["client"].table("members").select("*", count="exact").execute()
    answers = await asyncio.gather(*(query() for _ in range(20)))
    assert all(answer.count == 4 for answer in answers)


@step("table.insert, update, delete of own rows")
async def _():
    notes = kept["client"].table("notes")
    note = (await notes.insert({"body": "pier"}).execute()).data[0]
    await notes.update({"body": "boat"}).eq("id", note["id"]).execute()
    assert (await notes.select("body").execute()).data == [{"body": "boat"}]
    await notes.delete().eq("id", note["id"]).execute()


@step("table.insert, refused by row security")
async def _():
    anon = await acreate_client(URL, ANON)
    try:
        await anon.table("notes").insert({"body": "x", "author": "00000000-0000-0000-0000-000000000000"}).execute()
    except APIError as error:
        assert error.code == "42501", error.code
    else:
        raise AssertionError("no error")


@step("rpc with a list")
async def _():
    assert (await kept["client"].rpc("join_words", {"words": ["pier", "boat"]}).execute()).data == "pier-boat"


@step("storage, ten uploads at the same time")
async def _():
    service, client = kept["service"], kept["client"]
    await service.storage.create_bucket("async")
    files = client.storage.from_("async")
    names = [f"{number}.txt" for number in range(10)]
    await asyncio.gather(*(files.upload(name, name.encode(), {"content-type": "text/plain"}) for name in names))
    assert [entry["name"] for entry in await files.list()] == names
    assert await files.download("3.txt") == b"3.txt"
    assert len(await files.remove(names)) == 10
    await service.storage.delete_bucket("async")


@step("functions.invoke")
async def _():
    answer = await kept["client"].functions.invoke("hello", {"body": {"a": 1}, "region": "eu-west-2", "responseType": "json"})
    assert answer["region"] == "eu-west-2"


@step("auth.sign_out")
async def _():
    await kept["client"].auth.sign_out()


asyncio.run(run_async())
