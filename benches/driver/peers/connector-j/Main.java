// MariaDB Connector/J: executeBatch without its bulk command, so that each row is an execution, sent ahead of the answers.
//
//     java -cp DRIVER.jar:. Main ROWS      the server and the table in PEER_HOST .. PEER_TABLE, as for driver-bench

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.util.Map;
import java.util.Properties;

public class Main {
    /** As much as a program adds before it executes a batch. */
    static final int BATCH = 1000;

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[0]);
        Map<String, String> env = System.getenv();
        Properties options = new Properties();
        options.put("user", env.get("PEER_USER"));
        options.put("password", env.get("PEER_PASSWORD"));
        options.put("useServerPrepStmts", "true");
        options.put("useBulkStmts", "false");
        options.put("allowPublicKeyRetrieval", "true");
        options.put("sslMode", "disable");
        String url = "jdbc:mariadb://" + env.get("PEER_HOST") + ":" + env.get("PEER_PORT") + "/" + env.get("PEER_DATABASE");
        String sql = "INSERT INTO " + env.get("PEER_TABLE") + " (id, name, age, email, score, created) VALUES (?, ?, ?, ?, ?, ?)";
        try (Connection connection = DriverManager.getConnection(url, options)) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement(sql)) {
                // Once before the clock starts, so that what is measured is compiled code.
                insert(insert, n);
                connection.rollback();
                OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
                long start = System.nanoTime();
                long cpu = system.getProcessCpuTime();
                insert(insert, n);
                connection.commit();
                double used = (system.getProcessCpuTime() - cpu) / 1e9;
                double seconds = (System.nanoTime() - start) / 1e9;
                System.out.println("{\"seconds\": " + seconds + ", \"cpu\": " + used + ", \"checksum\": " + n + "}");
            }
        }
    }

    static void insert(PreparedStatement insert, int n) throws Exception {
        for (int i = 1; i <= n; i++) {
            insert.setLong(1, i);
            insert.setString(2, "Name " + i % 1000);
            insert.setInt(3, 18 + i % 77);
            insert.setString(4, "name" + i + "@example.com");
            insert.setDouble(5, i % 100000 / 4.0);
            insert.setString(6, "2024-02-29 12:34:56");
            insert.addBatch();
            if (i % BATCH == 0 || i == n) {
                insert.executeBatch();
            }
        }
    }
}
