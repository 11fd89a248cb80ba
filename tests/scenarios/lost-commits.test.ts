/**
 * A database is set back to an earlier copy, as by a restored backup or a failover, and other events take the
 * place of those that it lost. What told of the lost ones, a stream's event or a webhook's message, has an id that
 * no other event ever gets; and a stream that a client resumes behind a lost event says so.
 */
import assert from "node:assert/strict"
import { cp, mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { describe, test, type TestContext } from "node:test"
import { createAccess, createKey } from "@safelight/access"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { SILENT_LOG, textToImage, type SendRequest, type Storage } from "@safelight/core"
import { createEngine } from "@safelight/engine"
import { createHttpHandler, createTaskText } from "@safelight/http"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createWebhooks } from "@safelight/webhooks"
import { migrate } from "../adapters/storage-postgres/open.ts"
import { createInstantChannel } from "../support/instant-channel.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { createMigrated, createTestDatabase } from "../support/test-database.ts"
import { until } from "../support/until.ts"
import { type ServerEvent } from "../faults/server-events.ts"

/** A database that nobody has open while it is copied or set back. */
interface Database {
  open(): Promise<Storage>
  keepCopy(): Promise<void>
  goBack(): Promise<void>
}

const DATABASES: Readonly<Record<string, (places: AsyncDisposableStack) => Promise<Database>>> = {
  async SQLite(places) {
    const { path } = places.use(await createTemporaryFolder())
    const folder = join(path, "data")
    const copy = join(path, "copy")
    await mkdir(folder)
    return {
      open: () => createSqliteStorage({ folder }),
      keepCopy: () => cp(folder, copy, { recursive: true }),
      async goBack() {
        await rm(folder, { recursive: true })
        await cp(copy, folder, { recursive: true })
      },
    }
  },
  async PostgreSQL(places) {
    const database = places.use(await createMigrated(migrate))
    let { url } = database
    let copy = url
    return {
      open: () => createPostgresStorage({ url }),
      async keepCopy() {
        copy = places.use(await createTestDatabase(database.name)).url
      },
      async goBack() {
        url = copy
      },
    }
  },
}

interface Node extends AsyncDisposable {
  readonly key: string
  /** Of `/v1/…`: its first events, up to `count`, behind the event of `after`. */
  read(path: string, count: number, after?: string): Promise<readonly ServerEvent[]>
  submit(): Promise<string>
  /** Begins to carry tasks out and to send messages. */
  start(): void
}

const ACCOUNT = "ada"

/** What happens to a task once it is worked on. */
const LOST = ["task.dispatched", "task.accepted", "task.succeeded"]

const toTypes = (told: readonly ServerEvent[]) => told.map(({ event }) => event)

