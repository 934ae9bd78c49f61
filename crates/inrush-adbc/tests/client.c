// A client in C: it loads the driver as a manager does, and uses it through the table of functions of ADBC 1.1
// (https://arrow.apache.org/adbc/current/format/specification.html). Arguments: the library, a URL.
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Arrow's C data interface.
struct ArrowSchema {
  const char *format, *name, *metadata;
  int64_t flags, n_children;
  struct ArrowSchema **children, *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};
struct ArrowArray {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void **buffers;
  struct ArrowArray **children, *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
  const char *(*get_last_error)(struct ArrowArrayStream *);
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};

// ADBC: handles, the error, and the driver, whose functions are numbered in their order.
struct Handle {
  void *private_data, *private_driver;
};
struct Error {
  char *message;
  int32_t vendor_code;
  char sqlstate[5];
  void (*release)(struct Error *);
  void *private_data, *private_driver;
};
typedef uint8_t (*Function)();
struct Driver {
  void *private_data, *private_manager;
  uint8_t (*release)(struct Driver *, struct Error *);
  Function f[61];
};
enum {
  DATABASE_INIT = 0,
  DATABASE_NEW,
  DATABASE_SET_OPTION,
  DATABASE_RELEASE,
  CONNECTION_GET_INFO = 5,
  CONNECTION_INIT = 9,
  CONNECTION_NEW,
  CONNECTION_SET_OPTION,
  CONNECTION_RELEASE = 13,
  CONNECTION_ROLLBACK,
  STATEMENT_BIND,
  STATEMENT_EXECUTE_QUERY = 17,
  STATEMENT_NEW = 20,
  STATEMENT_PREPARE,
  STATEMENT_RELEASE,
  STATEMENT_SET_OPTION,
  STATEMENT_SET_SQL_QUERY,
  STATEMENT_CANCEL = 46,
};
#define VERSION_1_1_0 1001000

static struct Driver driver;
static struct Handle database, connection;

static void fail(const char *what, struct Error *error) {
  fprintf(stderr, "%s: %s\n", what, error && error->message ? error->message : "(no message)");
  exit(1);
}

