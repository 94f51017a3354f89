"""A Django app whose migrations are created by Django."""
