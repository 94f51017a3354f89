/* Prints how pg_cron interprets schedules. Each input line is one JSON string. The output line contains the same string, a tab and the result.
 * The result is `-` (refused), `start` (@reboot), `N seconds`, `never`, or the next three times at which the job runs after the given time.
 * The functions of pg_cron's src/entry.c and src/misc.c parse the schedules. The code below repeats TryParseInterval of job_metadata.c and the
 * condition of ShouldRunTask in pg_cron.c, which cannot be compiled without PostgreSQL. cron_schedules.mjs compiles and runs this program. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>
#include <time.h>

#define MAIN_PROGRAM
#include "cron.h"

#define DAYS (41 * 366)
#define RUNS 3

/* Reads the JSON string of a line; the generator writes only the escapes \t, \n, \r, \", \\. */
static void unescape(const char *line, char *out)
{
	for (line++; *line != '"' && *line != '\0'; line++) {
		if (*line != '\\')
			*out++ = *line;
		else
			*out++ = *++line == 't' ? '\t' : *line == 'n' ? '\n' : *line == 'r' ? '\r' : *line;
	}
	*out = '\0';
}

static int interval(const char *schedule, unsigned *seconds)
{
	char lower[4096], last = '\0', plural = '\0', extra = '\0';
	size_t length = strlen(schedule);
	for (size_t at = 0; at <= length; at++)
		lower[at] = (char) tolower((unsigned char) schedule[at]);
	int parts = sscanf(lower, " %u secon%c%c %c", seconds, &last, &plural, &extra);
	return last == 'd' && (parts == 2 || (parts == 3 && plural == 's')) && *seconds > 0 && *seconds < 60;
}

static void print_runs(entry *e, time_t after)
{
	int count = 0;
	time_t start = after - after % 86400;
	for (int day = 0; day < DAYS && count < RUNS; day++) {
		time_t midnight = start + (time_t) day * 86400, tomorrow = midnight + 86400;
		struct tm now, next;
		gmtime_r(&midnight, &now);
		gmtime_r(&tomorrow, &next);
		int last = (e->flags & DOM_LAST) != 0 && next.tm_mday == 1;
		int dom = last || bit_test(e->dom, now.tm_mday - FIRST_DOM) != 0;
		int dow = bit_test(e->dow, now.tm_wday - FIRST_DOW) != 0;
		if (!bit_test(e->month, now.tm_mon + 1 - FIRST_MONTH))
			continue;
		if (!((e->flags & (DOM_STAR | DOW_STAR)) != 0 ? (dom && dow) : (dom || dow)))
			continue;
		for (int minute = 0; minute < 1440 && count < RUNS; minute++) {
			time_t run = midnight + minute * 60;
			if (run > after && bit_test(e->hour, minute / 60) && bit_test(e->minute, minute % 60)) {
				char text[32];
				gmtime_r(&run, &now);
				strftime(text, sizeof text, "%Y-%m-%dT%H:%M:00Z", &now);
				printf("%s%s", count++ ? " " : "", text);
			}
		}
	}
	printf("%s\n", count ? "" : "never");
}

int main(int count, char **arguments)
{
	static char line[16384], schedule[16384];
	time_t after = count > 1 ? (time_t) atoll(arguments[1]) : 0;
	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = '\0';
		unescape(line, schedule);
		printf("%s\t", line);
		unsigned seconds = 0;
		entry *e = parse_cron_entry(schedule);
		if (e == NULL)
			interval(schedule, &seconds) ? printf("%u seconds\n", seconds) : printf("-\n");
		else if (e->flags & WHEN_REBOOT)
			printf("start\n");
		else
			print_runs(e, after);
	}
	return 0;
}
