/* MariaDB's Connector/C, inserting rows of bench_users from memory, a transaction a batch.
 *
 *   connector-c text|prepared|bulk FILE STATEMENT_ROWS WARM_UPS LAPS      the server and the table in PEER_HOST .. PEER_TABLE
 *
 * text: values written into a statement of many rows; prepared: bound to the placeholders of one statement of many rows; bulk: arrays
 * bound to one row's placeholders, which the connector sends as COM_STMT_BULK_EXECUTE (MariaDB only). The arrays, and what is bound to
 * placeholders, are put together before any clock runs. */
#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { COLUMNS = 6, LINE = 512, WARM_UP_ROWS = 10000 };

static MYSQL *db;
static char head[256];

/* The rows, a column each. */
static unsigned n_rows;
static long long *ids;
static int *ages;
static double *scores;
static MYSQL_TIME *moments, **moment_pointers;
static char **names, **emails;
static unsigned long *name_lengths, *email_lengths;

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static void run(const char *sql, unsigned long length) {
    if (mysql_real_query(db, sql, length)) fail(mysql_error(db));
}

static char *cut(char **rest, unsigned long *length) {
    char *cell = *rest;
    *length = strcspn(cell, ",\n");
    *rest = cell + *length + 1;
    cell[*length] = 0;
    return cell;
}

static void *grow(void *old, unsigned room, size_t size) {
    void *new = realloc(old, room * size);
    if (!new) fail("no memory");
    return new;
}

static void read_rows(const char *path) {
    char line[LINE];
    FILE *file = fopen(path, "r");
    if (!file || !fgets(line, LINE, file)) fail("cannot read the file");
    unsigned room = 0;
    while (fgets(line, LINE, file)) {
        if (n_rows == room) {
            room = room ? 2 * room : 1024;
            ids = grow(ids, room, sizeof *ids), ages = grow(ages, room, sizeof *ages), scores = grow(scores, room, sizeof *scores);
            moments = grow(moments, room, sizeof *moments);
            names = grow(names, room, sizeof *names), emails = grow(emails, room, sizeof *emails);
            name_lengths = grow(name_lengths, room, sizeof *name_lengths), email_lengths = grow(email_lengths, room, sizeof *email_lengths);
        }
        char *rest = line;
        unsigned long length;
        ids[n_rows] = atoll(cut(&rest, &length));
        names[n_rows] = strdup(cut(&rest, &name_lengths[n_rows]));
        ages[n_rows] = atoi(cut(&rest, &length));
        emails[n_rows] = strdup(cut(&rest, &email_lengths[n_rows]));
        scores[n_rows] = strtod(cut(&rest, &length), NULL);
        MYSQL_TIME at = {.time_type = MYSQL_TIMESTAMP_DATETIME};
        sscanf(cut(&rest, &length), "%u-%u-%u %u:%u:%u", &at.year, &at.month, &at.day, &at.hour, &at.minute, &at.second);
        moments[n_rows++] = at;
    }
    fclose(file);
    /* An array of what has no length of its own is one of pointers. */
    moment_pointers = grow(NULL, n_rows, sizeof *moment_pointers);
    for (unsigned i = 0; i < n_rows; i++) moment_pointers[i] = &moments[i];
}

static unsigned long append_text(char *sql, const char *text, unsigned long length) {
    sql[0] = '\'';
    unsigned long at = 1 + mysql_real_escape_string(db, sql + 1, text, length);
    sql[at] = '\'';
    return at + 1;
}

static unsigned long append_row(char *sql, unsigned row) {
    unsigned long at = sprintf(sql, "(%lld,", ids[row]);
    at += append_text(sql + at, names[row], name_lengths[row]);
    at += sprintf(sql + at, ",%d,", ages[row]);
    at += append_text(sql + at, emails[row], email_lengths[row]);
    const MYSQL_TIME *t = &moments[row];
    at += sprintf(sql + at, ",%.17g,'%04u-%02u-%02u %02u:%02u:%02u')", scores[row], t->year, t->month, t->day, t->hour, t->minute, t->second);
    return at;
}

static void insert_text(char *sql, unsigned first, unsigned n) {
    unsigned long at = sprintf(sql, "%s", head);
    for (unsigned i = 0; i < n; i++) {
        if (i) sql[at++] = ',';
        at += append_row(sql + at, first + i);
    }
    run(sql, at);
}

/* Binds rows from `first` on: as arrays of one row's placeholders, or, where `bind` has room for `n` rows, one by one. */
static void bind_rows(MYSQL_BIND *bind, unsigned first, unsigned n) {
    enum enum_field_types types[COLUMNS] = {MYSQL_TYPE_LONGLONG, MYSQL_TYPE_STRING, MYSQL_TYPE_LONG,
                                            MYSQL_TYPE_STRING,   MYSQL_TYPE_DOUBLE, MYSQL_TYPE_DATETIME};
    for (unsigned i = 0; i < n; i++, bind += COLUMNS) {
        unsigned row = first + i;
        void *values[COLUMNS] = {&ids[row], names[row], &ages[row], emails[row], &scores[row], &moments[row]};
        for (int column = 0; column < COLUMNS; column++) {
            bind[column].buffer_type = types[column];
            bind[column].buffer = values[column];
        }
        bind[1].length = &name_lengths[row], bind[3].length = &email_lengths[row];
    }
}

