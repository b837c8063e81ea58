// chdb, which is ClickHouse of today as a library, behind as much of ClickHouse's HTTP interface as the program speaks:
// POST /?database=D&query=Q with a body. Prints its port; what it keeps lies in the folder that is named.
//
//     node chdb_server.mjs FOLDER [PORT]
//
// One statement at a time: a session has one database in use.
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { Session } from "chdb";

const [folder, port] = process.argv.slice(2);
const session = new Session(`${folder}/data`);
const text = async (statement) => (await session.queryAsync(statement, { format: "TSVRaw" })).text();
let last = Promise.resolve();

// The rows of an INSERT are bytes, and a statement of chdb is text: they come from a file.
async function insert(database, query, body) {
  const table = /^INSERT INTO (\w+) FORMAT RowBinary$/.exec(query)[1];
  const columns = (await text(`SELECT name || ' ' || type FROM system.columns WHERE database='${database}' AND table='${table}' ORDER BY position`)).trim().split("\n").join(", ");
  const file = `${folder}/insert.bin`;
  writeFileSync(file, body);
  await text(`INSERT INTO ${table} SELECT * FROM file('${file}', 'RowBinary', '${columns}')`);
  return Buffer.alloc(0);
}

async function answer(url, body) {
  const database = url.searchParams.get("database");
  const query = url.searchParams.get("query");
  if (database) await text(`USE ${database}`);
  if (query) return insert(database, query, body);
  const statement = body.toString("latin1");
  if (!statement.endsWith("FORMAT RowBinary")) return text(statement);
  const result = await session.queryAsync(statement.replace(/\s*FORMAT RowBinary$/, ""), { format: "RowBinary" });
  return Buffer.from(result.bytes());
}

const server = createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    last = last.then(() => answer(new URL(request.url, "http://x"), Buffer.concat(parts))).then(
      (bytes) => response.writeHead(200).end(bytes),
      (error) => response.writeHead(500).end(`${error.message ?? error}\n`),
    );
  });
});
server.listen(Number(port ?? 0), "127.0.0.1", () => console.log(server.address().port));