/** Everything that a service has, on `storage`; messages go to `sent`. */
async function createNode(
  storage: Storage,
  { folder, key: known, sent }: { folder: string; key?: string; sent: SendRequest[] },
): Promise<Node> {
  const engine = createEngine({
    storage,
    artifacts: createFilesystemArtifacts({ folder }),
    channels: [createInstantChannel()],
  })
  const log = SILENT_LOG
  const { clock } = engine
  const webhooks = createWebhooks({
    storage,
    tasks: engine,
    sender: {
      check: () => undefined,
      async send(request) {
        sent.push(request)
        return { kind: "answered", status: 200, body: "" }
      },
      close: async () => {},
    },
    toTaskText: createTaskText(() => "http://inner.example"),
    clock,
    log,
  })
  const handler = createHttpHandler({
    service: engine,
    changes: engine,
    access: createAccess({ storage, service: engine, clock }),
    clock,
    log,
    publicUrl: () => "http://inner.example",
  })
  if (known === undefined) {
    await webhooks.createWebhook({ account: ACCOUNT, url: "https://a.example" })
  }
  const key = known ?? (await createKey({ keys: storage, account: ACCOUNT, now: clock.now() })).key

  async function read(
    path: string,
    count: number,
    after?: string,
  ): Promise<readonly ServerEvent[]> {
    const resumed = after === undefined ? {} : { "last-event-id": after }
    const headers = { authorization: `Bearer ${key}`, ...resumed }
    const answer = await handler.fetch(new Request(`http://inner.example${path}`, { headers }))
    assert.equal(answer.status, 200, path)
    const told: ServerEvent[] = []
    let text = ""
    for await (const piece of (answer.body ?? assert.fail()).pipeThrough(new TextDecoderStream())) {
      const blocks = (text + piece).split("\n\n")
      text = blocks.pop() ?? ""
      for (const block of blocks) {
        const [, id, event, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(block) ?? []
        if (id !== undefined && event !== undefined && data !== undefined)
          told.push({ id, event, data })
      }
      // Leaving the loop closes the stream.
      if (told.length >= count) break
    }
    return told.slice(0, count)
  }

  return {
    key,
    read,
    async submit() {
      const parameters = { prompt: "fog" }
      const made = await engine.submit({ account: ACCOUNT, model: textToImage.id, parameters })
      assert.equal(made.kind, "submitted")
      return made.task.id
    },
    start() {
      engine.start()
      webhooks.start()
    },
    async [Symbol.asyncDispose]() {
      await webhooks.stop({ graceMs: 0 })
      await engine.stop()
      await storage.close()
    },
  }
}

for (const [kind, createDatabase] of Object.entries(DATABASES)) {
  describe(`a ${kind} database that is set back`, () => {
    /** What was told of a task that ended, and what the set-back database tells of it. */
    async function setBack(t: TestContext) {
      const places = new AsyncDisposableStack()
      t.after(() => places.disposeAsync())
      const database = await createDatabase(places)
      const { path: folder } = places.use(await createTemporaryFolder())
      const sent: SendRequest[] = []
      const options = { folder, sent }
      const first = await createNode(await database.open(), options)
      const task = await first.submit()
      const { key } = first
      const [ready] = await first.read("/v1/stream", 1)
      await first[Symbol.asyncDispose]()
      await database.keepCopy()

      const second = await createNode(await database.open(), { ...options, key })
      second.start()
      const ofTask = await second.read(`/v1/tasks/${task}/stream`, 4)
      const ofAccount = await second.read("/v1/stream", 3, ready?.id)
      await until(() => sent.length === 1)
      await second[Symbol.asyncDispose]()
      await database.goBack()

      const third = places.use(await createNode(await database.open(), { ...options, key }))
      third.start()
      await until(() => sent.length === 2)
      return { node: third, ofAccount, ofTask, ready, sent, task }
    }

    test("gives no stream's event and no message the id of a lost one", async (t) => {
      const { node, ofAccount, ofTask, ready, sent, task } = await setBack(t)
      const pairs = [
        [ofAccount, await node.read("/v1/stream", 3, ready?.id)],
        [ofTask.slice(1), (await node.read(`/v1/tasks/${task}/stream`, 4)).slice(1)],
      ] as const
      for (const [lost, found] of pairs) {
        assert.deepEqual([toTypes(lost), toTypes(found)], [LOST, LOST])
        for (const [index, { id, data }] of lost.entries()) {
          assert.notEqual(found[index]?.data, data)
          assert.notEqual(found[index]?.id, id)
        }
      }
      const [lost, found] = sent.map(({ headers }) => headers["webhook-id"])
      assert.notEqual(sent[0]?.body, sent[1]?.body)
      assert.notEqual(lost, found)
    })

    test("resets a stream that is resumed behind a lost event", async (t) => {
      const { node, ofAccount, ofTask, task } = await setBack(t)
      const last = ofAccount.at(-1)
      // The position of the lost event is another's by now, and more follow it.
      await node.submit()
      const [reset] = await node.read("/v1/stream", 1, last?.id)
      assert.equal(reset?.event, "reset")
      await node.submit()
      const [next] = await node.read("/v1/stream", 1, reset?.id)
      assert.equal(next?.event.startsWith("task."), true, "it goes on behind the reset")
      for (const { id } of ofTask.slice(1)) {
        const told = await node.read(`/v1/tasks/${task}/stream`, 5, id)
        assert.deepEqual(toTypes(told), ["reset", "task.submitted", ...LOST])
      }
      const [kept] = ofTask
      const behind = await node.read(`/v1/tasks/${task}/stream`, 3, kept?.id)
      assert.deepEqual(toTypes(behind), LOST)
    })
  })
}
