/**
 * Storing the outputs of a purchase, the soonest gone first. One that fails keeps no other from being stored,
 * and what is stored is kept for the next try (`kept-outputs.ts`), which fetches only what lacks.
 */
import {
  isSafelightError,
  toArtifactKey,
  traceCall,
  type ChannelOutput,
  type Model,
} from "@safelight/core"
import type { Context } from "../host/context.ts"
import { discardStored } from "./inspect-stored.ts"
import { toOutputName, type KeptPart, type StoredOutput } from "./kept-outputs.ts"
import {
  isLost,
  isOfOutput,
  measureOutput,
  openOutput,
  requireDigest,
  toFetchOrder,
} from "./open-output.ts"
import type { Work } from "../work/work.ts"

/** What came of a try to store all outputs. */
export interface StoredOutputs {
  /** In the order of the outputs, those that lack left out. */
  readonly stored: readonly StoredOutput[]
  /** Why one of them is of no use, or is gone: no further try brings it. */
  readonly loss: unknown
  /** Why one of them is not there yet; undefined if all are stored or lost. */
  readonly failure: unknown
}

export interface OutputsToStore {
  readonly outputs: readonly ChannelOutput[]
  /** What is stored already; what is stored here is added. */
  readonly parts: KeptPart[]
}

/** Never rejects: a failure is part of what came of it. */
export async function storeOutputs(
  context: Context,
  work: Work,
  model: Model,
  { outputs, parts }: OutputsToStore,
): Promise<StoredOutputs> {
  const stored: StoredOutput[] = []
  for (const [position, output] of outputs.entries()) {
    const name = toOutputName(output)
    const known = parts.find((part) => part.position === position && part.name === name)
    if (known !== undefined) stored[position] = known.stored
  }
  let [loss, failure]: readonly unknown[] = []
  for (const position of toFetchOrder(outputs)) {
    if (stored[position] !== undefined) continue
    try {
      // oxlint-disable-next-line no-await-in-loop
      stored[position] = await store(context, work, model, { outputs, parts, position })
    } catch (error) {
      if (isGone(context, work, error, { outputs, position })) {
        loss = error
      } else {
        failure = error
        // Nothing else can be stored either.
        if (!isOfOne(work, error)) break
      }
    }
  }
  return { stored: Object.values(stored), loss, failure }
}

interface Place {
  readonly outputs: readonly ChannelOutput[]
  readonly position: number
}

function isGone(context: Context, work: Work, error: unknown, place: Place): boolean {
  return isSafelightError(error) && isLost(context, work, place, error)
}

/** Whether the failure is of one output alone: another may come, or come in time. */
function isOfOne(work: Work, error: unknown): boolean {
  if (!isSafelightError(error)) return false
  return isOfOutput(error) || (error.code === "aborted" && !toSignal(work).aborted)
}

async function store(
  context: Context,
  work: Work,
  model: Model,
  { outputs, parts, position }: Place & OutputsToStore,
): Promise<StoredOutput> {
  const output = outputs[position] as ChannelOutput
  await context.probe("collect:before-put", work.id)
  const stored = await traceCall(context.tracer, { name: "store artifact" }, async (span) => {
    const made = await putInTime(context, work, output, { model, position })
    const key = toArtifactKey(made.type, position + 1)
    span?.set({ "safelight.artifact.key": key, "safelight.artifact.bytes": made.bytes })
    return made
  })
  parts.push({ position, name: toOutputName(output), stored })
  await context.probe("collect:after-put", work.id)
  return stored
}

/**
 * Puts with an end: past the task's own a body that stalls holds its permit for nothing. What was
 * answered close to it has one more poll's time, since nobody may have recorded the end yet.
 */
async function putInTime(
  context: Context,
  work: Work,
  output: ChannelOutput,
  { model, position }: { readonly model: Model; readonly position: number },
): Promise<StoredOutput> {
  const { clock, deadlines, settings } = context
  const leftMs = work.head.task.endBy - clock.judgedNow()
  const boundMs = Math.max(leftMs, settings.pollTimeoutMs)
  let putting: Promise<StoredOutput> | undefined

  async function put(signal: AbortSignal): Promise<StoredOutput> {
    const { body, ...opened } = await openOutput(context, work, output, { model, signal })
    const key = toArtifactKey(opened.kinds[0], position + 1)
    const stored = await context.artifacts.put({ task: work.id, key, body, signal })
    try {
      requireDigest(output, stored)
      const { account } = work.head.task
      const facts = await measureOutput(context, output, stored, { account, opened, signal })
      return { ...stored, ...facts }
    } catch (error) {
      await discardStored(context, work.id, stored.locator)
      throw error
    }
  }

  try {
    return await deadlines.run(boundMs, toSignal(work), (signal) => (putting = put(signal)))
  } catch (error) {
    if (putting === undefined) throw error
    // It obeys the signal too: what it leaves behind is removed, and what it just stored counts.
    return putting
  }
}

/**
 * What ends a collection early. The result of a running task can be polled again: it is left to
 * whichever process holds it. In any other state it came with the answer to a purchase and can't be had
 * twice, so that only the engine's end cuts it short, and no lost lease does.
 */
export function toSignal({ controller, ending, head }: Work): AbortSignal {
  return head.task.state === "running" ? controller.signal : ending.signal
}
