/* MariaDB's Connector/C: a peer of `inrush bench` (docs/schema/peers-1.md).
 *
 * bulk: arrays bound to one row's placeholders (STMT_ATTR_ARRAY_SIZE), which the connector sends as COM_STMT_BULK_EXECUTE. Its manual,
 * "MYSQL_BIND", "Array binding": "can greatly improve the performance of many applications"; it needs a MariaDB server. For others the
 * manual has nothing for many rows: multi-row-prepared binds them to the placeholders of one statement of many rows, multi-row writes
 * them into one, by mysql_real_escape_string. The arrays are there before any clock runs; bindings are made while it does. */
#include "rows.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* A statement takes 65,535 values. ROW_TEXT is more than a row's text can take, escaped. */
enum { MOST_BOUND_ROWS = 65535 / COLUMNS, ROW_TEXT = 1024 };

static MYSQL *db;
static struct rows rows;
static char head[512];
static char problem[1024];

/* Keeps what went wrong, for the answer. */
static int fail(const char *what) {
    snprintf(problem, sizeof problem, "%s", what);
    return 0;
}

static int run_sql(const char *sql, unsigned long length) { return mysql_real_query(db, sql, length) ? fail(mysql_error(db)) : 1; }

static unsigned long append_text(char *sql, const char *text, unsigned long length) {
    sql[0] = '\'';
    unsigned long at = 1 + mysql_real_escape_string(db, sql + 1, text, length);
    sql[at] = '\'';
    return at + 1;
}

static unsigned long append_row(char *sql, unsigned row) {
    unsigned long at = sprintf(sql, "(%lld,", rows.ids[row]);
    at += append_text(sql + at, rows.names[row], rows.name_lengths[row]);
    at += sprintf(sql + at, ",%d,", rows.ages[row]);
    if (rows.email_nulls[row])
        at += sprintf(sql + at, "NULL");
    else
        at += append_text(sql + at, rows.emails[row], rows.email_lengths[row]);
    const MYSQL_TIME *t = &rows.moments[row];
    return at + sprintf(sql + at, ",%.17g,'%04u-%02u-%02u %02u:%02u:%02u')", rows.scores[row], t->year, t->month, t->day, t->hour, t->minute,
                        t->second);
}

static int insert_text(char *sql, unsigned first, unsigned n) {
    unsigned long at = sprintf(sql, "%s", head);
    for (unsigned i = 0; i < n; i++) {
        if (i) sql[at++] = ',';
        at += append_row(sql + at, first + i);
    }
    return run_sql(sql, at);
}

/* Binds rows from `first` on, one by one. */
static void bind_rows(MYSQL_BIND *bind, unsigned first, unsigned n) {
    static const enum enum_field_types types[COLUMNS] = {MYSQL_TYPE_LONGLONG, MYSQL_TYPE_STRING, MYSQL_TYPE_LONG,
                                                         MYSQL_TYPE_STRING,   MYSQL_TYPE_DOUBLE, MYSQL_TYPE_DATETIME};
    memset(bind, 0, (size_t)n * COLUMNS * sizeof *bind);
    for (unsigned row = first; row < first + n; row++, bind += COLUMNS) {
        void *values[COLUMNS] = {&rows.ids[row], rows.names[row], &rows.ages[row], rows.emails[row], &rows.scores[row], &rows.moments[row]};
        for (int column = 0; column < COLUMNS; column++) {
            bind[column].buffer_type = types[column];
            bind[column].buffer = values[column];
        }
        bind[1].length = &rows.name_lengths[row], bind[3].length = &rows.email_lengths[row], bind[3].is_null = &rows.email_nulls[row];
    }
}

static MYSQL_STMT *prepare(unsigned n) {
    char *sql = malloc(strlen(head) + 14 * (size_t)n + 1);
    char *at = sql + sprintf(sql, "%s", head);
    for (unsigned i = 0; i < n; i++) at += sprintf(at, "%s(?,?,?,?,?,?)", i ? "," : "");
    MYSQL_STMT *statement = mysql_stmt_init(db);
    int failed = mysql_stmt_prepare(statement, sql, at - sql);
    free(sql);
    if (!failed) return statement;
    fail(mysql_stmt_error(statement));
    mysql_stmt_close(statement);
    return NULL;
}

static int execute(MYSQL_STMT *statement, MYSQL_BIND *bind) {
    return mysql_stmt_bind_param(statement, bind) || mysql_stmt_execute(statement) ? fail(mysql_stmt_error(statement)) : 1;
}

static int insert_bulk(MYSQL_STMT *statement, unsigned first, unsigned n) {
    MYSQL_BIND bind[COLUMNS];
    bind_rows(bind, first, 1);
    bind[1].buffer = rows.names + first, bind[3].buffer = rows.emails + first, bind[5].buffer = rows.moment_pointers + first;
    bind[3].is_null = NULL, bind[3].u.indicator = rows.email_indicators + first;
    mysql_stmt_attr_set(statement, STMT_ATTR_ARRAY_SIZE, &n);
    return execute(statement, bind);
}

static int insert_bound(MYSQL_STMT *full, MYSQL_BIND *bind, unsigned full_rows, unsigned first, unsigned n) {
    bind_rows(bind, first, n);
    if (n == full_rows) return execute(full, bind);
    MYSQL_STMT *rest = prepare(n);
    int done = rest && execute(rest, bind);
    if (rest) mysql_stmt_close(rest);
    return done;
}

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static double user_time(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_utime.tv_usec / 1e6;
}

static double number(const cJSON *object, const char *name) { return cJSON_GetNumberValue(cJSON_GetObjectItem(object, name)); }

