/**
 * How many files this process may have open. Too few show themselves much later, as a database that
 * does not answer or a rendering that fails, and then name nothing of the kind.
 */
import { readFile } from "node:fs/promises"
import { SafelightError, type Log } from "@safelight/core"
import { DEFAULTS } from "@safelight/http"

/** What a start takes: threads, the database, artifacts, the listener. */
const LEAST_FILES = 128
/** A connection takes one, a download two, a rendering some. */
const ENOUGH_FILES = 1_024
/** Each connection may have a file of its own open, and as many stay for everything else. */
const FILES_PER_CONNECTION = 3

/** Throws `invalid-configuration` where nothing could be served, and warns where it could be little. */
export async function checkOpenFiles(log: Log): Promise<void> {
  const limit = await readLimit()
  if (limit === undefined || limit >= ENOUGH_FILES) return
  const advice = "raise it with `ulimit -n 4096` or the supervisor's own setting"
  if (limit >= LEAST_FILES) return log.warn({ limit, advice }, "low open files limit")
  const message = `only ${limit} files may be open at once, and a service needs ${LEAST_FILES}: ${advice}`
  throw new SafelightError({ code: "invalid-configuration", message })
}

/** How many connections may be open at once, so that strangers' do not take the last file; at least one. */
export async function readMostConnections(): Promise<number> {
  const limit = (await readLimit()) ?? Infinity
  return Math.max(1, Math.min(DEFAULTS.connections, Math.floor(limit / FILES_PER_CONNECTION)))
}

/** Linux tells; undefined elsewhere, and where there is no limit. */
async function readLimit(): Promise<number | undefined> {
  const text = await readFile("/proc/self/limits", "utf8").catch(() => "")
  const soft = /^Max open files +(\d+) /m.exec(text)?.[1]
  return soft === undefined ? undefined : Number(soft)
}
