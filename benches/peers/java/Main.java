// Java: peers of `inrush bench` (docs/schema/peers-1.md), by addBatch and executeBatch of a PreparedStatement.
//
//   java -cp .. Main mysql|mariadb
//
// mysql: MySQL's Connector/J with rewriteBatchedStatements, of which its reference ("Performance Extensions") says: "rewriting of
// prepared statements for INSERT into multi-value inserts when executeBatch() is called": as text (`rewrite`), or bound with useServerPrepStmts
// (`rewrite-prepared`). mariadb: MariaDB's Connector/J with useBulkStmts and useServerPrepStmts ("Batch Operations with MariaDB
// Connector/J": COM_STMT_BULK_EXECUTE); a MySQL server gets an execution a row from it, sent ahead of the answers.
//
// A JVM compiles what it runs often: `prepare` inserts rows for a while and rolls them back, so that compiled code is measured.

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

public class Main {
    static final int WARM_UPS = 500, WARM_UP_ROWS = 1000;
    static final long WARM_UP_NANOS = 4_000_000_000L;
    static final OperatingSystemMXBean SYSTEM = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    final boolean isMariaDb;
    final List<String> subjects;
    final Map<String, Connection> connections = new HashMap<>();
    List<Person> people = new ArrayList<>();

    Main(boolean isMariaDb) {
        this.isMariaDb = isMariaDb;
        subjects = isMariaDb
                ? List.of("mariadb-connector-j executeBatch")
                : List.of("mysql-connector-j rewrite", "mysql-connector-j rewrite-prepared");
    }

    public static void main(String[] args) throws Exception {
        Main peer = new Main(args[0].equals("mariadb"));
        // A driver may print what it likes; the protocol has the real output to itself.
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        Gson gson = new Gson();
        out.println(gson.toJson(peer.hello()));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Map<String, Object> answer;
            try {
                answer = peer.obey(JsonParser.parseString(line).getAsJsonObject());
            } catch (Exception error) {
                answer = Map.of("error", String.valueOf(error.getMessage()));
            }
            out.println(gson.toJson(answer));
        }
        // A driver's own threads would keep the process.
        System.exit(0);
    }

    Map<String, Object> hello() {
        List<Object> cases = new ArrayList<>();
        for (String subject : subjects) {
            cases.add(Map.of("subject", subject, "commits", List.of("each", "once"), "needs", List.of()));
        }
        String name = isMariaDb ? "mariadb-connector-j" : "mysql-connector-j";
        List<String> routes = List.of("tcp", "tls", "socket");
        return Map.of("protocol", 1, "peer", name, "version", version(), "routes", routes, "cases", cases);
    }

    /** Of the jar that the driver lies in: `NAME-VERSION.jar`. */
    String version() {
        try {
            String driver = isMariaDb ? "org.mariadb.jdbc.Driver" : "com.mysql.cj.jdbc.Driver";
            String jar = Class.forName(driver).getProtectionDomain().getCodeSource().getLocation().getPath();
            return jar.substring(jar.lastIndexOf('-') + 1).replace(".jar", "");
        } catch (ReflectiveOperationException error) {
            return "unknown";
        }
    }

    Map<String, Object> obey(JsonObject message) throws Exception {
        switch (message.get("op").getAsString()) {
            case "prepare":
                return prepare(message);
            case "run":
                return run(message);
            default:
                throw new IllegalArgumentException("an op that is not known: " + message.get("op"));
        }
    }

    Map<String, Object> prepare(JsonObject message) throws Exception {
        people = Person.read(message.get("file").getAsString());
        String table = message.get("table").getAsString();
        for (String subject : subjects) {
            Connection connection = connect(message.getAsJsonObject("server"), subject.endsWith("prepared"));
            connections.put(subject, connection);
            warmUp(connection, table);
        }
        return Map.of("ready", people.size());
    }

    void warmUp(Connection connection, String table) throws Exception {
        List<Person> some = people.subList(0, Math.min(people.size(), WARM_UP_ROWS));
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement(sql(table))) {
            long start = System.nanoTime();
            for (int i = 0; i < WARM_UPS && System.nanoTime() - start < WARM_UP_NANOS; i++) {
                insert(insert, some);
                connection.rollback();
            }
        }
        connection.setAutoCommit(true);
    }

    Map<String, Object> run(JsonObject message) throws Exception {
        int first = message.get("first").getAsInt() - 1, n = message.get("rows").getAsInt();
        int statementRows = message.get("statement_rows").getAsInt(), stored = 0;
        long cap = (long) (message.get("cap").getAsDouble() * 1e9);
        boolean isOnce = message.get("commits").getAsString().equals("once");
        List<Person> part = people.subList(first, first + n);
        Connection connection = connections.get(message.get("subject").getAsString());
        try (PreparedStatement insert = connection.prepareStatement(sql(message.get("table").getAsString()));
                Statement transaction = connection.createStatement()) {
            long used = SYSTEM.getProcessCpuTime(), start = System.nanoTime();
            if (isOnce) {
                transaction.execute("START TRANSACTION");
            }
            while (stored < n && System.nanoTime() - start < cap) {
                int end = Math.min(n, stored + statementRows);
                insert(insert, part.subList(stored, end));
                stored = end;
            }
            if (isOnce) {
                transaction.execute("COMMIT");
            }
            double seconds = (System.nanoTime() - start) / 1e9, cpu = (SYSTEM.getProcessCpuTime() - used) / 1e9;
            return Map.of("seconds", seconds, "rows", stored, "cut", stored < n, "client_cpu", cpu);
        }
    }

    static String sql(String table) {
        return "INSERT INTO " + table + " (id, name, age, email, score, created) VALUES (?, ?, ?, ?, ?, ?)";
    }

    static void insert(PreparedStatement insert, List<Person> people) throws Exception {
        for (Person person : people) {
            insert.setLong(1, person.id);
            insert.setString(2, person.name);
            insert.setInt(3, person.age);
            insert.setString(4, person.email);
            insert.setDouble(5, person.score);
            insert.setObject(6, person.created);
            insert.addBatch();
        }
        insert.executeBatch();
    }

    Connection connect(JsonObject server, boolean isPrepared) throws Exception {
        boolean hasTls = server.get("tls").getAsBoolean(), hasSocket = !server.get("socket").isJsonNull();
        Properties options = new Properties();
        options.put("user", server.get("user").getAsString());
        options.put("password", System.getenv().getOrDefault("INRUSH_PASSWORD", ""));
        options.put("allowPublicKeyRetrieval", "true");
        if (isMariaDb) {
            options.put("useBulkStmts", "true");
            options.put("useServerPrepStmts", "true");
            options.put("sslMode", hasTls ? "trust" : "disable");
            if (hasSocket) {
                options.put("localSocket", server.get("socket").getAsString());
            }
        } else {
            options.put("rewriteBatchedStatements", "true");
            options.put("useServerPrepStmts", String.valueOf(isPrepared));
            options.put("sslMode", hasTls ? "REQUIRED" : "DISABLED");
            if (hasSocket) {
                options.put("socketFactory", "org.newsclub.net.mysql.AFUNIXDatabaseSocketFactoryCJ");
                options.put("junixsocket.file", server.get("socket").getAsString());
            }
        }
        String host = hasSocket ? "localhost" : server.get("host").getAsString() + ":" + server.get("port").getAsInt();
        String scheme = isMariaDb ? "mariadb" : "mysql";
        return DriverManager.getConnection("jdbc:" + scheme + "://" + host + "/" + server.get("database").getAsString(), options);
    }
}
