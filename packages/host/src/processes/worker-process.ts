/**
 * A process that works for this one, an order at a time. Strangers' bytes are parsed there and not here: nothing
 * that it says is believed unchecked, and it is killed if it takes too long or too much memory, which fails the
 * work in its hands alone.
 *
 *   starting ─→ begun ─→ … ─→ last message
 *       └─ death, ─┴─ its time is over, or the signal ─→ gone
 */
import type { AbortSignalLike, Clock } from "@safelight/core"
import type { BytePipe } from "../wire/byte-pipe.ts"
import { readMessage, writeMessage } from "../wire/messages.ts"
import { startChild, type Child, type ChildOptions, type Death } from "./child.ts"
import { createWorkTime, type WorkTime } from "./work-time.ts"

/** A process at work, for the code that follows it. Its time runs until it is replaced or paused. */
export interface Worker extends Pick<WorkTime, "allow" | "pause" | "resume"> {
  /**
   * The next message, unchecked: hostile bytes may have taken the process over. Undefined once the process is
   * gone, which it also is after a message that no program of ours would send, or after its time.
   */
  receive(): Promise<unknown>
  /** Bytes that the process asked for. Resolves once they are written, or the process is gone. */
  send(bytes: Uint8Array): Promise<void>
  /** Ends the process; resolves once it is gone. */
  end(): Promise<Death>
}

export interface Work<Result> {
  /** Goes to the process as JSON. */
  readonly order: unknown
  readonly signal: AbortSignalLike
  /** Called once the process has begun. If it rejects, or ends the process, the process is used no more. */
  readonly follow: (worker: Worker) => Promise<Result>
}

export interface WorkerProcess extends Pick<Child, "isAlive" | "end"> {
  /**
   * Resolves to a `Death` if the process was gone before it began, so that the work can't be the cause. Rejects
   * as `follow` does. The signal ends the process. Once this has settled the process does nothing more.
   */
  work<Result>(work: Work<Result>): Promise<{ readonly result: Result } | Death>
}

/** For a process to start and load what it needs: a second on an idle machine. */
const START_MS = 60_000

/** The longest message quotes a fault with its frames. */
const MOST_MESSAGE_BYTES = 16 * 1024

/** Throws the system's error if it can't start a process at all. */
export function startWorkerProcess(options: ChildOptions, clock: Clock): WorkerProcess {
  const child = startChild(options)
  const time = createWorkTime(clock, () => void child.end(true))
  const end = (): Promise<Death> => child.end()

  async function converse<Result>(
    pipe: BytePipe,
    { order, follow }: Work<Result>,
  ): Promise<{ readonly result: Result } | Death> {
    async function receive(): Promise<unknown> {
      const message = await readMessage(pipe, MOST_MESSAGE_BYTES)
      // Nothing that a process said before it was killed counts.
      if (message !== undefined && !child.isEnded) return message
      await end()
      return undefined
    }
    time.allow(START_MS)
    await writeMessage(pipe, order)
    if (!isBegun(await receive())) return end()
    return { result: await follow({ ...time, receive, send: (bytes) => pipe.write(bytes), end }) }
  }

  return {
    get isAlive() {
      return child.isAlive
    },
    end,
    async work(work) {
      const { pipe } = child
      if (pipe === undefined || !child.isAlive) return end()
      const kill = (): void => void end()
      child.stir()
      work.signal.addEventListener("abort", kill, { once: true })
      try {
        return await converse(pipe, work)
      } catch (error) {
        await end()
        throw error
      } finally {
        time.stop()
        work.signal.removeEventListener("abort", kill)
        if (child.isAlive) child.rest()
        else await end()
      }
    },
  }
}

function isBegun(message: unknown): boolean {
  return (message as { readonly kind?: unknown } | null | undefined)?.kind === "begun"
}
