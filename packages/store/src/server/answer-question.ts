/** A question that takes long, answered over one connection within the caller's transaction. */
import type { Question } from "../sql/driver.ts"
import type { RawRows } from "../sql/statement.ts"
import type { Connection } from "./connection.ts"
import { readStep } from "./sessions.ts"

/** The other parts are sent together: the server answers one behind the other. */
export async function answerQuestion(
  connection: Pick<Connection, "runStep">,
  [first, ...others]: Question,
): Promise<readonly RawRows[]> {
  if (first === undefined) return []
  const rows = await readStep(connection, first.step)
  const last = rows.at(-1)?.[0]
  if (others.length === 0 || typeof last !== "string") return [rows]
  const answers = others.map(({ step: { statement, values }, lastAt }) => {
    const bound = values.map((value, index) => (lastAt.includes(index) ? last : value))
    return readStep(connection, { statement, values: bound })
  })
  return [rows, ...(await Promise.all(answers))]
}