// Calls a function that must succeed.
#define CALL(number, ...)                                   \
  do {                                                      \
    struct Error error = {0};                               \
    if (driver.f[number](__VA_ARGS__, &error) != 0) fail(#number, &error); \
  } while (0)

static struct Handle statement(const char *sql) {
  struct Handle handle = {0};
  CALL(STATEMENT_NEW, &connection, &handle);
  if (sql) CALL(STATEMENT_SET_SQL_QUERY, &handle, sql);
  return handle;
}

static void run(const char *sql) {
  struct Handle handle = statement(sql);
  int64_t affected = -2;
  CALL(STATEMENT_EXECUTE_QUERY, &handle, NULL, &affected);
  CALL(STATEMENT_RELEASE, &handle);
}

// The one number of a result.
static int64_t number(const char *sql) {
  struct Handle handle = statement(sql);
  struct ArrowArrayStream stream = {0};
  int64_t affected, value;
  CALL(STATEMENT_EXECUTE_QUERY, &handle, &stream, &affected);
  struct ArrowSchema schema = {0};
  if (stream.get_schema(&stream, &schema) != 0 || schema.n_children != 1) fail("the schema", NULL);
  // Of a small number MariaDB makes an INT.
  char format = schema.children[0]->format[0];
  if (format != 'l' && format != 'i') fail(schema.children[0]->format, NULL);
  struct ArrowArray rows = {0};
  if (stream.get_next(&stream, &rows) != 0 || rows.length != 1) fail("the rows", NULL);
  const void *values = rows.children[0]->buffers[1];
  int64_t at = rows.children[0]->offset;
  value = format == 'l' ? ((const int64_t *)values)[at] : ((const int32_t *)values)[at];
  rows.release(&rows);
  if (stream.get_next(&stream, &rows) != 0 || rows.release != NULL) fail("the end", NULL);
  schema.release(&schema);
  stream.release(&stream);
  CALL(STATEMENT_RELEASE, &handle);
  return value;
}

static void released_schema(struct ArrowSchema *schema) { schema->release = NULL; }
static void released_array(struct ArrowArray *array) { array->release = NULL; }

// Three rows of a column `id`, which this program owns.
static void bind_three(struct Handle *handle) {
  static const int64_t ids[] = {1, 2, 3};
  static const void *column_buffers[] = {NULL, ids}, *no_buffers[] = {NULL};
  static struct ArrowSchema id = {"l", "id", NULL, 2, 0, NULL, NULL, NULL, NULL};
  static struct ArrowArray column = {3, 0, 0, 2, 0, column_buffers, NULL, NULL, NULL, NULL};
  static struct ArrowSchema *fields[] = {&id};
  static struct ArrowArray *columns[] = {&column};
  id.release = released_schema;
  column.release = released_array;
  struct ArrowSchema schema = {"+s", "", NULL, 0, 1, fields, NULL, released_schema, NULL};
  struct ArrowArray rows = {3, 0, 0, 1, 1, no_buffers, columns, NULL, released_array, NULL};
  CALL(STATEMENT_BIND, handle, &rows, &schema);
}

static atomic_bool is_over;

// Again and again, as the statement may not have begun yet.
static void *cancel_soon(void *handle) {
  while (!atomic_load(&is_over)) {
    usleep(300000);
    struct Error nothing_to_cancel = {0};
    driver.f[STATEMENT_CANCEL]((struct Handle *)handle, &nothing_to_cancel);
    if (nothing_to_cancel.release) nothing_to_cancel.release(&nothing_to_cancel);
  }
  return NULL;
}

int main(int n, char **args) {
  if (n != 3) return 2;
  void *library = dlopen(args[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  uint8_t (*init)(int, void *, struct Error *) = (uint8_t (*)(int, void *, struct Error *))dlsym(library, "AdbcDriverInrushInit");
  struct Error error = {0};
  if (!init || init(VERSION_1_1_0, &driver, &error) != 0) fail("AdbcDriverInrushInit", &error);

  CALL(DATABASE_NEW, &database);
  CALL(DATABASE_SET_OPTION, &database, "uri", args[2]);
  CALL(DATABASE_INIT, &database);
  CALL(CONNECTION_NEW, &connection);
  CALL(CONNECTION_INIT, &connection, &database);

  printf("number %lld\n", (long long)number("SELECT CAST(40 + 2 AS SIGNED)"));

  // A mistake: a status, the server's code, its SQLSTATE, a message; and the connection goes on.
  struct Handle wrong = statement("SELEKT 1");
  struct Error mistake = {0};
  uint8_t status = driver.f[STATEMENT_EXECUTE_QUERY](&wrong, NULL, NULL, &mistake);
  printf("mistake status %d code %d state %.5s message %s\n", status, mistake.vendor_code, mistake.sqlstate,
         strstr(mistake.message, "syntax") ? "says so" : mistake.message);
  mistake.release(&mistake);
  CALL(STATEMENT_RELEASE, &wrong);

  // Bound rows, then ingested ones.
  run("CREATE TABLE c_client (id BIGINT PRIMARY KEY)");
  struct Handle insert = statement("INSERT INTO c_client VALUES (? + 10)");
  bind_three(&insert);
  int64_t affected = -2;
  CALL(STATEMENT_PREPARE, &insert);
  CALL(STATEMENT_EXECUTE_QUERY, &insert, NULL, &affected);
  printf("bound %lld\n", (long long)affected);
  CALL(STATEMENT_RELEASE, &insert);
  struct Handle ingest = statement(NULL);
  CALL(STATEMENT_SET_OPTION, &ingest, "adbc.ingest.target_table", "c_client");
  CALL(STATEMENT_SET_OPTION, &ingest, "adbc.ingest.mode", "adbc.ingest.mode.append");
  bind_three(&ingest);
  CALL(STATEMENT_EXECUTE_QUERY, &ingest, NULL, &affected);
  printf("ingested %lld\n", (long long)affected);
  CALL(STATEMENT_RELEASE, &ingest);
  printf("sum %lld\n", (long long)number("SELECT CAST(SUM(id) AS SIGNED) FROM c_client"));

  // A transaction that is rolled back.
  CALL(CONNECTION_SET_OPTION, &connection, "adbc.connection.autocommit", "false");
  run("DELETE FROM c_client");
  CALL(CONNECTION_ROLLBACK, &connection);
  CALL(CONNECTION_SET_OPTION, &connection, "adbc.connection.autocommit", "true");
  printf("rows %lld\n", (long long)number("SELECT COUNT(*) FROM c_client"));

  // A statement that another thread cancels.
  struct Handle slow = statement("SELECT SLEEP(600)");
  pthread_t thread;
  time_t began = time(NULL);
  pthread_create(&thread, NULL, cancel_soon, &slow);
  struct Error cancelled = {0};
  driver.f[STATEMENT_EXECUTE_QUERY](&slow, NULL, NULL, &cancelled);
  atomic_store(&is_over, true);
  pthread_join(thread, NULL);
  printf("cancelled %s\n", time(NULL) - began < 600 ? "soon" : "late");
  if (cancelled.release) cancelled.release(&cancelled);
  CALL(STATEMENT_RELEASE, &slow);

  run("DROP TABLE c_client");
  CALL(CONNECTION_RELEASE, &connection);
  CALL(DATABASE_RELEASE, &database);
  driver.release(&driver, &error);
  printf("released\n");
  return 0;
}
