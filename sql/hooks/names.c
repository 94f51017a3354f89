/* Comma-separated lists of names in the library's settings. */
#include "cloch_hooks.h"

/* Returns the next name of a list without surrounding blanks, and moves the cursor behind it; NULL at the end of the list. */
static const char *
next_name(const char **cursor, size_t *length)
{
	const char *start = *cursor;
	const char *end;

	while (*start == ' ' || *start == ',')
		start++;
	if (*start == '\0')
		return NULL;
	end = start;
	while (*end != '\0' && *end != ',')
		end++;
	*cursor = end;
	while (end > start && end[-1] == ' ')
		end--;
	*length = (size_t) (end - start);
	return start;
}

/* Whether a list contains exactly this name. `is_starred` receives whether the list has a `*` behind the name. */
bool
list_contains(const char *list, const char *name, bool *is_starred)
{
	const char *cursor = list ? list : "";
	const char *entry;
	size_t		length;

	while ((entry = next_name(&cursor, &length)) != NULL)
	{
		bool		star = entry[length - 1] == '*';
		size_t		own = star ? length - 1 : length;

		if (strlen(name) == own && strncmp(name, entry, own) == 0)
		{
			if (is_starred != NULL)
				*is_starred = star;
			return true;
		}
	}
	return false;
}

/* Whether a list contains this name, or a prefix of it followed by `*`. */
bool
list_matches(const char *list, const char *name)
{
	const char *cursor = list ? list : "";
	const char *entry;
	size_t		length;

	while ((entry = next_name(&cursor, &length)) != NULL)
	{
		bool		star = entry[length - 1] == '*';
		size_t		own = star ? length - 1 : length;

		if (strncmp(name, entry, own) == 0 && (star || name[own] == '\0'))
			return true;
	}
	return false;
}
