/* Reads the rows: see rows.h. */
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *grow(void *old, unsigned room, size_t size) {
    void *new = realloc(old, room * size);
    if (!new) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return new;
}

static void make_room(struct rows *r) {
    unsigned room = r->room ? 2 * r->room : 1024;
    r->ids = grow(r->ids, room, sizeof *r->ids), r->ages = grow(r->ages, room, sizeof *r->ages);
    r->scores = grow(r->scores, room, sizeof *r->scores), r->moments = grow(r->moments, room, sizeof *r->moments);
    r->names = grow(r->names, room, sizeof *r->names), r->emails = grow(r->emails, room, sizeof *r->emails);
    r->name_lengths = grow(r->name_lengths, room, sizeof *r->name_lengths);
    r->email_lengths = grow(r->email_lengths, room, sizeof *r->email_lengths);
    r->email_indicators = grow(r->email_indicators, room, sizeof *r->email_indicators);
    r->email_nulls = grow(r->email_nulls, room, sizeof *r->email_nulls);
    r->room = room;
}

static char *cut(char **rest, unsigned long *length) {
    char *cell = *rest;
    *length = strcspn(cell, "\t\n");
    *rest = cell + *length + (cell[*length] != 0);
    cell[*length] = 0;
    return cell;
}

const char *read_rows(struct rows *r, const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) return "cannot read the file of rows";
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, file) > 0) {
        if (r->n == r->room) make_room(r);
        char *rest = line;
        unsigned long length;
        unsigned i = r->n;
        r->ids[i] = atoll(cut(&rest, &length));
        r->names[i] = strdup(cut(&rest, &r->name_lengths[i]));
        r->ages[i] = atoi(cut(&rest, &length));
        r->emails[i] = strdup(cut(&rest, &r->email_lengths[i]));
        int is_null = !strcmp(r->emails[i], "\\N");
        r->email_indicators[i] = is_null ? STMT_INDICATOR_NULL : STMT_INDICATOR_NONE;
        r->email_nulls[i] = is_null;
        r->scores[i] = strtod(cut(&rest, &length), NULL);
        MYSQL_TIME at = {.time_type = MYSQL_TIMESTAMP_DATETIME};
        if (sscanf(cut(&rest, &length), "%u-%u-%u %u:%u:%u", &at.year, &at.month, &at.day, &at.hour, &at.minute, &at.second) != 6)
            return "the file of rows has a line that is not one of bench_users";
        r->moments[i] = at;
        r->n++;
    }
    free(line);
    fclose(file);
    /* An array of what has no length of its own is one of pointers. */
    r->moment_pointers = grow(NULL, r->n + 1, sizeof *r->moment_pointers);
    for (unsigned i = 0; i < r->n; i++) r->moment_pointers[i] = &r->moments[i];
    return NULL;
}
