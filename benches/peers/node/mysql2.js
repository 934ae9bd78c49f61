// mysql2 (Node.js): a peer of `inrush bench` (docs/schema/peers-1.md).
//
// `query` with a nested list is its way of writing many rows: "INSERT .. VALUES ?" with a list of lists becomes a statement of many rows
// ("Escaping query values" in the manual of mysqljs, whose API it keeps: "Nested arrays are turned into grouped lists (for bulk inserts)"). It has nothing that binds many rows; `execute` takes one row a statement.
const fs = require('node:fs');
const readline = require('node:readline');
const mysql = require('mysql2/promise');

const { version } = JSON.parse(fs.readFileSync(require.resolve('mysql2/package.json'), 'utf8'));
let connection;
let people = [];

async function prepare({ server, file }) {
  people = fs.readFileSync(file, 'utf8').split('\n').slice(0, -1).map(person);
  connection = await mysql.createConnection({
    ...(server.socket ? { socketPath: server.socket } : { host: server.host, port: server.port }),
    user: server.user, password: process.env.INRUSH_PASSWORD, database: server.database, charset: 'utf8mb4',
    ...(server.tls ? { ssl: { rejectUnauthorized: false } } : {}),
    // Moments are sent as they stand in the file.
    timezone: 'Z',
  });
  return { ready: people.length };
}

async function run({ commits, rows, statement_rows: statementRows, first, table, cap }) {
  const part = people.slice(first - 1, first - 1 + rows);
  if (part.length < rows) throw new Error('more rows than the file has');
  const sql = `INSERT INTO ${table} (id, name, age, email, score, created) VALUES ?`;
  let stored = 0;
  const start = process.hrtime.bigint();
  const before = process.cpuUsage();
  const seconds = () => Number(process.hrtime.bigint() - start) / 1e9;
  if (commits === 'once') await connection.beginTransaction();
  while (stored < rows && seconds() < cap) {
    const some = part.slice(stored, stored + statementRows);
    await connection.query(sql, [some]);
    stored += some.length;
  }
  if (commits === 'once') await connection.commit();
  const used = process.cpuUsage(before);
  return { seconds: seconds(), rows: stored, cut: stored < rows, client_cpu: (used.user + used.system) / 1e6 };
}

// Values as a program has them: numbers as numbers, moments as dates.
function person(line) {
  const [id, name, age, email, score, created] = line.split('\t');
  return [Number(id), name, Number(age), email === '\\N' ? null : email, Number(score), new Date(`${created.replace(' ', 'T')}Z`)];
}

function say(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

async function obey(line) {
  try {
    const message = JSON.parse(line);
    if (message.op === 'prepare') return await prepare(message);
    if (message.op === 'run') return await run(message);
    throw new Error(`an op that is not known: ${message.op}`);
  } catch (error) {
    return { error: String(error.message || error) };
  }
}

async function main() {
  const subject = { subject: 'mysql2 query', commits: ['each', 'once'], needs: [] };
  say({ protocol: 1, peer: 'mysql2', version, routes: ['tcp', 'tls', 'socket'], cases: [subject] });
  for await (const line of readline.createInterface({ input: process.stdin })) say(await obey(line));
  process.exit(0);
}

main();
