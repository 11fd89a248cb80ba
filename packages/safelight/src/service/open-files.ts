/**
 * How many files this process may have open. Too few would show much later, as a database that does not answer
 * or a rendering that fails, with no hint of the cause.
 */
import { readFile } from "node:fs/promises"
import { SafelightError, type Log } from "@safelight/core"
import { DEFAULTS } from "@safelight/http"

/** What a start needs: threads, the database, artifacts, the listener. */
const LEAST_FILES = 128
/** A connection takes one, a download two, a rendering some. */
const ENOUGH_FILES = 1_024
/** A connection, a file that it may have open, and as many for everything else. */
const FILES_PER_CONNECTION = 3

const ADVICE = "raise it with `ulimit -n 4096` or the supervisor's own setting"

export interface OpenFiles {
  /** Undefined if there is no limit, or none is known. */
  readonly limit: number | undefined
  readonly state: "enough" | "few" | "too-few"
  readonly words: string
  readonly advice: string
}

/** How many files may be open, and whether that is enough to serve. */
export async function judgeOpenFiles(): Promise<OpenFiles> {
  const limit = await readLimit()
  const common = { limit, advice: ADVICE }
  if (limit === undefined) return { ...common, state: "enough", words: "no limit is known" }
  if (limit < LEAST_FILES) {
    const words = `only ${limit} files may be open at once, and a service needs ${LEAST_FILES}`
    return { ...common, state: "too-few", words }
  }
  const words = `${limit} files may be open at once`
  return { ...common, state: limit >= ENOUGH_FILES ? "enough" : "few", words }
}

/** Rejects with `invalid-configuration` if nothing could be served, and warns if little could. */
export async function checkOpenFiles(log: Log): Promise<void> {
  const { advice, limit, state, words } = await judgeOpenFiles()
  if (state === "few") log.warn({ limit, advice }, "low open files limit")
  if (state !== "too-few") return
  throw new SafelightError({ code: "invalid-configuration", message: `${words}: ${advice}` })
}

/** How many connections may be open at once, so that strangers can't use up all files; at least one. */
export async function readMostConnections(): Promise<number> {
  const limit = (await readLimit()) ?? Infinity
  return Math.max(1, Math.min(DEFAULTS.connections, Math.floor(limit / FILES_PER_CONNECTION)))
}

/** Known on Linux alone; undefined elsewhere, and if there is no limit. */
async function readLimit(): Promise<number | undefined> {
  const text = await readFile("/proc/self/limits", "utf8").catch(() => "")
  const soft = /^Max open files +(\d+) /m.exec(text)?.[1]
  return soft === undefined ? undefined : Number(soft)
}
