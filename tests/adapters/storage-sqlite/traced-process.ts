/** Processes whose calls to the system fail as `strace` is told to make them. */
import { spawn, spawnSync, type ChildProcessByStdio } from "node:child_process"
import type { Readable } from "node:stream"

const LACKS_STRACE = spawnSync("strace", ["-V"]).error !== undefined

/** For `{ skip }`. Under CI the tests run, and fail. */
export const skipWithoutStrace =
  LACKS_STRACE && process.env["CI"] === undefined
    ? "strace is missing: apt-get install strace"
    : false

export interface Injection {
  /** Names of calls, with commas between. */
  readonly calls: string
  /** Which of each thread's calls fail with an I/O error, in the words of strace. */
  readonly when: string
  /** Only calls on this file. */
  readonly file?: string
}

export interface TracedProcess {
  readonly child: ChildProcessByStdio<null, Readable, null>
  /** Ends it and strace without a word to either. */
  kill(): void
}

/** Runs a file of these tests with its arguments. */
export function startTraced(
  { calls, when, file }: Injection,
  words: readonly string[],
): TracedProcess {
  const inject = ["-e", `trace=${calls}`, "-e", `inject=${calls}:error=EIO:when=${when}`]
  const paths = file === undefined ? [] : ["-P", file]
  const flags = ["-f", "-qq", "-o", "/dev/null", ...inject, ...paths]
  const child = spawn(
    "strace",
    [...flags, process.execPath, "--conditions=@safelight/source", ...words],
    // As a group of their own they are killed together.
    { stdio: ["ignore", "pipe", "inherit"], detached: true },
  )
  return { child, kill: () => process.kill(-Number(child.pid), "SIGKILL") }
}
