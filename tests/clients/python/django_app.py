"""Django over DB_URL: migrations, users, queries, transactions. The app is in library/."""

import os
import shutil
import sys
import tempfile
from decimal import Decimal
from io import StringIO
from pathlib import Path
from urllib.parse import unquote, urlsplit

import django
from django.conf import settings

from steps import PASSWORD, raises, run, step

# Django writes migrations into the app's folder.
folder = tempfile.mkdtemp()
shutil.copytree(Path(__file__).parent / "library", Path(folder) / "library")
sys.path.insert(0, folder)
url = urlsplit(os.environ["DB_URL"])
settings.configure(
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "django.contrib.postgres", "library"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": url.path[1:],
            "USER": unquote(url.username),
            "PASSWORD": unquote(url.password),
            "HOST": url.hostname,
            "PORT": url.port,
        }
    },
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    USE_TZ=True,
)
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.contrib.postgres.aggregates import ArrayAgg  # noqa: E402
from django.contrib.postgres.search import SearchVector  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import IntegrityError, connection, transaction  # noqa: E402
from django.db.models import Count, F, Sum  # noqa: E402
from library.models import Author, Book  # noqa: E402


def command(*arguments, **options):
    output = StringIO()
    call_command(*arguments, stdout=output, **options)
    return output.getvalue()


@step("makemigrations, migrate")
def _():
    assert "Create model Book" in command("makemigrations", "library")
    assert "Applying library.0001_initial... OK" in command("migrate")


@step("migrate once more, migrate --check")
def _():
    assert "No migrations to apply" in command("migrate")
    command("migrate", check_unapplied=True)


@step("create, with arrays, JSON and decimals")
def _():
    gunn = Author.objects.create(name="Neil M. Gunn")
    mitchison = Author.objects.create(name="Naomi Mitchison")
    Book.objects.create(title="The Silver Darlings", author=gunn, tags=["sea", "fishing, old"], details={"pages": 584}, price=Decimal("9.99"))
    Book.objects.bulk_create(
        [
            Book(title="Highland River", author=gunn, tags=["sea"], details={"pages": 256, "prize": {"year": 1937}}, price=8),
            Book(title="The Corn King and the Spring Queen", author=mitchison, details={"pages": 719}, price=12),
        ]
    )
    assert Book.objects.get(title="Highland River").details["prize"]["year"] == 1937


@step("create_user, authenticate by the stored hash")
def _():
    user = User.objects.create_user("ann", "ann@club.example", PASSWORD)
    assert User.objects.get(pk=user.pk).check_password(PASSWORD)
    assert user.password.startswith("pbkdf2_")
    Book.objects.get(title="Highland River").readers.add(user)


@step("filters over relations, arrays and JSON")
def _():
    titles = lambda **conditions: list(Book.objects.filter(**conditions).order_by("title").values_list("title", flat=True))  # noqa: E731
    assert titles(author__name__icontains="gunn") == ["Highland River", "The Silver Darlings"]
    assert titles(tags__contains=["fishing, old"]) == ["The Silver Darlings"]
    assert titles(details__prize__year=1937) == ["Highland River"]
    assert titles(details__pages__gt=500, price__lt=10) == ["The Silver Darlings"]
    assert titles(readers__username="ann") == ["Highland River"]


@step("aggregates, prefetch, full-text search")
def _():
    counts = Author.objects.annotate(count=Count("books"), total=Sum("books__price"), titles=ArrayAgg("books__title", order_by="books__title"))
    assert counts.order_by("name").values_list("count", "total")[1] == (2, Decimal("17.99"))
    assert [len(author.books.all()) for author in Author.objects.prefetch_related("books").order_by("name")] == [1, 2]
    assert Book.objects.annotate(words=SearchVector("title", config="english")).filter(words="darling").count() == 1


@step("update by an expression, select_for_update, server-side cursor")
def _():
    assert Book.objects.update(price=F("price") + 1) == 3
    with transaction.atomic():
        assert Book.objects.select_for_update().get(title="Highland River").price == 9
    assert len(list(Book.objects.iterator(chunk_size=1))) == 3


@step("constraints, a transaction that is rolled back, savepoints")
def _():
    raises(IntegrityError, Author.objects.create, name="Neil M. Gunn")
    raises(IntegrityError, Book.objects.update, price=-1)
    try:
        with transaction.atomic():
            Author.objects.create(name="Nobody")
            try:
                with transaction.atomic():
                    Author.objects.create(name="Neil M. Gunn")
            except IntegrityError:
                assert Author.objects.filter(name="Nobody").exists()
            raise KeyError("no")
    except KeyError:
        assert not Author.objects.filter(name="Nobody").exists()


@step("inspectdb")
def _():
    text = command("inspectdb", "library_book")
    assert "class LibraryBook(models.Model):" in text and "tags = " in text


run()
connection.close()
shutil.rmtree(folder)
