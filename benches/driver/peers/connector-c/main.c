/* MariaDB Connector/C: single-row INSERTs, sent ahead of their answers as far as its public functions allow.
 *
 *     connector-c ahead|one-by-one ROWS      the server and the table in PEER_HOST .. PEER_TABLE, as for driver-bench
 *
 * `ahead` writes statements as text: a prepared one always waits for its own answer. `one-by-one` executes a prepared one.
 */
#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* As much as the sockets hold for certain, so that neither side waits for the other for ever. */
#define AHEAD 200

struct row { long long id; char name[24]; int age; char email[40]; double score; };
static const char CREATED[] = "2024-02-29 12:34:56";

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void run(MYSQL *mysql, const char *sql)
{
    if (mysql_query(mysql, sql)) fail(sql, mysql_error(mysql));
}

static void answer(MYSQL *mysql)
{
    if (mysql_read_query_result(mysql)) fail("answer", mysql_error(mysql));
}

static void ahead(MYSQL *mysql, const char *table, const struct row *rows, int n)
{
    char sql[512];
    for (int i = 0; i < n; i++) {
        /* What a program does with texts that it did not make itself. */
        char name[64], email[96];
        mysql_real_escape_string(mysql, name, rows[i].name, strlen(rows[i].name));
        mysql_real_escape_string(mysql, email, rows[i].email, strlen(rows[i].email));
        int length = snprintf(sql, sizeof sql, "INSERT INTO %s (id, name, age, email, score, created) VALUES (%lld,'%s',%d,'%s',%.17g,'%s')",
                              table, rows[i].id, name, rows[i].age, email, rows[i].score, CREATED);
        if (mysql_send_query(mysql, sql, length)) fail("send", mysql_error(mysql));
        if (i >= AHEAD) answer(mysql);
    }
    for (int i = 0; i < (n < AHEAD ? n : AHEAD); i++) answer(mysql);
}

static void one_by_one(MYSQL *mysql, const char *table, const struct row *rows, int n)
{
    char sql[256];
    snprintf(sql, sizeof sql, "INSERT INTO %s (id, name, age, email, score, created) VALUES (?, ?, ?, ?, ?, ?)", table);
    MYSQL_STMT *stmt = mysql_stmt_init(mysql);
    if (mysql_stmt_prepare(stmt, sql, strlen(sql))) fail("prepare", mysql_stmt_error(stmt));
    struct row row;
    unsigned long name_length, email_length, created_length = strlen(CREATED);
    MYSQL_BIND bind[6] = {
        { .buffer_type = MYSQL_TYPE_LONGLONG, .buffer = &row.id },
        { .buffer_type = MYSQL_TYPE_STRING, .buffer = row.name, .length = &name_length },
        { .buffer_type = MYSQL_TYPE_LONG, .buffer = &row.age },
        { .buffer_type = MYSQL_TYPE_STRING, .buffer = row.email, .length = &email_length },
        { .buffer_type = MYSQL_TYPE_DOUBLE, .buffer = &row.score },
        { .buffer_type = MYSQL_TYPE_STRING, .buffer = (char *)CREATED, .length = &created_length },
    };
    if (mysql_stmt_bind_param(stmt, bind)) fail("bind", mysql_stmt_error(stmt));
    for (int i = 0; i < n; i++) {
        row = rows[i];
        name_length = strlen(row.name);
        email_length = strlen(row.email);
        if (mysql_stmt_execute(stmt)) fail("execute", mysql_stmt_error(stmt));
    }
    mysql_stmt_close(stmt);
}

int main(int argc, char **argv)
{
    if (argc != 3) fail("connector-c", "see the top of main.c");
    int n = atoi(argv[2]);
    struct row *rows = calloc(n, sizeof *rows);
    for (int i = 1; i <= n; i++) {
        struct row *row = &rows[i - 1];
        row->id = i;
        snprintf(row->name, sizeof row->name, "Name %d", i % 1000);
        row->age = 18 + i % 77;
        snprintf(row->email, sizeof row->email, "name%d@example.com", i);
        row->score = i % 100000 / 4.0;
    }
    MYSQL *mysql = mysql_init(NULL);
    my_bool off = 0;
    mysql_optionsv(mysql, MYSQL_OPT_SSL_ENFORCE, &off);
    mysql_optionsv(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    const char *table = getenv("PEER_TABLE");
    if (!mysql_real_connect(mysql, getenv("PEER_HOST"), getenv("PEER_USER"), getenv("PEER_PASSWORD"), getenv("PEER_DATABASE"),
                            atoi(getenv("PEER_PORT")), NULL, 0))
        fail("connect", mysql_error(mysql));
    double start = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    run(mysql, "START TRANSACTION");
    (strcmp(argv[1], "ahead") ? one_by_one : ahead)(mysql, table, rows, n);
    run(mysql, "COMMIT");
    printf("{\"seconds\": %f, \"cpu\": %f, \"checksum\": %d}\n", now(CLOCK_MONOTONIC) - start, now(CLOCK_PROCESS_CPUTIME_ID) - cpu, n);
    mysql_close(mysql);
    return 0;
}
