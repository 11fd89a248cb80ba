/** Our side of every benchmark: an engine on PostgreSQL, its channel and its artifacts in memory. */
import { setTimeout } from "node:timers/promises"
import type { Channel, Storage } from "@safelight/core"
import { createEngine, type Engine } from "@safelight/engine"
import { createPostgresStorage, type PostgresStorageOptions } from "@safelight/storage-postgres"
import { createMemoryArtifacts } from "@safelight/testkit"
import { createInstantChannel } from "../../support/instant-channel.ts"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"

export interface Own extends AsyncDisposable {
  readonly engine: Engine
  readonly storage: Storage
  /** Resolves to the task's id once it is durable. */
  submit(): Promise<string>
  /** From the submission to the recorded success; the engine has to be started. */
  live(): Promise<void>
}

/** A channel that takes from half a second to one and a half, as the fastest providers do. */
export function createQuickChannel(concurrency: number): Channel {
  const instant = createInstantChannel(concurrency)
  return {
    ...instant,
    async submit(request) {
      await setTimeout(500 + 1_000 * Math.random())
      return instant.submit(request)
    },
  }
}

export async function openOwn(
  url: string,
  options: Partial<PostgresStorageOptions> = {},
  channel: Channel = createInstantChannel(),
): Promise<Own> {
  const storage = await createPostgresStorage({ url, ...options })
  const artifacts = createMemoryArtifacts({ keep: 100 })
  // Submissions are measured while no engine is started, and so no process can make the model.
  const engine = createEngine({ storage, artifacts, channels: [channel], queueUnavailable: true })

  async function submit(): Promise<string> {
    const result = await engine.submit(SAMPLE_REQUEST)
    if (result.kind === "rejected") throw new Error(result.rejection.code)
    return result.task.id
  }

  return {
    engine,
    storage,
    submit,
    async live() {
      const task = await engine.finished(await submit())
      if (task?.state !== "succeeded.available") throw new Error(`ended as ${task?.state}`)
    },
    async [Symbol.asyncDispose]() {
      await engine.stop()
      await storage.close()
    },
  }
}
