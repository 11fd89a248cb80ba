/**
 * Settles a doubt by hand (design §3): an operator who has asked the provider says that it has the operation, or
 * that it never will. Only a doubtful task may be settled, since the engine knows the state of any other. It needs
 * no engine, as any process may append.
 */
import {
  NO_TRACER,
  SILENT_LOG,
  type Channel,
  type Clock,
  type ResolveRequest,
  type ResolveResult,
  type TaskStorage,
  type Task,
  type TaskCommand,
} from "@safelight/core"
import { createEngineClock } from "../host/engine-clock.ts"
import { withOwnHeads } from "./own-heads.ts"
import { createRecorder, type Recorder } from "./recorder.ts"
import { toSettings, type EngineSettings } from "../host/settings.ts"
import { createIdentifiers, systemRandomness } from "../host/identifiers.ts"
import { sha256 } from "../host/sha256.ts"
import { systemClock } from "../host/system-clock.ts"

export interface ResolvePorts {
  readonly storage: TaskStorage
  readonly clock?: Clock
  readonly settings?: Partial<EngineSettings>
  readonly channels?: readonly Channel[]
}

/**
 * Records what the operator says of a doubtful task; a second call finds it settled. Rejects if the storage fails,
 * with `invalid-configuration` for a wrong setting.
 */
export async function resolveTask(
  ports: ResolvePorts,
  request: ResolveRequest,
): Promise<ResolveResult> {
  return settleDoubt(await createLonePorts(ports), request)
}

export interface LonePorts {
  readonly recorder: Recorder
  readonly storage: TaskStorage
}

/**
 * The recorder and the reads for settling a task without an engine, by the storage's clock as in an engine. Rejects
 * as `resolveTask` does.
 */
export async function createLonePorts(ports: ResolvePorts): Promise<LonePorts> {
  const { channels = [], clock: own = systemClock } = ports
  const storage = withOwnHeads(ports.storage, SILENT_LOG)
  const settings = toSettings(ports.settings, channels)
  const log = SILENT_LOG
  const clock = createEngineClock({ clock: own, log, storage })
  await clock.ready()
  const tracer = NO_TRACER
  const recorder = createRecorder({
    channels,
    clock,
    digest: sha256,
    identifiers: createIdentifiers(systemRandomness),
    log,
    settings,
    storage,
    tracer,
  })
  return { recorder, storage }
}

/** The same by an engine's own recorder, which announces the task's end to those who wait for it there. */
export async function settleDoubt(
  { recorder, storage }: LonePorts,
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
