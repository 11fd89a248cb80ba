/** An engine on a real disk with one provider behind a real socket, which a process of its own serves. */
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { at, createHttpChannel, defineProvider, textAt } from "@safelight/channel-http"
import { textToImage, type Completed } from "@safelight/core"
import { createEngine, systemClock, type Engine } from "@safelight/engine"
import { createGuardedFetch } from "@safelight/fetch-guarded"
import { createMediaInspector } from "@safelight/media-inspector"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { join } from "node:path"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { startServer } from "../child-server.ts"

export interface ProviderWorld extends AsyncDisposable {
  readonly engine: Engine
  /** A place on the same disk. */
  readonly folder: string
  readonly url: string
  /** Resolves to the accepted task's id. */
  submit(): Promise<string>
}

export interface ProviderWorldOptions {
  readonly concurrency: number
  readonly pollAfterMs: number
  /** What a purchase comes to at once: a picture of so many bytes; work to be followed by default. */
  readonly fileBytes?: () => number
}

export async function openProviderWorld(options: ProviderWorldOptions): Promise<ProviderWorld> {
  const places = new AsyncDisposableStack()
  const { announcement } = places.use(
    await startServer<{ readonly url: string }>("provider-server"),
  )
  const { path: folder } = places.use(await createTemporaryFolder())
  const storage = await createSqliteStorage({ folder, mode: "serve" })
  places.defer(() => storage.close())
  const inspector = createMediaInspector({ clock: systemClock })
  places.defer(() => inspector.close())
  const { url } = announcement
  const channel = createHttpChannel({
    provider: toProvider(url, options),
    key: "bench",
    // As the figures mean it: the same interval from first to last.
    pollEvery: { shortestMs: options.pollAfterMs, longestMs: options.pollAfterMs },
  })
  places.defer(async () => channel.close?.())
  const engine = createEngine({
    storage,
    artifacts: createFilesystemArtifacts({ folder: join(folder, "artifacts") }),
    channels: [channel],
    media: createGuardedFetch({}),
    inspector,
  })
  places.defer(() => engine.stop())
  engine.start()
  return {
    engine,
    folder,
    url,
    async submit() {
      const result = await engine.submit({ ...SAMPLE_REQUEST, model: textToImage.id })
      if (result.kind === "rejected") throw new Error(result.rejection.code)
      return result.task.id
    },
    [Symbol.asyncDispose]: () => places[Symbol.asyncDispose](),
  }
}

function toProvider(
  baseUrl: string,
  { concurrency, fileBytes, pollAfterMs }: ProviderWorldOptions,
): Parameters<typeof createHttpChannel>[0]["provider"] {
  const toCompleted = (path: string): Completed => ({
    kind: "completed",
    outputs: [{ url: `${baseUrl}${path}` }],
  })
  return defineProvider({
    name: "bench",
    baseUrl,
    keyVariable: "BENCH_KEY",
    authorize: (key) => ({ authorization: `Bearer ${key}` }),
    outputHosts: ["127.0.0.1"],
    submission: { kind: "unkeyed" },
    concurrency,
    submitTimeoutMs: 30_000,
    models: {
      [textToImage.id]: { toRequest: () => ({ method: "POST", path: "/jobs", json: {} }) },
    },
    readCreate({ json }) {
      const id = textAt(json, "id")
      if (id === undefined) return undefined
      const operation = { id }
      if (fileBytes === undefined) return { kind: "accepted", operation }
      return { ...toCompleted(`/files/${fileBytes()}`), operation }
    },
    async poll(operation, send) {
      const path = `/jobs/${textAt(operation, "id")}`
      const { json } = await send({ method: "GET", path })
      if (at(json, "status") === "running") return { kind: "running", pollAfterMs }
      return toCompleted(textAt(json, "file") ?? "")
    },
  })
}
