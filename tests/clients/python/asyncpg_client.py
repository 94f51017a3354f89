"""asyncpg over DB_URL: a pool with prepared statements, types, COPY, cursors, notifications, and queries as a signed-in user."""

import asyncio
import datetime
import decimal
import ipaddress
import json
import os
import uuid

import asyncpg

from steps import run_async, step

DB_URL = os.environ["DB_URL"]
USER, OTHER = os.environ["USER_IDS"].split()
kept = {}


async def as_user(connection, user):
    claims = json.dumps({"sub": user, "role": "authenticated"})
    await connection.execute("select set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true)", claims)


async def refused(kind, awaitable):
    try:
        await awaitable
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


@step("a pool, with codecs for JSON")
async def _():
    async def init(connection):
        await connection.set_type_codec("jsonb", encoder=json.dumps, decoder=json.loads, schema="pg_catalog")

    kept["pool"] = await asyncpg.create_pool(DB_URL, min_size=2, max_size=4, init=init)
    await kept["pool"].execute("create table public.crews (id bigserial primary key, name text unique, owner uuid default auth.uid(), mood public.mood, moods public.mood[], meta jsonb, price numeric, at timestamptz, day date, tags text[], address inet, stay int4range, photo bytea, place point, lasts interval)")
    await kept["pool"].execute("alter table public.crews enable row level security; create policy own on public.crews to authenticated using (owner = auth.uid()) with check (owner = auth.uid())")


@step("values of every type in binary, and enums that are looked up in the catalog")
async def _():
    at = datetime.datetime(2026, 11, 30, 9, 0, 0, 123456, tzinfo=datetime.timezone.utc)
    row = {
        "name": "Ann “Ü” 🚢", "owner": uuid.UUID(USER), "mood": "sad", "moods": ["ok", "sad"], "meta": {"a": [1, None]}, "price": decimal.Decimal("12.50"),
        "at": at, "day": at.date(), "tags": ["a,b", '"', None], "address": ipaddress.ip_address("10.0.0.1"), "stay": asyncpg.Range(1, 5),
        "photo": b"\x00\xff", "place": asyncpg.Point(1.5, -2), "lasts": datetime.timedelta(days=1, seconds=2),
    }
    places = ", ".join(f"${number}" for number in range(1, len(row) + 1))
    await kept["pool"].execute(f"insert into public.crews ({', '.join(row)}) values ({places})", *row.values())
    found = dict(await kept["pool"].fetchrow(f"select {', '.join(row)} from public.crews"))
    assert found == row, found


@step("a hundred queries at the same time, with 4 connections")
async def _():
    found = await asyncio.gather(*(kept["pool"].fetchval("select $1::int + 1", number) for number in range(100)))
    assert found == list(range(1, 101)), found


@step("COPY in both directions, executemany, a cursor")
async def _():
    async with kept["pool"].acquire() as connection:
        records = [(f"crew {number}", decimal.Decimal(number), ["x"]) for number in range(500)]
        assert await connection.copy_records_to_table("crews", schema_name="public", records=records, columns=["name", "price", "tags"]) == "COPY 500"
        await connection.executemany("update public.crews set price = $2 where name = $1", [(f"crew {number}", decimal.Decimal(-number)) for number in range(50)])
        chunks = []

        async def take(data):
            chunks.append(data)

        await connection.copy_from_query("select name from public.crews where price < $1 order by id", decimal.Decimal(0), output=take, format="csv")
        assert b"".join(chunks).decode().splitlines() == [f"crew {number}" for number in range(1, 50)], chunks
        async with connection.transaction():
            seen = [record["id"] async for record in connection.cursor("select id from public.crews order by id", prefetch=50)]
        assert len(seen) == 501, len(seen)


@step("LISTEN and NOTIFY")
async def _():
    heard = asyncio.get_running_loop().create_future()
    async with kept["pool"].acquire() as connection:
        def hear(_connection, _process, _channel, payload):
            heard.set_result(payload)

        await connection.add_listener("boats", hear)
        await kept["pool"].execute("select pg_notify('boats', 'ahoy')")
        assert await asyncio.wait_for(heard, 10) == "ahoy"
        await connection.remove_listener("boats", hear)


@step("as a signed-in user: own rows only, and a savepoint after a refusal")
async def _():
    async with kept["pool"].acquire() as connection:
        async with connection.transaction():
            await as_user(connection, USER)
            assert await connection.fetchval("select count(*) from public.crews") == 1
            error = await refused(asyncpg.InsufficientPrivilegeError, in_savepoint(connection, "insert into public.crews (name, owner) values ('x', $1)", uuid.UUID(OTHER)))
            assert "row-level security" in str(error), error
            assert await connection.fetchval("insert into public.crews (name) values ('mine') returning owner") == uuid.UUID(USER)
        async with connection.transaction():
            await as_user(connection, OTHER)
            assert await connection.fetch("select * from public.crews") == []
        assert await connection.fetchval("select current_user") == "postgres"


async def in_savepoint(connection, statement, *values):
    async with connection.transaction():
        await connection.execute(statement, *values)


@step("a statement that is cancelled by its time limit, after which the pool works")
async def _():
    await refused(asyncio.TimeoutError, kept["pool"].fetch("select pg_sleep(10)", timeout=0.2))
    assert await kept["pool"].fetchval("select 1") == 1
    await kept["pool"].execute("drop table public.crews")
    await kept["pool"].close()


asyncio.run(run_async())