static const char *text(const cJSON *object, const char *name) {
    const char *found = cJSON_GetStringValue(cJSON_GetObjectItem(object, name));
    return found ? found : "";
}

static cJSON *prepared(const cJSON *message) {
    const cJSON *server = cJSON_GetObjectItem(message, "server");
    const char *socket = cJSON_GetStringValue(cJSON_GetObjectItem(server, "socket"));
    int has_tls = cJSON_IsTrue(cJSON_GetObjectItem(server, "tls"));
    my_bool enforce = has_tls, verify = 0;
    unsigned protocol = socket ? MYSQL_PROTOCOL_SOCKET : MYSQL_PROTOCOL_TCP;
    db = mysql_init(NULL);
    mysql_optionsv(db, MYSQL_OPT_PROTOCOL, &protocol);
    mysql_optionsv(db, MYSQL_OPT_SSL_ENFORCE, &enforce);
    mysql_optionsv(db, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
    mysql_optionsv(db, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    if (!mysql_real_connect(db, socket ? NULL : text(server, "host"), text(server, "user"), getenv("INRUSH_PASSWORD"), text(server, "database"),
                            (unsigned)number(server, "port"), socket, 0)) {
        fail(mysql_error(db));
        return NULL;
    }
    const char *wrong = read_rows(&rows, text(message, "file"));
    if (wrong) {
        fail(wrong);
        return NULL;
    }
    cJSON *answer = cJSON_CreateObject();
    cJSON_AddNumberToObject(answer, "ready", rows.n);
    return answer;
}

static cJSON *ran(const cJSON *message) {
    const char *how = text(message, "subject");
    how = strrchr(how, ' ') ? strrchr(how, ' ') + 1 : how;
    int is_text = !strcmp(how, "multi-row"), is_bulk = !strcmp(how, "bulk"), is_once = !strcmp(text(message, "commits"), "once");
    unsigned n = (unsigned)number(message, "rows"), first = (unsigned)number(message, "first") - 1;
    unsigned statement_rows = (unsigned)number(message, "statement_rows"), stored = 0;
    double cap = number(message, "cap");
    if (first + n > rows.n) {
        fail("more rows than the file has");
        return NULL;
    }
    if (statement_rows > n) statement_rows = n;
    if (!is_text && !is_bulk && statement_rows > MOST_BOUND_ROWS) statement_rows = MOST_BOUND_ROWS;
    snprintf(head, sizeof head, "INSERT INTO %s (id,name,age,email,score,created) VALUES ", text(message, "table"));
    char *sql = is_text ? malloc(sizeof head + (size_t)statement_rows * ROW_TEXT) : NULL;
    MYSQL_BIND *bind = is_text || is_bulk ? NULL : malloc((size_t)statement_rows * COLUMNS * sizeof *bind);
    MYSQL_STMT *full = is_text ? NULL : prepare(is_bulk ? 1 : statement_rows);
    int is_good = is_text || full;
    double start = now(CLOCK_MONOTONIC), used = now(CLOCK_PROCESS_CPUTIME_ID), user = user_time();
    if (is_good && is_once) is_good = run_sql("START TRANSACTION", 17);
    while (is_good && stored < n && now(CLOCK_MONOTONIC) - start < cap) {
        unsigned part = n - stored < statement_rows ? n - stored : statement_rows, at = first + stored;
        if (is_text) is_good = insert_text(sql, at, part);
        else if (is_bulk) is_good = insert_bulk(full, at, part);
        else is_good = insert_bound(full, bind, statement_rows, at, part);
        stored += part;
    }
    if (is_good && is_once) is_good = run_sql("COMMIT", 6);
    double seconds = now(CLOCK_MONOTONIC) - start, cpu = now(CLOCK_PROCESS_CPUTIME_ID) - used;
    user = user_time() - user;
    if (full) mysql_stmt_close(full);
    free(bind), free(sql);
    if (!is_good) return NULL;
    cJSON *answer = cJSON_CreateObject();
    cJSON_AddNumberToObject(answer, "seconds", seconds);
    cJSON_AddNumberToObject(answer, "rows", stored);
    cJSON_AddBoolToObject(answer, "cut", stored < n);
    cJSON_AddNumberToObject(answer, "client_cpu", cpu);
    cJSON_AddNumberToObject(answer, "client_user", user);
    return answer;
}

static void say(cJSON *answer) {
    if (!answer) {
        answer = cJSON_CreateObject();
        cJSON_AddStringToObject(answer, "error", problem);
    }
    char *line = cJSON_PrintUnformatted(answer);
    printf("%s\n", line);
    fflush(stdout);
    free(line);
    cJSON_Delete(answer);
}

int main(void) {
    printf("{\"protocol\":1,\"peer\":\"connector-c\",\"version\":\"%s\",\"routes\":[\"tcp\",\"tls\",\"socket\"],\"cases\":["
           "{\"subject\":\"connector-c bulk\",\"commits\":[\"each\",\"once\"],\"needs\":[\"mariadb\"]},"
           "{\"subject\":\"connector-c multi-row-prepared\",\"commits\":[\"each\",\"once\"],\"needs\":[]},"
           "{\"subject\":\"connector-c multi-row\",\"commits\":[\"each\",\"once\"],\"needs\":[]}]}\n",
           mysql_get_client_info());
    fflush(stdout);
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        cJSON *message = cJSON_Parse(line);
        const char *op = text(message, "op");
        fail("an op that is not known");
        say(!strcmp(op, "prepare") ? prepared(message) : !strcmp(op, "run") ? ran(message) : NULL);
        cJSON_Delete(message);
    }
    return 0;
}
