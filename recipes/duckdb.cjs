// duckdb.cjs TABLES QUERIES FILES: runs both SQL files of lake/ on these results, and prints the rows as sqlite3 does.
const fs = require("fs");
const {DuckDBInstance} = require("@duckdb/node-api");

async function main() {
    const [tables, queries, files] = process.argv.slice(2);
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    await connection.run(`SET VARIABLE results = '${files.replace(/'/g, "''")}'`);
    for (const file of [tables, queries])
        for (const statement of fs.readFileSync(file, "utf8").replace(/^--.*$/gm, "").split(";"))
            if (statement.trim() !== "")
                for (const row of await (await connection.run(statement)).getRows())
                    console.log(row.join("|"));
}

main().catch((error) => {
    console.error(error.message.replace(/\s*\n\s*/g, " "));
    process.exit(3);
});
