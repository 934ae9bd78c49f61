/* The rows of bench_users in memory, an array for each column, as array binding takes them. */
#ifndef ROWS_H
#define ROWS_H

#include <mysql.h>

enum { COLUMNS = 6 };

struct rows {
    unsigned n, room;
    long long *ids;
    int *ages;
    double *scores;
    MYSQL_TIME *moments, **moment_pointers;
    char **names, **emails;
    unsigned long *name_lengths, *email_lengths;
    /* STMT_INDICATOR_NULL where a row has no email; the same as a flag for bindings of one row. */
    char *email_indicators;
    my_bool *email_nulls;
};

/* Reads fields with tabs between them. Returns what went wrong, or NULL. */
const char *read_rows(struct rows *rows, const char *path);

#endif
