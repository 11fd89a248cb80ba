/**
 * Records what happened: commands are decided on the task, sealed into its chain, projected
 * and appended in one step. An **intent** that loses the race for its version gives up; a **fact**
 * is decided again on the fresh state until it is appended or refused, so a paid operation is
 * never dropped (design §4). A storage that fails is tried again with the very same append.
 */
import {
  decide,
  isSafelightError,
  isTerminal,
  project,
  sealEvents,
  traceCall,
  type AbortSignalLike,
  type Append,
  type Input,
  type Rejection,
  type StreamHead,
  type Task,
  type TaskCommand,
  type TaskEvent,
} from "@safelight/core"
import { createAnnouncer, type Announcer } from "./announcer.ts"
import { decideAgain } from "./lost-commits.ts"
import { persist, persistFact } from "./persist.ts"
import type { Ports } from "../host/ports.ts"
import { toAppendSpan } from "./trace-input.ts"
import { toQueueChange } from "./schedule.ts"

export type Recorded =
  | {
      readonly kind: "recorded"
      readonly head: StreamHead
      /** Whether the append left the task with the lease that held it. */
      readonly isKept: boolean
    }
  | { readonly kind: "refused"; readonly rejection: Rejection; readonly head: StreamHead }
  /** Another append changed the task, or it was removed; a fact ends so only if it was removed. */
  | { readonly kind: "superseded" }

export interface RecordOptions {
  readonly inputs?: readonly Input[]
  /** Ends the waiting between tries; the last error is then thrown. */
  readonly signal?: AbortSignalLike
  /** How often a fact is tried while the storage fails; without end by default. */
  readonly maxTries?: number
  /** The moment to decide by; the clock's by default. */
  readonly now?: number
}

export interface Recorder extends Pick<Announcer, "onFinished" | "onEachFinished"> {
  /**
   * Appends what may be given up: rejects if the storage fails. An append that may have been stored
   * is tried until that is known or the signal aborts; without a signal, once more.
   */
  recordIntent(head: StreamHead, command: TaskCommand, options?: RecordOptions): Promise<Recorded>
  /**
   * Appends what happened, the commands in order in one append; those that no longer apply are
   * dropped. If the storage has lost events that `head` was built on, they are recorded again with
   * them. Tries again while the storage fails, up to `maxTries` times, until the signal aborts; an
   * error that is not retryable is tried again some times too. Then rejects as the storage did.
   */
  recordFact(
    head: StreamHead,
    commands: readonly TaskCommand[],
    options?: RecordOptions,
  ): Promise<Recorded>
  /**
   * Checks whether the storage still has the events of `head`, and records again those that it has lost.
   * Rejects if the storage fails, and once the signal aborts.
   */
  recover(head: StreamHead, signal: AbortSignalLike): Promise<void>
}

interface Decided {
  readonly task: Task
  readonly events: readonly TaskEvent[]
}

export type RecorderPorts = Pick<
  Ports,
  "channels" | "clock" | "digest" | "identifiers" | "log" | "settings" | "storage" | "tracer"
>

export function createRecorder(ports: RecorderPorts): Recorder {
  const announcer = createAnnouncer()

  /** Appends what was decided; `version-conflict` comes back as undefined. */
  async function write(append: Append, task: Task): Promise<Recorded | undefined> {
    try {
      await traceCall(ports.tracer, toAppendSpan(append), () => ports.storage.append(append))
    } catch (error) {
      if (isSafelightError(error) && error.code === "version-conflict") return undefined
      throw error
    }
    if (isTerminal(task)) announcer.announce(task)
    const head = { task, hash: append.changes.task.hash }
    return { kind: "recorded", head, isKept: append.queue === undefined }
  }

  async function recordFact(
    before: StreamHead,
    commands: readonly TaskCommand[],
    options: RecordOptions = {},
  ): Promise<Recorded> {
    let wanted = commands
    for (let head: StreamHead | undefined = before; head !== undefined;) {
      const decided = decideAll(head.task, wanted, options.now ?? ports.clock.now())
      if ("code" in decided) return { kind: "refused", rejection: decided, head }
      const append = toAppend(ports, head, decided, options)
      const recorded = await persistFact(ports, () => write(append, decided.task), options)
      if (recorded !== undefined) return recorded
      const found = await persistFact(ports, () => ports.storage.readTask(before.task.id), options)
      wanted = await persistFact(ports, () => decideAgain(ports, before, found, commands), options)
      head = found
    }
    return { kind: "superseded" }
  }

  return {
    async recordIntent(head, command, options = {}) {
      const decided = decideAll(head.task, [command], options.now ?? ports.clock.now())
      if ("code" in decided) return { kind: "refused", rejection: decided, head }
      const append = toAppend(ports, head, decided, options)
      const attempt = () => write(append, decided.task)
      const recorded = await persistIntent(ports, attempt, options.signal)
      return recorded ?? { kind: "superseded" }
    },
    recordFact,
    async recover(known, signal) {
      const found = await ports.storage.readTask(known.task.id)
      const lost = await decideAgain(ports, known, found, [])
      if (found !== undefined && lost.length > 0) await recordFact(found, lost, { signal })
    },
    onFinished: announcer.onFinished,
    onEachFinished: announcer.onEachFinished,
  }
}

/** An append that was stored and still rejected is found to be ours by the next try. */
async function persistIntent<Result>(
  ports: RecorderPorts,
  write: () => Promise<Result>,
  signal: AbortSignalLike | undefined,
): Promise<Result> {
  let isUnknown = false
  const attempt = async (): Promise<Result> => {
    try {
      return await write()
    } catch (error) {
      isUnknown ||= isSafelightError(error) && error.retryable && !error.isUndone
      throw error
    }
  }
  try {
    return await persist(ports, attempt, signal, 2)
  } catch (error) {
    if (!isUnknown || signal === undefined) throw error
    return persist(ports, write, signal)
  }
}

function toAppend(
  { channels, clock, digest, identifiers, settings }: RecorderPorts,
  head: StreamHead,
  { task, events }: Decided,
  options: RecordOptions,
): Append {
  const { id, version } = head.task
  const sealer = { digest, createSalt: identifiers.createEventSalt }
  const sealed = sealEvents(sealer, { task: id, version, hash: head.hash }, events)
  const hash = sealed.at(-1)?.hash ?? head.hash
  const channel = channels.find(({ name }) => name === task.dispatch?.channel)
  const queue = toQueueChange(head.task, task, channel, settings, options.now ?? clock.now())
  return {
    task: id,
    expectedVersion: version,
    ...(version > 0 && { expectedHash: head.hash }),
    events: sealed,
    changes: project(task, hash, events),
    state: task,
    ...(options.inputs && { inputs: options.inputs }),
    ...(queue && { queue }),
  }
}

/** Decides commands one upon the other; those that the task refuses are dropped. */
function decideAll(
  before: Task,
  commands: readonly TaskCommand[],
  now: number,
): Decided | Rejection {
  const events: TaskEvent[] = []
  let task = before
  let rejection: Rejection | undefined
  for (const command of commands) {
    const decision = decide(task, command, now)
    if (decision.kind === "rejected") {
      rejection = decision.rejection
    } else {
      events.push(decision.event)
      task = decision.task
    }
  }
  return events.length === 0 && rejection !== undefined ? rejection : { task, events }
}
