/** What every release does with the data of the first one, whichever database holds it. */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { describe, it } from "node:test"
import { createAccess } from "@safelight/access"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { createAudit, exportStreams, importStreams } from "@safelight/audit"
import { verifyWebhook } from "@safelight/client"
import {
  DEFAULT_PRICES,
  MODELS,
  SILENT_LOG,
  textToImage,
  type ArtifactStorage,
  type SendRequest,
  type Storage,
} from "@safelight/core"
import { checkDeployment, createEngine, sha256, type Engine } from "@safelight/engine"
import { createSequencer, createTreeHash } from "@safelight/proof"
import { sha256 as proofSha256 } from "@safelight/proof/node"
import { createManualClock, createScriptedChannel, type ManualClock } from "@safelight/testkit"
import { createWebhooks } from "@safelight/webhooks"
import { createTemporaryFolder } from "../../../support/temporary-folder.ts"
import { assertWhole } from "../../../support/sample-log.ts"
import { until } from "../../../support/until.ts"
import { unpack, type Baseline } from "./baseline.ts"

export interface BaselinePlaces {
  readonly baseline: Baseline
  /** Opens a copy of the database, below `folder` if it is a file. */
  open(folder: string): Promise<Storage>
  /** Opens an empty database of the same kind. */
  openEmpty(folder: string): Promise<Storage>
}

interface World extends AsyncDisposable {
  readonly storage: Storage
  readonly artifacts: ArtifactStorage
  readonly clock: ManualClock
  readonly engine: Engine
}

/** Pixels, and more of it than a channel's answer needs. */
const PICTURE = {
  kind: "completed",
  outputs: [{ mimeType: "image/png", open: () => once("a picture of today") }],
} as const

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

/** Everything that waits is made, and what runs is complete at the next look. */
function createPainter() {
  const films = { ...PICTURE, outputs: [{ ...PICTURE.outputs[0], durationMs: 5_000 }] }
  const channel = createScriptedChannel({
    name: "painter",
    models: MODELS.map(({ id }) => id),
    submission: { kind: "keyed", keyTtlMs: 86_400_000 },
  })
  const toOutputs = ({ model, parameters }: { model: string; parameters: object | undefined }) => {
    const { outputs } = model === textToImage.id ? PICTURE : films
    const { count = 1 } = (parameters ?? {}) as { count?: number }
    return { ...PICTURE, outputs: Array.from({ length: count }, () => outputs[0]) }
  }
  return {
    ...channel,
    submit: async (request: Parameters<typeof channel.submit>[0]) => toOutputs(request),
    poll: async (request: Parameters<typeof channel.poll>[0]) => toOutputs(request),
  }
}

