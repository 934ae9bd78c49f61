// Java: rows of bench_users from memory by addBatch and executeBatch, a transaction a batch.
//
//   java -cp DRIVER.jar:. Main mysql|mysql-prepared|mariadb FILE STATEMENT_ROWS WARM_UPS LAPS
//                                                                   the server and the table in PEER_HOST .. PEER_TABLE
//
// mysql: MySQL's Connector/J with rewriteBatchedStatements, which writes the values into statements of many rows; mysql-prepared: the
// same with useServerPrepStmts, which binds them; mariadb: MariaDB's Connector/J with useBulkStmts (COM_STMT_BULK_EXECUTE).

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;

public class Main {
    static final int WARM_UP_ROWS = 10_000;
    static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");

    static class Person {
        long id;
        String name;
        int age;
        String email;
        double score;
        LocalDateTime created;
    }

    public static void main(String[] args) throws Exception {
        String mode = args[0];
        List<Person> people = read(args[1]);
        int statementRows = Integer.parseInt(args[2]), nWarmUps = Integer.parseInt(args[3]), nLaps = Integer.parseInt(args[4]);
        Map<String, String> env = System.getenv();
        Properties options = new Properties();
        options.put("user", env.get("PEER_USER"));
        options.put("password", env.get("PEER_PASSWORD"));
        options.put("allowPublicKeyRetrieval", "true");
        if (mode.equals("mariadb")) {
            options.put("useBulkStmts", "true");
            options.put("useServerPrepStmts", "true");
            options.put("sslMode", "disable");
        } else {
            options.put("rewriteBatchedStatements", "true");
            options.put("useServerPrepStmts", String.valueOf(mode.equals("mysql-prepared")));
            options.put("sslMode", "DISABLED");
        }
        String scheme = mode.equals("mariadb") ? "mariadb" : "mysql";
        String url = "jdbc:" + scheme + "://" + env.get("PEER_HOST") + ":" + env.get("PEER_PORT") + "/" + env.get("PEER_DATABASE");
        String sql = "INSERT INTO " + env.get("PEER_TABLE") + " (id, name, age, email, score, created) VALUES (?, ?, ?, ?, ?, ?)";
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        List<String> seconds = new ArrayList<>();
        double used = 0, usedOutside = 0;
        try (Connection connection = DriverManager.getConnection(url, options)) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement(sql)) {
                for (int lap = 0; lap < nWarmUps + nLaps; lap++) {
                    boolean isMeasured = lap >= nWarmUps;
                    int n = isMeasured ? people.size() : Math.min(people.size(), WARM_UP_ROWS);
                    long cpu = system.getProcessCpuTime(), user = userTicks();
                    long start = System.nanoTime();
                    insert(insert, people.subList(0, n), statementRows);
                    connection.commit();
                    double took = (System.nanoTime() - start) / 1e9;
                    if (isMeasured) {
                        seconds.add(String.valueOf(took));
                        used += (system.getProcessCpuTime() - cpu) / 1e9;
                        usedOutside += (userTicks() - user) / 100.0;
                    }
                    for (Person person : people) {
                        person.id += people.size();
                    }
                }
            }
        }
        // The kernel tells Java the sum exactly, and its parts in ticks.
        usedOutside = Math.min(used, usedOutside);
        System.out.println("{\"seconds\": " + seconds + ", \"user\": " + usedOutside + ", \"system\": " + (used - usedOutside) + "}");
    }

    static void insert(PreparedStatement insert, List<Person> people, int statementRows) throws Exception {
        int n = 0;
        for (Person person : people) {
            insert.setLong(1, person.id);
            insert.setString(2, person.name);
            insert.setInt(3, person.age);
            insert.setString(4, person.email);
            insert.setDouble(5, person.score);
            insert.setObject(6, person.created);
            insert.addBatch();
            if (++n % statementRows == 0 || n == people.size()) {
                insert.executeBatch();
            }
        }
    }

    static List<Person> read(String file) throws Exception {
        List<Person> people = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(file)).stream().skip(1).toList()) {
            String[] cells = line.split(",");
            Person person = new Person();
            person.id = Long.parseLong(cells[0]);
            person.name = cells[1];
            person.age = Integer.parseInt(cells[2]);
            person.email = cells[3];
            person.score = Double.parseDouble(cells[4]);
            person.created = LocalDateTime.parse(cells[5], MOMENT);
            people.add(person);
        }
        return people;
    }

    static long userTicks() throws Exception {
        String stat = Files.readString(Path.of("/proc/self/stat"));
        return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[11]);
    }
}
