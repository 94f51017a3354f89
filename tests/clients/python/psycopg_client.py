"""psycopg 3 over DB_URL: a pool, pipelines, COPY, server-side cursors, notifications, enums, and queries as a signed-in user."""

import datetime
import decimal
import json
import os
import uuid

import psycopg
from psycopg.rows import dict_row
from psycopg.types.enum import EnumInfo, register_enum
from psycopg.types.json import Jsonb
from psycopg.types.range import Range
from psycopg_pool import ConnectionPool

from steps import raises, run, step

DB_URL = os.environ["DB_URL"]
USER, OTHER = os.environ["USER_IDS"].split()
pool = ConnectionPool(DB_URL, min_size=1, max_size=3, open=True, kwargs={"row_factory": dict_row})


def as_user(connection, user):
    claims = json.dumps({"sub": user, "role": "authenticated"})
    connection.execute("select set_config('role', 'authenticated', true), set_config('request.jwt.claims', %s, true)", [claims])


@step("a pool, enums from the catalog, binary and text parameters")
def _():
    with pool.connection() as connection:
        connection.execute("create table public.crews (id bigserial primary key, name text unique, owner uuid default auth.uid(), mood public.mood, meta jsonb, price numeric, at timestamptz, tags text[], stay int4range)")
        connection.execute("alter table public.crews enable row level security")
        connection.execute("create policy own on public.crews to authenticated using (owner = auth.uid()) with check (owner = auth.uid())")
        mood = EnumInfo.fetch(connection, "public.mood")
        register_enum(mood, connection)
        at = datetime.datetime(2026, 11, 30, 9, tzinfo=datetime.timezone.utc)
        row = {"name": "Ann “Ü” 🚢", "owner": uuid.UUID(USER), "mood": mood.enum.sad, "meta": Jsonb({"a": [1]}), "price": decimal.Decimal("12.50"), "at": at, "tags": ["a,b", None], "stay": Range(1, 5)}
        for sign in ("s", "b"):
            connection.execute("delete from public.crews")
            places = ", ".join(f"%({name}){sign}" for name in row)
            connection.execute(f"insert into public.crews ({', '.join(row)}) values ({places})", row)
            found = connection.execute(f"select {', '.join(row)} from public.crews", binary=sign == "b").fetchone()
            assert found == {**row, "meta": {"a": [1]}}, found


@step("a pipeline, COPY, a server-side cursor, executemany with returned rows")
def _():
    with pool.connection() as connection:
        with connection.pipeline():
            cursors = [connection.execute("select %s::int as number", [number]) for number in range(50)]
        assert [cursor.fetchone()["number"] for cursor in cursors] == list(range(50))
        with connection.cursor() as cursor:
            with cursor.copy("copy public.crews (name, price) from stdin") as copy:
                for number in range(500):
                    copy.write_row((f"crew\t{number}", number))
            cursor.executemany("insert into public.crews (name) values (%s) returning name", [("x",), ("y",)], returning=True)
            names = [cursor.fetchone()["name"]]
            while cursor.nextset():
                names.append(cursor.fetchone()["name"])
            assert names == ["x", "y"], names
            with cursor.copy("copy (select name from public.crews where name like 'crew%' order by id limit 2) to stdout") as copy:
                assert list(copy.rows()) == [("crew\t0",), ("crew\t1",)]
        with connection.cursor("named", scrollable=True) as cursor:
            cursor.execute("select id from public.crews")
            assert len(cursor.fetchmany(100)) == 100


@step("prepared statements, also after a change of the table")
def _():
    with pool.connection() as connection:
        connection.prepare_threshold = 2
        for _ in range(6):
            connection.execute("select * from public.crews where id = %s", [1]).fetchall()
        connection.execute("alter table public.crews add column extra int default 7")
        connection.commit()
        assert connection.execute("select * from public.crews where name = %s", ["x"]).fetchone()["extra"] == 7


@step("LISTEN and NOTIFY")
def _():
    with psycopg.connect(DB_URL, autocommit=True) as connection:
        connection.execute("listen boats")
        with pool.connection() as other:
            other.execute("select pg_notify('boats', 'ahoy')")
        assert [notice.payload for notice in connection.notifies(timeout=10, stop_after=1)] == ["ahoy"]


@step("as a signed-in user: own rows only, and a savepoint after a refusal")
def _():
    with pool.connection() as connection:
        as_user(connection, USER)
        assert connection.execute("select count(*) as number from public.crews").fetchone()["number"] == 1

        def insert():
            with connection.transaction():
                connection.execute("insert into public.crews (name, owner) values ('z', %s)", [OTHER])

        assert "row-level security" in str(raises(psycopg.errors.InsufficientPrivilege, insert))
    with pool.connection() as connection:
        as_user(connection, OTHER)
        assert connection.execute("select * from public.crews").fetchall() == []
    with pool.connection() as connection:
        connection.execute("drop table public.crews")


run()
pool.close()
