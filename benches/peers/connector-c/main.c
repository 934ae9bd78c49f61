/* MariaDB's Connector/C, inserting a CSV of bench_users: many rows a statement, a transaction for every 64,000 rows.
 *
 *   peer text|prepared|bulk FILE TABLE HOST PORT USER ROWS        (the password in PEER_PASSWORD)
 *
 * text: values escaped by mysql_real_escape_string; prepared: bound to the placeholders of one statement; bulk: arrays bound to one
 * row's placeholders, which the connector sends as COM_STMT_BULK_EXECUTE (MariaDB only). */
#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 6, COMMIT_ROWS = 64000, LINE = 512 };

static MYSQL *db;

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static void run(const char *sql, unsigned long length) {
    if (mysql_real_query(db, sql, length)) fail(mysql_error(db));
}

static void run_text(const char *sql) { run(sql, strlen(sql)); }

/* A row of the file, cut at its commas, and its values as they are bound. */
struct row {
    char line[LINE];
    char *cells[COLUMNS];
    unsigned long lengths[COLUMNS];
    long long id;
    int age;
    double score;
};

static int next_row(FILE *file, struct row *row) {
    char *at = row->line;
    if (!fgets(row->line, LINE, file)) return 0;
    for (int i = 0; i < COLUMNS; i++) {
        row->cells[i] = at;
        row->lengths[i] = strcspn(at, ",\n");
        at += row->lengths[i];
        *at++ = 0;
    }
    row->id = atoll(row->cells[0]);
    row->age = atoi(row->cells[2]);
    row->score = strtod(row->cells[4], NULL);
    return 1;
}

static unsigned long append(char *sql, unsigned long at, const struct row *row) {
    for (int i = 0; i < COLUMNS; i++) {
        int is_number = i == 0 || i == 2 || i == 4;
        sql[at++] = i == 0 ? '(' : ',';
        if (is_number) {
            memcpy(sql + at, row->cells[i], row->lengths[i]);
            at += row->lengths[i];
        } else {
            sql[at++] = '\'';
            at += mysql_real_escape_string(db, sql + at, row->cells[i], row->lengths[i]);
            sql[at++] = '\'';
        }
    }
    sql[at++] = ')';
    return at;
}

static void bind_row(MYSQL_BIND *bind, struct row *row) {
    enum enum_field_types types[COLUMNS] = {MYSQL_TYPE_LONGLONG, MYSQL_TYPE_STRING, MYSQL_TYPE_LONG,
                                            MYSQL_TYPE_STRING,   MYSQL_TYPE_DOUBLE, MYSQL_TYPE_STRING};
    void *values[COLUMNS] = {&row->id, row->cells[1], &row->age, row->cells[3], &row->score, row->cells[5]};
    for (int i = 0; i < COLUMNS; i++) {
        bind[i].buffer_type = types[i];
        bind[i].buffer = values[i];
        bind[i].length = &row->lengths[i];
    }
}

static MYSQL_STMT *prepare(const char *head, unsigned n) {
    char *sql = malloc(strlen(head) + 14 * (size_t)n + 1);
    strcpy(sql, head);
    char *at = sql + strlen(head);
    for (unsigned i = 0; i < n; i++) at += sprintf(at, "%s(?,?,?,?,?,?)", i ? "," : "");
    MYSQL_STMT *statement = mysql_stmt_init(db);
    if (mysql_stmt_prepare(statement, sql, at - sql)) fail(mysql_stmt_error(statement));
    free(sql);
    return statement;
}

static void execute(MYSQL_STMT *statement, MYSQL_BIND *bind) {
    if (mysql_stmt_bind_param(statement, bind) || mysql_stmt_execute(statement)) fail(mysql_stmt_error(statement));
}

