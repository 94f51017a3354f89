"""SQLAlchemy over DB_URL with asyncpg and psycopg: reflection, the ORM, and Alembic's migrations that are generated from the difference."""

import asyncio
import json
import os
import sys
import tempfile
import uuid
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy.dialects import postgresql as pg
from sqlalchemy.ext.asyncio import async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship, selectinload

from steps import raises, run_async, step

DB_URL = os.environ["DB_URL"]
USER, OTHER = os.environ["USER_IDS"].split()
SYNC = DB_URL.replace("postgresql://", "postgresql+psycopg://", 1)
engine = sa.create_engine(SYNC)


class Base(DeclarativeBase):
    pass


class Crew(Base):
    __tablename__ = "crews"
    id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    name: Mapped[str] = mapped_column(sa.String(60), unique=True)
    owner: Mapped[uuid.UUID | None] = mapped_column(sa.Uuid, server_default=sa.text("auth.uid()"))
    mood: Mapped[str] = mapped_column(pg.ENUM("sad", "ok", name="mood", create_type=False), server_default="ok")
    tags: Mapped[list[str]] = mapped_column(pg.ARRAY(sa.Text), server_default="{}")
    meta: Mapped[dict] = mapped_column(pg.JSONB, server_default="{}")
    trips: Mapped[list["Trip"]] = relationship(back_populates="crew", cascade="all, delete-orphan")


class Trip(Base):
    __tablename__ = "trips"
    id: Mapped[int] = mapped_column(sa.Integer, sa.Identity(), primary_key=True)
    to: Mapped[str] = mapped_column(sa.Text)
    crew_id: Mapped[int] = mapped_column(sa.ForeignKey("crews.id", ondelete="CASCADE"), index=True)
    crew: Mapped[Crew] = relationship(back_populates="trips")


@step("reflection of the project's tables and of auth.users")
def _():
    metadata = sa.MetaData()
    metadata.reflect(engine, schema="public", only=["clubs", "notes"])
    notes = metadata.tables["public.notes"]
    assert {key.target_fullname for key in notes.foreign_keys} == {"public.clubs.id", "auth.users.id"}
    assert notes.c.mood.type.enums == ["sad", "ok"] and isinstance(notes.c.tags.type, pg.ARRAY)
    inspector = sa.inspect(engine)
    assert {"auth", "storage", "public"} <= set(inspector.get_schema_names())
    assert inspector.get_pk_constraint("users", schema="auth")["constrained_columns"] == ["id"]


@step("Alembic: a migration that is generated from the difference, upgrade, no difference left, downgrade, upgrade")
def _():
    folder = Path(tempfile.mkdtemp())
    config = Config(str(folder / "alembic.ini"), stdout=sys.stderr)
    config.set_main_option("script_location", str(folder / "alembic"))
    config.set_main_option("sqlalchemy.url", SYNC.replace("%", "%%"))
    command.init(config, str(folder / "alembic"))
    mine = {"crews", "trips", "alembic_version"}
    environment = folder / "alembic/env.py"
    text = environment.read_text().replace("target_metadata = None", "import __main__\ntarget_metadata = __main__.Base.metadata")
    text = text.replace("target_metadata=target_metadata", f"target_metadata=target_metadata, include_name=lambda name, kind, parents: kind != 'table' or name in {mine!r}")
    environment.write_text(text.replace("fileConfig(config.config_file_name)", "pass"))
    command.revision(config, "crews", autogenerate=True)
    made = next((folder / "alembic/versions").glob("*.py")).read_text()
    assert "create_table('crews'" in made and "drop_table" not in made.split("def downgrade")[0], made
    command.upgrade(config, "head")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_name": lambda name, kind, parents: kind != "table" or name in mine})
        differences = compare_metadata(context, Base.metadata)
        assert differences == [], differences
    command.downgrade(config, "base")
    command.upgrade(config, "head")
    with engine.begin() as connection:
        connection.execute(sa.text("alter table public.crews enable row level security"))
        connection.execute(sa.text("alter table public.trips enable row level security"))
        connection.execute(sa.text("create policy own on public.crews to authenticated using (owner = auth.uid()) with check (owner = auth.uid())"))


@step("the ORM with asyncpg: cascades, eager loading, JSON paths, upserts, a unique violation")
async def _():
    asynchronous = create_async_engine(DB_URL.replace("postgresql://", "postgresql+asyncpg://", 1), pool_size=3)
    sessions = async_sessionmaker(asynchronous, expire_on_commit=False)
    async with sessions.begin() as session:
        session.add(Crew(name="Ann “Ü”", owner=uuid.UUID(USER), mood="sad", tags=["a,b"], meta={"a": {"b": 1}}, trips=[Trip(to="Arran"), Trip(to="Bute")]))
    async with sessions() as session:
        crew = (await session.scalars(sa.select(Crew).options(selectinload(Crew.trips)).where(Crew.meta["a"]["b"].as_integer() == 1))).one()
        assert (crew.mood, crew.tags, [trip.to for trip in crew.trips]) == ("sad", ["a,b"], ["Arran", "Bute"])
    async with sessions.begin() as session:
        insert = pg.insert(Crew).values(name="Ann “Ü”", mood="ok")
        await session.execute(insert.on_conflict_do_update(index_elements=["name"], set_={"mood": insert.excluded.mood}))
        assert await session.scalar(sa.select(Crew.mood)) == "ok"
    try:
        async with sessions.begin() as session:
            session.add(Crew(name="Ann “Ü”"))
        raise AssertionError("no violation")
    except sa.exc.IntegrityError as error:
        assert "23505" in str(error.orig.sqlstate)
    found = await asyncio.gather(*(one(sessions, number) for number in range(30)))
    assert found == list(range(30))
    await asynchronous.dispose()


async def one(sessions, number):
    async with sessions() as session:
        return await session.scalar(sa.select(sa.literal(number)))


@step("as a signed-in user: own rows only")
def _():
    for user, expected in ((USER, 1), (OTHER, 0)):
        with engine.begin() as connection:
            claims = json.dumps({"sub": user, "role": "authenticated"})
            connection.execute(sa.text("select set_config('role', 'authenticated', true), set_config('request.jwt.claims', :claims, true)"), {"claims": claims})
            assert connection.scalar(sa.select(sa.func.count()).select_from(Crew)) == expected

            def insert():
                with connection.begin_nested():
                    connection.execute(sa.insert(Crew).values(name="x", owner=uuid.uuid4()))

            assert "row-level security" in str(raises(sa.exc.ProgrammingError, insert))
    Base.metadata.drop_all(engine)
    engine.dispose()


asyncio.run(run_async())
