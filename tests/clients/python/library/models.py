"""Books, their authors and readers."""

from django.contrib.auth.models import User
from django.contrib.postgres.fields import ArrayField
from django.db import models


class Author(models.Model):
    name = models.CharField(max_length=100, unique=True)


class Book(models.Model):
    title = models.CharField(max_length=200)
    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="books")
    readers = models.ManyToManyField(User, related_name="books")
    tags = ArrayField(models.CharField(max_length=20), default=list)
    details = models.JSONField(default=dict)
    price = models.DecimalField(max_digits=6, decimal_places=2, default=0)
    added = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(price__gte=0), name="price_is_not_negative")]