/** An engine on a copy of the data, as an operator has it who adopted the copy. */
async function openWorld({ baseline, open }: BaselinePlaces): Promise<World> {
  const folder = await createTemporaryFolder()
  await unpack(baseline, folder.path)
  const opened = await open(folder.path)
  // The moments of the data are those of a manual clock.
  const { readClock: _, ...storage } = opened
  const artifacts = createFilesystemArtifacts({ folder: join(folder.path, "artifacts") })
  const clock = createManualClock({ now: baseline.now })
  const adopted = await checkDeployment({ storage, artifacts, clock, adopt: true })
  assert.deepEqual(adopted, { kind: "adopted", refusals: ["database-copied"] })
  const engine = createEngine({
    storage,
    artifacts,
    clock,
    channels: [createPainter()],
    inspector: {
      inspect: async () => ({ kind: "video", mimeType: "video/mp4", durationMs: 5_000 }),
      close: async () => {},
    },
    media: { open: async () => ({ kind: "video", mimeType: "video/mp4", body: once("film") }) },
    log: SILENT_LOG,
  })
  return {
    storage,
    artifacts,
    clock,
    engine,
    async [Symbol.asyncDispose]() {
      await engine.stop()
      await opened.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

export async function assertSound(storage: Storage): Promise<void> {
  const audit = createAudit({ storage, digest: sha256, models: MODELS, prices: DEFAULT_PRICES })
  for (const kind of ["verify", "replay"] as const) {
    const { findings, tasks } = await audit[kind]()
    assert.deepEqual(findings, [], kind)
    assert.ok(tasks > 0)
  }
}

/** Moves the clock on until it holds. */
function untilLater({ clock }: World, holds: () => Promise<boolean>): Promise<boolean> {
  return until(async () => {
    await clock.advance(1_000)
    return holds()
  })
}

export function describeBaseline(database: string, places: BaselinePlaces): void {
  const { baseline } = places

  describe(`the data of the first release on ${database}`, () => {
    it("is sound by its log and its rows", async () => {
      await using world = await openWorld(places)
      await assertSound(world.storage)
    })

    it("tells of every task what it told then", async () => {
      await using world = await openWorld(places)
      for (const [name, { account, id, ...told }] of Object.entries(baseline.tasks)) {
        const task = await world.engine.findTask({ account, id })
        const log = await world.engine.listEvents({ account, id })
        const found = await world.engine.findArtifacts({ account, id })
        const artifacts = found?.artifacts.map(({ key, locator, sha256: hash }) => ({
          key,
          sha256: hash,
          locator,
        }))
        assert.deepEqual(
          {
            state: task?.state,
            chargeMicros: task?.chargeMicros,
            error: task?.error?.code ?? null,
            events: log?.events.map(({ type }) => type),
            artifacts,
          },
          told,
          name,
        )
      }
    })

    it("serves the bytes of every artifact that has not expired", async () => {
      await using world = await openWorld(places)
      const available = Object.values(baseline.tasks).filter(
        ({ state }) => state === "succeeded.available",
      )
      assert.ok(available.length >= 6)
      for (const { id, artifacts } of available) {
        for (const { key, sha256: hash } of artifacts) {
          const read = createHash("sha256")
          for await (const chunk of world.engine.readArtifact({ task: id, key })) {
            read.update(chunk)
          }
          assert.equal(read.digest("hex"), hash)
        }
      }
    })

    it("lets in who had a key, and no one else", async () => {
      await using world = await openWorld(places)
      const { clock, engine, storage } = world
      const access = createAccess({ storage, service: engine, clock })
      const expected = {
        active: "authenticated",
        operator: "authenticated",
        rotated: "authenticated",
        successor: "authenticated",
        revoked: "api-key-revoked",
        expired: "api-key-expired",
      }
      for (const [name, key] of Object.entries(baseline.keys)) {
        const found = await access.authenticate({ authorization: `Bearer ${key}` })
        const told = found.kind === "refused" ? found.code : found.kind
        assert.equal(told, expected[name as keyof typeof expected], name)
      }
      const { access: token, ...artifact } = baseline.link
      const linked = { ...artifact, access: [token], now: clock.now() }
      assert.equal((await access.openLink(linked))?.artifact.key, artifact.key)
    })

    it("has every webhook with what became of its messages, and sends what waits", async () => {
      await using world = await openWorld(places)
      const { clock, engine, storage } = world
      const sent = new Map<string, SendRequest>()
      const webhooks = createWebhooks({
        storage,
        tasks: engine,
        sender: {
          check: () => undefined,
          async send(request) {
            sent.set(request.headers["webhook-id"] ?? "", request)
            return { kind: "answered", status: 200, body: "" }
          },
          close: async () => {},
        },
        toTaskText: ({ id }) => JSON.stringify({ task_id: id }),
        clock,
        log: SILENT_LOG,
      })
      for (const { account, deliveries, id } of Object.values(baseline.endpoints)) {
        const page = await webhooks.listDeliveries({ account, id, limit: 100 })
        const told = page?.deliveries.map(({ message, state }) => ({ message, state }))
        assert.deepEqual(told, deliveries)
      }
      const states = await Promise.all(
        Object.values(baseline.endpoints).map(({ account, id }) =>
          webhooks.findWebhook({ account, id }),
        ),
      )
      const reasons = states.map((endpoint) => endpoint?.disabledReason)
      assert.deepEqual(reasons, [null, null, "gone", "account"])
      webhooks.start()
      const { deliveries: waiting, secret } = baseline.endpoints["/fails"]
      await untilLater(world, async () => waiting.every(({ message }) => sent.has(message)))
      const signed = waiting.map(({ message }) => sent.get(message) ?? assert.fail(message))
      const now = clock.now()
      await Promise.all(
        signed.map(({ body, headers }) => verifyWebhook({ body, headers, secret, now })),
      )
      await webhooks.sweep()
      for (const { account, id } of Object.values(baseline.endpoints)) {
        const stored = JSON.stringify(await storage.findWebhook({ account, id }))
        assert.ok(!stored.includes("whsec_"), "it is sealed")
      }
      const { account, id } = baseline.endpoints["/fails"]
      const tested = await webhooks.testWebhook({ account, id })
      assert.equal(tested.kind, "done")
      const { message } = tested.delivery
      await untilLater(world, async () => sent.has(message))
      const { body, headers } = sent.get(message) ?? assert.fail()
      await verifyWebhook({ body, headers, secret, now: clock.now() })
      const stopping = webhooks.stop({ graceMs: 0 })
      await clock.advance(0)
      await stopping
    })

    it("replays a task whose idempotency key is used again", async () => {
      await using world = await openWorld(places)
      const result = await world.engine.submit({
        account: "ada",
        model: textToImage.id,
        parameters: { prompt: "make a harbour", size: "square" },
        idempotency: { key: "once", fingerprint: "ab".repeat(32) },
      })
      assert.ok(result.kind === "submitted" && result.isReplayed)
      assert.equal(result.task.id, baseline.tasks["available"]?.id)
    })

    it("carries on with what was unfinished, and with what is new, to their ends", async () => {
      await using world = await openWorld(places)
      const { engine, storage } = world
      await storage.resumeChannel("painter")
      engine.start()
      const result = await engine.submit({
        account: "ada",
        model: textToImage.id,
        parameters: { prompt: "a new one" },
      })
      assert.ok(result.kind === "submitted")
      const ends = {
        dispatching: "succeeded.available",
        running: "succeeded.available",
        runningFilm: "succeeded.available",
        deferred: "succeeded.available",
        queued: "succeeded.available",
        queuedEdit: "succeeded.available",
        erasedQueued: "failed",
      }
      const readState = async (name: string) => {
        const { account, id } = baseline.tasks[name] ?? assert.fail(name)
        return (await engine.findTask({ account, id }))?.state
      }
      await untilLater(world, async () => {
        const states = await Promise.all(Object.keys(ends).map(readState))
        const fresh = await engine.findTask({ account: "ada", id: result.task.id })
        return (
          fresh?.state === "succeeded.available" && states.join() === Object.values(ends).join()
        )
      })
      assert.equal(await readState("doubtful"), "doubtful")
      await assertSound(storage)
    })

    it("gets a tree over every event of before and after", async () => {
      await using world = await openWorld(places)
      const { engine, storage } = world
      await storage.openTree()
      const sequencer = createSequencer({ storage, tree: createTreeHash(proofSha256) })
      const before = await sequencer.sequence()
      assert.ok((before?.size ?? 0) > Object.keys(baseline.tasks).length)
      await assertWhole(storage)
      const parameters = { prompt: "a new one" }
      const result = await engine.submit({ account: "ada", model: textToImage.id, parameters })
      assert.ok(result.kind === "submitted")
      assert.equal((await sequencer.sequence())?.size, (before?.size ?? 0) + 1)
      await assertWhole(storage)
    })

    it("moves to an empty database with all that it tells", async () => {
      await using world = await openWorld(places)
      await using folder = await createTemporaryFolder()
      const lines: string[] = []
      const { now } = baseline
      const { storage } = world
      // Nobody serves it.
      for await (const line of exportStreams({ storage, digest: sha256, now, isSealed: true })) {
        lines.push(line)
      }
      const empty = await places.openEmpty(folder.path)
      try {
        async function* open(): AsyncGenerator<Uint8Array> {
          for (const line of lines) yield Buffer.from(line)
        }
        await importStreams({ storage: empty, open, digest: sha256, now })
        await assertSound(empty)
        for (const { id, state } of Object.values(baseline.tasks)) {
          assert.equal((await empty.readTask(id))?.task.state, state)
        }
      } finally {
        await empty.close()
      }
    })
  })
}
