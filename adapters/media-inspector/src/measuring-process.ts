/**
 * The host's handle of one process that measures, one medium after another. Strangers' bytes are parsed there
 * and nowhere else, so its environment holds no secret. A process that takes too long or too much memory is
 * killed, and only its own measurement ends with it.
 */
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import type { Socket } from "node:net"
import { fileURLToPath } from "node:url"
import { createBytePipe } from "./byte-pipe.ts"
import { converse, type Medium, type MeasureEnd } from "./converse.ts"
import { aborted } from "./media-fault.ts"
import type { MediaInspectorSettings } from "./options.ts"
import { PIPE } from "./wire.ts"

export interface MeasuringProcess {
  /** False once the process has ended, or is about to. */
  readonly isAlive: boolean
  /**
   * Rejects as `medium.read` does, and with `aborted` if the signal aborts. Both end the process, and so does
   * every outcome but those that the process reports itself.
   */
  measure(medium: Medium): Promise<MeasureEnd>
  /** Ends the process; resolves when it is gone. */
  end(): Promise<void>
}

const IS_SOURCE = import.meta.url.endsWith(".ts")
const WORKER_FILE = fileURLToPath(
  new URL(IS_SOURCE ? "./measuring-worker.ts" : "./measuring-worker.js", import.meta.url),
)

const MIB = 1024 * 1024

/** Throws the system's error if it can't start a process at all. */
export function createMeasuringProcess(settings: MediaInspectorSettings): MeasuringProcess {
  const { clock, inspectMs } = settings
  const child = startChild(settings.memoryBytes)
  const socket = child.stdio?.[PIPE] as Socket | undefined
  const pipe = socket && createBytePipe(socket)
  const gone = once(child, "exit").catch(() => {})
  let isAlive = child.pid !== undefined && socket !== undefined
  // A measurement sees the end of the pipe; without a listener an error would end the host.
  child.on("error", markDead)
  socket?.on("error", markDead)
  child.once("exit", markDead)
  rest()

  function markDead(): void {
    isAlive = false
    // A process that this one has started might still hold the other end.
    socket?.destroy()
  }

  /** An idle process keeps no host alive. */
  function rest(): void {
    child.unref()
    socket?.unref()
  }

  function stir(): void {
    child.ref()
    socket?.ref()
  }

  async function end(): Promise<void> {
    isAlive = false
    if (child.pid === undefined) return
    if (child.exitCode !== null || child.signalCode !== null) return
    stir()
    child.kill("SIGKILL")
    await gone
  }

  const kill = (): void => void end()

  return {
    get isAlive() {
      return isAlive
    },
    end,
    async measure(medium) {
      if (pipe === undefined || !isAlive) return { kind: "not-started" }
      const { signal } = medium
      stir()
      signal.addEventListener("abort", kill, { once: true })
      let isReusable = false
      try {
        const ended = await converse({ pipe, medium, clock, inspectMs, kill })
        isReusable = ended.kind === "measured" || ended.kind === "unreadable"
        if (signal.aborted) throw aborted()
        return ended
      } finally {
        signal.removeEventListener("abort", kill)
        if (isReusable && isAlive) rest()
        else await end()
      }
    },
  }
}

function startChild(memoryBytes: number): ChildProcess {
  // Only the flag that finds the sources: the host's other flags are about its own entry.
  const flags = [
    `--max-old-space-size=${Math.floor(memoryBytes / MIB)}`,
    ...(IS_SOURCE ? ["--conditions=@safelight/source"] : []),
  ]
  return spawn(process.execPath, [...flags, WORKER_FILE, String(memoryBytes)], {
    // None of the host's variables, since they hold its secrets.
    env: {},
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  })
}
