/** The processor time of a PostgreSQL server, of all its processes. */
import { readdir, readFile } from "node:fs/promises"

/** Linux counts in these. */
const TICK_MS = 10

interface Process {
  readonly parent: number
  readonly ownTicks: number
  /** Of children that have ended. */
  readonly childTicks: number
}

/** Milliseconds so far. `backend` is any of the server's processes that serve a connection. */
export async function readServerCpuMs(backend: number): Promise<number> {
  const server = (await readProcess(String(backend)))?.parent
  if (server === undefined) throw new Error("the server is no process of this machine")
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name))
  let ticks = 0
  for (const id of ids) {
    const found = await readProcess(id)
    if (Number(id) === server) ticks += (found?.ownTicks ?? 0) + (found?.childTicks ?? 0)
    else if (found?.parent === server) ticks += found.ownTicks
  }
  return ticks * TICK_MS
}

/** Undefined once it has ended. */
async function readProcess(id: string): Promise<Process | undefined> {
  const text = await readFile(`/proc/${id}/stat`, "utf8").catch(() => undefined)
  if (text === undefined) return undefined
  // Its name, which may have spaces, stands in parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const [parent = 0, user = 0, system = 0, childUser = 0, childSystem = 0] = [
    1, 11, 12, 13, 14,
  ].map((place) => Number(fields[place]))
  return { parent, ownTicks: user + system, childTicks: childUser + childSystem }
}
