/**
 * Whole services in this process that one test starts, one after the other or beside one another, on a folder of
 * its own. All of it ends with the test, last what began first.
 */
import assert from "node:assert/strict"
import type { TestContext } from "node:test"
import { STUBS, type RunningStub, type StubOptions } from "@safelight/testkit/stubs"
import type { Task } from "@safelight/core"
import { createService, DEFAULTS, type Configuration, type Service } from "safelight"
import { createLogRecorder, type LogRecorder } from "../engine/log-recorder.ts"
import { SAMPLE_REQUEST } from "../support/sample-request.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"

export interface OwnServices extends LogRecorder {
  readonly folder: string
  /** What ends before whatever was there before it. */
  readonly places: AsyncDisposableStack
  startStub(type: string, options?: StubOptions): Promise<RunningStub>
  /** On a free port, with its data in the folder unless `changes` says otherwise. */
  start(changes: Partial<Configuration>, options?: StartOptions): Promise<Service>
}

export interface StartOptions {
  /** None by default. */
  readonly environment?: Readonly<Record<string, string>>
  readonly adopt?: boolean
}

export async function openOwnServices(t: TestContext): Promise<OwnServices> {
  const places = new AsyncDisposableStack()
  t.after(() => places.disposeAsync())
  const { path: folder } = places.use(await createTemporaryFolder())
  const recorder = createLogRecorder()
  return {
    ...recorder,
    folder,
    places,
    startStub: async (type, options) =>
      places.use((await STUBS[type]?.(options)) ?? assert.fail(type)),
    async start(changes, options = {}) {
      const configuration = { ...DEFAULTS, port: 0, stopGraceMs: 0, data: folder, ...changes }
      const service = await createService({ configuration, log: recorder.log, ...options })
      places.defer(() => service.stop())
      return service
    },
  }
}

type Request = Parameters<Service["engine"]["submit"]>[0]

/** Resolves to the task as it was accepted; fails where it is refused. */
export async function submitTask(
  { engine }: Pick<Service, "engine">,
  request: Request = SAMPLE_REQUEST,
): Promise<Task> {
  const sent = await engine.submit(request)
  assert.ok(sent.kind === "submitted", JSON.stringify(sent))
  return sent.task
}

/** Resolves to the task once it has ended. */
export async function makeTask(service: Service, request?: Request): Promise<Task> {
  const { id } = await submitTask(service, request)
  return (await service.engine.finished(id)) ?? assert.fail("no such task")
}
