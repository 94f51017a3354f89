"""An app of Django, whose migrations Django makes."""
