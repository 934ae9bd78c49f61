// MariaDB's client for Node.js: batch without its bulk command, so that each row is an execution, sent ahead of the answers.
//
//     node main.js ROWS      the server and the table in PEER_HOST .. PEER_TABLE, as for driver-bench
const mariadb = require('mariadb');

async function main() {
  const n = Number(process.argv[2]);
  const rows = [];
  for (let i = 1; i <= n; i++) {
    rows.push([i, `Name ${i % 1000}`, 18 + (i % 77), `name${i}@example.com`, (i % 100000) / 4, '2024-02-29 12:34:56']);
  }
  const { PEER_HOST, PEER_PORT, PEER_USER, PEER_PASSWORD, PEER_DATABASE, PEER_TABLE } = process.env;
  const connection = await mariadb.createConnection({
    host: PEER_HOST, port: Number(PEER_PORT), user: PEER_USER, password: PEER_PASSWORD, database: PEER_DATABASE,
    bulk: false, pipelining: true, allowPublicKeyRetrieval: true,
  });
  const sql = `INSERT INTO ${PEER_TABLE} (id, name, age, email, score, created) VALUES (?, ?, ?, ?, ?, ?)`;
  const start = process.hrtime.bigint();
  const before = process.cpuUsage();
  await connection.beginTransaction();
  await connection.batch(sql, rows);
  await connection.commit();
  const used = process.cpuUsage(before);
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  console.log(JSON.stringify({ seconds, cpu: (used.user + used.system) / 1e6, checksum: n }));
  await connection.end();
}

main().catch((error) => { console.error(error); process.exit(1); });