/* Turns rows into one array a column: numbers beside one another, texts as pointers and lengths. */
static void execute_bulk(MYSQL_STMT *statement, struct row *rows, unsigned n) {
    static long long *ids;
    static int *ages;
    static double *scores;
    static char **texts[3];
    static unsigned long *lengths[3];
    static unsigned room;
    if (room < n) {
        room = n;
        ids = realloc(ids, n * sizeof *ids), ages = realloc(ages, n * sizeof *ages), scores = realloc(scores, n * sizeof *scores);
        for (int i = 0; i < 3; i++) {
            texts[i] = realloc(texts[i], n * sizeof *texts[i]);
            lengths[i] = realloc(lengths[i], n * sizeof *lengths[i]);
        }
    }
    for (unsigned i = 0; i < n; i++) {
        ids[i] = rows[i].id, ages[i] = rows[i].age, scores[i] = rows[i].score;
        for (int t = 0; t < 3; t++) texts[t][i] = rows[i].cells[2 * t + 1], lengths[t][i] = rows[i].lengths[2 * t + 1];
    }
    MYSQL_BIND bind[COLUMNS] = {0};
    bind[0].buffer_type = MYSQL_TYPE_LONGLONG, bind[0].buffer = ids;
    bind[2].buffer_type = MYSQL_TYPE_LONG, bind[2].buffer = ages;
    bind[4].buffer_type = MYSQL_TYPE_DOUBLE, bind[4].buffer = scores;
    for (int t = 0; t < 3; t++) {
        bind[2 * t + 1].buffer_type = MYSQL_TYPE_STRING;
        bind[2 * t + 1].buffer = texts[t];
        bind[2 * t + 1].length = lengths[t];
    }
    mysql_stmt_attr_set(statement, STMT_ATTR_ARRAY_SIZE, &n);
    execute(statement, bind);
}

int main(int argc, char **argv) {
    if (argc != 8) fail("see the top of main.c");
    const char *mode = argv[1];
    unsigned max_rows = atoi(argv[7]);
    char head[256], header[LINE];
    snprintf(head, sizeof head, "INSERT INTO %s (id,name,age,email,score,created) VALUES ", argv[3]);
    db = mysql_init(NULL);
    if (!mysql_real_connect(db, argv[4], argv[6], getenv("PEER_PASSWORD"), NULL, atoi(argv[5]), NULL, 0)) fail(mysql_error(db));
    mysql_set_character_set(db, "utf8mb4");
    FILE *file = fopen(argv[2], "r");
    if (!file || !fgets(header, LINE, file)) fail("cannot read the file");
    setvbuf(file, NULL, _IOFBF, 1 << 20);

    struct row *rows = malloc(max_rows * sizeof *rows);
    char *sql = malloc(256 + max_rows * 2 * LINE);
    MYSQL_BIND *bind = calloc(max_rows * COLUMNS, sizeof *bind);
    int is_text = !strcmp(mode, "text"), is_bulk = !strcmp(mode, "bulk"), more = 1;
    MYSQL_STMT *full = is_text ? NULL : prepare(head, is_bulk ? 1 : max_rows);
    unsigned in_transaction = 0;
    run_text("START TRANSACTION");
    while (more) {
        unsigned n = 0;
        while (n < max_rows && (more = next_row(file, &rows[n]))) n++;
        if (n && is_text) {
            unsigned long at = sprintf(sql, "%s", head);
            for (unsigned i = 0; i < n; i++) {
                if (i) sql[at++] = ',';
                at = append(sql, at, &rows[i]);
            }
            run(sql, at);
        } else if (n && is_bulk) {
            execute_bulk(full, rows, n);
        } else if (n) {
            for (unsigned i = 0; i < n; i++) bind_row(bind + i * COLUMNS, &rows[i]);
            MYSQL_STMT *statement = n == max_rows ? full : prepare(head, n);
            execute(statement, bind);
            if (statement != full) mysql_stmt_close(statement);
        }
        in_transaction += n;
        if (!more || in_transaction >= COMMIT_ROWS) {
            run_text("COMMIT");
            if (more) run_text("START TRANSACTION");
            in_transaction = 0;
        }
    }
    if (full) mysql_stmt_close(full);
    mysql_close(db);
    return 0;
}
