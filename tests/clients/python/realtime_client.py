"""Realtime of the asynchronous client: broadcast, presence, database changes, private channels."""

import asyncio

from supabase import AsyncClientOptions, acreate_client

from steps import ANON, PASSWORD, SERVICE, URL, run_async, step

TIMEOUT = 15
kept = {}


async def received(queue):
    return await asyncio.wait_for(queue.get(), TIMEOUT)


async def subscribed(channel):
    done = asyncio.get_running_loop().create_future()

    def on_status(status, error):
        if not done.done():
            done.set_result((str(getattr(status, "value", status)), error))

    await channel.subscribe(on_status)
    status, error = await asyncio.wait_for(done, TIMEOUT)
    assert status == "SUBSCRIBED", (status, error)


@step("realtime.connect, channel.subscribe")
async def _():
    service = await acreate_client(URL, SERVICE, AsyncClientOptions(auto_refresh_token=False))
    client = await acreate_client(URL, ANON, AsyncClientOptions(auto_refresh_token=False))
    await service.auth.admin.create_user({"email": "realtime@club.example", "password": PASSWORD, "email_confirm": True})
    await client.auth.sign_in_with_password({"email": "realtime@club.example", "password": PASSWORD})
    kept["client"] = client
    queues = {name: asyncio.Queue() for name in ("broadcast", "join", "leave", "change")}
    channel = client.channel("room", {"config": {"broadcast": {"self": True, "ack": True}, "presence": {"key": "me"}, "private": True}})
    channel.on_broadcast("said", lambda payload: queues["broadcast"].put_nowait(payload))
    channel.on_presence_join(lambda key, current, new: queues["join"].put_nowait(key))
    channel.on_presence_leave(lambda key, current, left: queues["leave"].put_nowait(key))
    channel.on_postgres_changes("*", schema="public", table="members", callback=lambda payload: queues["change"].put_nowait(payload))
    # The channel gets changes only after the message that follows the join.
    ready = asyncio.Event()
    channel.on_system(lambda payload: ready.set())
    await subscribed(channel)
    await asyncio.wait_for(ready.wait(), TIMEOUT)
    kept.update(channel=channel, **queues)


@step("channel.send_broadcast")
async def _():
    await kept["channel"].send_broadcast("said", {"word": "pier"})
    assert (await received(kept["broadcast"]))["payload"]["word"] == "pier"


@step("channel.track, presence_state")
async def _():
    await kept["channel"].track({"at": 1})
    assert await received(kept["join"]) == "me"
    assert kept["channel"].presence_state()["me"][0]["at"] == 1


@step("channel.untrack")
async def _():
    await kept["channel"].untrack()
    assert await received(kept["leave"]) == "me"


@step("on_postgres_changes")
async def _():
    members = kept["client"].table("members")
    kinds = []
    for change in (members.insert({"name": "Kim"}), members.update({"age": 9}).eq("name", "Kim"), members.delete().eq("name", "Kim")):
        await change.execute()
        data = (await received(kept["change"]))["data"]
        kinds.append(str(getattr(data["type"], "value", data["type"])))
    assert kinds == ["INSERT", "UPDATE", "DELETE"], kinds


@step("realtime.set_auth")
async def _():
    session = await kept["client"].auth.get_session()
    await kept["client"].realtime.set_auth(session.access_token)


@step("a second channel; channel.unsubscribe; remove_all_channels")
async def _():
    other = kept["client"].channel("other")
    await subscribed(other)
    await other.unsubscribe()
    await kept["client"].remove_all_channels()
    assert kept["client"].get_channels() == []


asyncio.run(run_async())
