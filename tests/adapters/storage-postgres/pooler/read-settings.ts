/** Settings of whatever session a connection's next query gets. */
import type { PostgresConnection } from "../../../../adapters/storage-postgres/src/connection.ts"

export async function readSettings(
  { run }: PostgresConnection,
  names: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const all = names.map((name) => `current_setting('${name}')`).join(", ")
  const [row = []] = await run({ text: `select ${all}`, values: [] })
  return Object.fromEntries(names.map((name, index) => [name, row[index]]))
}
