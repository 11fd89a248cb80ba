/**
 * Settling a doubt by hand (design §3): an operator who has asked the provider says that it has the
 * operation, or that it never will. Only a task in doubt may be settled, since for any other the
 * engine knows better; it needs no engine, as any process may append.
 */
import {
  SILENT_LOG,
  type Channel,
  type Clock,
  type Json,
  type Storage,
  type Task,
  type TaskCommand,
  type TaskState,
} from "@safelight/core"
import { createEngineClock } from "./engine-clock.ts"
import { createRecorder, type Recorder } from "./recorder.ts"
import { toSettings, type EngineSettings } from "./settings.ts"
import { sha256 } from "./sha256.ts"
import { systemClock } from "./system-clock.ts"

export type ResolveRequest =
  /** The channel has it: the task is followed from here on, by any node. */
  | { readonly task: string; readonly adopt: Json }
  /** It will not come: the task fails with `upstream_outcome_unknown` and is not charged. */
  | { readonly task: string; readonly fail: true }

export type ResolveResult =
  | { readonly kind: "resolved"; readonly task: Task }
  | { readonly kind: "unknown-task" }
  /** The task is not in doubt. */
  | { readonly kind: "not-doubtful"; readonly state: TaskState }

export interface ResolvePorts {
  readonly storage: Storage
  readonly clock?: Clock
  readonly settings?: Partial<EngineSettings>
  readonly channels?: readonly Channel[]
}

/**
 * Records what the operator says of a doubtful task; twice finds it settled already. Rejects where
 * the storage fails, with `invalid-configuration` for a wrong setting.
 */
export async function resolveTask(
  ports: ResolvePorts,
  request: ResolveRequest,
): Promise<ResolveResult> {
  const recorder = await createLoneRecorder(ports)
  return settleDoubt({ recorder, storage: ports.storage }, request)
}

/**
 * The recorder of whoever settles a task without an engine; it goes by the storage's clock as an
 * engine does. Rejects as `resolveTask` does.
 */
export async function createLoneRecorder(ports: ResolvePorts): Promise<Recorder> {
  const { channels = [], clock: own = systemClock, storage } = ports
  const settings = toSettings(ports.settings, channels)
  const log = SILENT_LOG
  const clock = createEngineClock({ clock: own, log, storage })
  await clock.ready()
  return createRecorder({ channels, clock, digest: sha256, log, settings, storage })
}

/** The same by an engine's own recorder, so that whoever waits there for the task's end is told. */
export async function settleDoubt(
  { recorder, storage }: { readonly recorder: Recorder; readonly storage: Storage },
  request: ResolveRequest,
): Promise<ResolveResult> {
  for (;;) {
    const head = await storage.readTask(request.task)
    if (head === undefined) return { kind: "unknown-task" }
    const { task } = head
    if (task.state !== "doubtful") return { kind: "not-doubtful", state: task.state }
    const command = toCommand(request, task)
    const recorded = await recorder.recordIntent(head, command)
    if (recorded.kind === "recorded") return { kind: "resolved", task: recorded.head.task }
    if (recorded.kind === "refused") throw new TypeError(`a doubt took no ${command.kind}`)
  }
}

function toCommand(request: ResolveRequest, { attempt, dispatch }: Task): TaskCommand {
  if ("adopt" in request) {
    return { kind: "accept", operation: request.adopt, upstreamKey: dispatch?.upstreamKey ?? "" }
  }
  return { kind: "fail", attempt, code: "upstream_outcome_unknown" }
}