static MYSQL_STMT *prepare(unsigned n) {
    char *sql = malloc(strlen(head) + 14 * (size_t)n + 1);
    char *at = sql + sprintf(sql, "%s", head);
    for (unsigned i = 0; i < n; i++) at += sprintf(at, "%s(?,?,?,?,?,?)", i ? "," : "");
    MYSQL_STMT *statement = mysql_stmt_init(db);
    if (mysql_stmt_prepare(statement, sql, at - sql)) fail(mysql_stmt_error(statement));
    free(sql);
    return statement;
}

static void execute(MYSQL_STMT *statement, MYSQL_BIND *bind) {
    if (mysql_stmt_bind_param(statement, bind) || mysql_stmt_execute(statement)) fail(mysql_stmt_error(statement));
}

static void insert_bulk(MYSQL_STMT *statement, unsigned first, unsigned n) {
    MYSQL_BIND bind[COLUMNS] = {0};
    bind_rows(bind, first, 1);
    bind[1].buffer = names + first, bind[3].buffer = emails + first, bind[5].buffer = moment_pointers + first;
    mysql_stmt_attr_set(statement, STMT_ATTR_ARRAY_SIZE, &n);
    execute(statement, bind);
}

static double seconds(struct timeval time) { return time.tv_sec + time.tv_usec / 1e6; }

int main(int argc, char **argv) {
    if (argc != 6) fail("see the top of main.c");
    const char *mode = argv[1];
    unsigned statement_rows = atoi(argv[3]), n_warm_ups = atoi(argv[4]), n_laps = atoi(argv[5]);
    int is_text = !strcmp(mode, "text"), is_bulk = !strcmp(mode, "bulk");
    read_rows(argv[2]);
    if (statement_rows > n_rows) statement_rows = n_rows;
    snprintf(head, sizeof head, "INSERT INTO %s (id,name,age,email,score,created) VALUES ", getenv("PEER_TABLE"));
    db = mysql_init(NULL);
    my_bool off = 0;
    mysql_optionsv(db, MYSQL_OPT_SSL_ENFORCE, &off);
    mysql_optionsv(db, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    if (!mysql_real_connect(db, getenv("PEER_HOST"), getenv("PEER_USER"), getenv("PEER_PASSWORD"), getenv("PEER_DATABASE"),
                            atoi(getenv("PEER_PORT")), NULL, 0))
        fail(mysql_error(db));

    char *sql = malloc(256 + (size_t)statement_rows * 2 * LINE);
    MYSQL_BIND *bind = is_text || is_bulk ? NULL : calloc((size_t)n_rows * COLUMNS, sizeof *bind);
    if (bind) bind_rows(bind, 0, n_rows);
    MYSQL_STMT *full = is_text ? NULL : prepare(is_bulk ? 1 : statement_rows);
    double user = 0, system = 0;
    printf("{\"seconds\": [");
    for (unsigned lap = 0; lap < n_warm_ups + n_laps; lap++) {
        int is_measured = lap >= n_warm_ups;
        unsigned n = !is_measured && n_rows > WARM_UP_ROWS ? WARM_UP_ROWS : n_rows;
        struct rusage before, after;
        struct timespec start, end;
        getrusage(RUSAGE_SELF, &before);
        clock_gettime(CLOCK_MONOTONIC, &start);
        run("START TRANSACTION", 17);
        for (unsigned first = 0; first < n; first += statement_rows) {
            unsigned rows = n - first < statement_rows ? n - first : statement_rows;
            if (is_text) {
                insert_text(sql, first, rows);
            } else if (is_bulk) {
                insert_bulk(full, first, rows);
            } else {
                MYSQL_STMT *statement = rows == statement_rows ? full : prepare(rows);
                execute(statement, bind + (size_t)first * COLUMNS);
                if (statement != full) mysql_stmt_close(statement);
            }
        }
        run("COMMIT", 6);
        clock_gettime(CLOCK_MONOTONIC, &end);
        getrusage(RUSAGE_SELF, &after);
        if (is_measured) {
            printf("%s%f", lap > n_warm_ups ? ", " : "", end.tv_sec - start.tv_sec + (end.tv_nsec - start.tv_nsec) / 1e9);
            user += seconds(after.ru_utime) - seconds(before.ru_utime);
            system += seconds(after.ru_stime) - seconds(before.ru_stime);
        }
        for (unsigned i = 0; i < n_rows; i++) ids[i] += n_rows;
    }
    printf("], \"user\": %f, \"system\": %f}\n", user, system);
    mysql_close(db);
    return 0;
}
