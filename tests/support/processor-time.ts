/**
 * How much processor time a process has taken, and the ones that it started and that have ended. Other
 * work on the machine changes how long a test takes, and this hardly. Only Linux says it of others: elsewhere
 * they are left out, as is whatever still runs.
 */
import { readFileSync } from "node:fs"
import process from "node:process"

/** By Linux' interface to programs, whatever the kernel counts in itself. */
const TICKS_PER_SECOND = 100

/** After the name, which may hold anything: own time in user and kernel mode, then that of ended children. */
const FIRST_TIME = 11

/** In milliseconds since the process began. */
export function readProcessorTimeMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000 + readChildrenMs()
}

function readChildrenMs(): number {
  if (process.platform !== "linux") return 0
  const text = readFileSync("/proc/self/stat", "utf8")
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const [user = 0, system = 0] = fields.slice(FIRST_TIME + 2, FIRST_TIME + 4).map(Number)
  return ((user + system) / TICKS_PER_SECOND) * 1_000
}
