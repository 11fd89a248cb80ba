/**
 * A provider that outlives the process under test: every purchase is a file, made in one exclusive
 * system call, so a killed client leaves exactly what it bought. Keyed and lookup providers know a
 * key again; an unkeyed one sells anew at every call.
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { MODELS, type Channel, type ChannelRequest, type Completed } from "@safelight/core"

export type UpstreamKind = Channel["submission"]["kind"]

export interface Upstream {
  readonly channel: Channel
  /** Operations bought for a task, over all processes. */
  countBought(task: string): number
}

export interface UpstreamOptions {
  readonly folder: string
  readonly kind: UpstreamKind
  /** Called between the purchase and its answer. */
  readonly onBought?: () => void
  /** Those of the specification by default. */
  readonly models?: readonly string[]
  /** What a task produces; a picture by default. */
  readonly toOutputs?: (task: string) => Completed["outputs"]
}

/** No request takes longer: what a takeover of a lookup channel waits for. */
const LONGEST_REQUEST_MS = 50

export function createUpstream({ folder, kind, onBought, ...options }: UpstreamOptions): Upstream {
  const { models = MODELS.map(({ id }) => id), toOutputs = toPicture } = options
  mkdirSync(folder, { recursive: true })
  const pathOf = (operation: string): string => join(folder, operation)

  function buy({ upstreamKey }: ChannelRequest): string {
    const operation = kind === "unkeyed" ? `${upstreamKey}.${crypto.randomUUID()}` : upstreamKey
    if (!existsSync(pathOf(operation))) writeFileSync(pathOf(operation), "", { flag: "wx" })
    onBought?.()
    return operation
  }

  const channel: Channel = {
    name: `upstream-${kind}`,
    models,
    submission: toSubmission(kind),
    concurrency: 8,
    submitTimeoutMs: 100,
    async submit(request) {
      if (request.signal.aborted) throw new Error("the call was called off before it began")
      return { kind: "accepted", operation: buy(request) }
    },
    poll: async ({ task }) => ({ kind: "completed", outputs: toOutputs(task) }),
    ...(kind === "lookup" && {
      find: async ({ upstreamKey }: ChannelRequest) =>
        existsSync(pathOf(upstreamKey)) ? { operation: upstreamKey } : null,
    }),
  }
  return {
    channel,
    countBought: (task) => readdirSync(folder).filter((name) => name.startsWith(task)).length,
  }
}

/** The bytes a task produces: told from its id, so that a digest can be checked anywhere. */
export function toProduct(task: string): Uint8Array {
  return Buffer.from(`the picture of ${task}`.repeat(100))
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function toPicture(task: string): Completed["outputs"] {
  return [{ mimeType: "image/png", open: () => once(toProduct(task)) }]
}

function toSubmission(kind: UpstreamKind): Channel["submission"] {
  switch (kind) {
    case "keyed":
      return { kind, keyTtlMs: 86_400_000 }
    case "lookup":
      return { kind, longestRequestMs: LONGEST_REQUEST_MS }
    case "unkeyed":
      return { kind }
  }
}
