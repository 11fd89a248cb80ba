/**
 * `webhooks_per_s`: events of finished tasks, from a feed on SQLite to a receiver that takes them at once, spread,
 * signed, sent and recorded, while a thousand endpoints that never answer wait for theirs. All of it is one
 * process; the receivers are another.
 *
 * What webhooks take of POST's throughput, beside an account without any: `webhook_post_share` where they tell of
 * finished tasks, so that a submission is looked at and nothing is sent; `webhook_told_post_share` where each
 * submission is told too, as far as that is done while others are taken; the rest is waited for.
 */
import { once } from "node:events"
import { setTimeout } from "node:timers/promises"
import { parseArgs } from "node:util"
import { createSystemClock, fold, openEvent, WEBHOOK_TYPES, type Storage } from "@safelight/core"
import { createMessageSender } from "@safelight/fetch-guarded"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createWebhooks, type Webhooks } from "@safelight/webhooks"
import { submitSample } from "@safelight/testkit"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"
import { startServer } from "../child-server.ts"
import { report } from "../measure.ts"
import { measurePostShare, type Caller } from "./post-share.ts"

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } })
const MESSAGES = values.quick ? 200 : 10_000
const DEAD = values.quick ? 20 : 1_000
/** Before the time is taken: the receiver has to be known to take messages, as any is after its first. */
const WARM = 100
/** Endpoints an account: dead ones have an account of their own for each ten. */
const EACH = 10
/** Of a receiver to which nothing more comes. */
const QUIET_MS = 1_000
const ROUNDS = { rounds: values.quick ? 1 : 5, seconds: values.quick ? 1 : 3 }

interface Service {
  readonly url: string
  readonly keys: readonly string[]
}

async function append(storage: Storage, account: string, name: string, count: number) {
  const now = Date.now()
  const samples = Array.from({ length: count }, (_, index) =>
    submitSample({ id: `${name}-${index}`, now, submitted: { account, endBy: now + 3_600_000 } }),
  )
  await Promise.all(samples.map(({ append: one }) => storage.append(one)))
}

async function add(webhooks: Webhooks, account: string, url: string): Promise<void> {
  const types = WEBHOOK_TYPES.filter((type) => type === "task.submitted")
  const made = await webhooks.createWebhook({ account, url, types })
  if (made.kind !== "done") throw new Error(made.kind)
}

await using folder = await createTemporaryFolder()
await using receiver = await startServer<{ readonly url: string }>("hook-receiver")
const { url } = receiver.announcement
const opened = await createSqliteStorage({ folder: folder.path })
let delivered = 0
const storage: Storage = {
  ...opened,
  async recordTries(tries) {
    await opened.recordTries(tries)
    delivered += tries.filter(({ state }) => state === "delivered").length
  },
}
const webhooks = createWebhooks({
  storage,
  tasks: {
    findTask: async ({ id }) => (await storage.readTask(id))?.task,
    async findTaskAt({ id, version }) {
      const events = (await storage.readEvents(id)).slice(0, version)
      const hash = events[version - 1]?.hash
      return hash === undefined ? undefined : { task: fold(id, events.map(openEvent)), hash }
    },
  },
  sender: createMessageSender({ allowedAddresses: ["127.0.0.1/32"] }),
  toTaskText: (task) => JSON.stringify({ task_id: task.id, status: task.state, model: task.model }),
  clock: createSystemClock(globalThis),
  log: { info() {}, warn() {}, error() {} },
})
await add(webhooks, "fast", url)
for (let index = 0; index < DEAD; index += 1) {
  await add(webhooks, `dead-${Math.floor(index / EACH)}`, `${url}/dead/${index}`)
}
await append(storage, "fast", "warm", WARM)
webhooks.start()
await until(() => delivered === WARM)
for (let index = 0; index < DEAD / EACH; index += 1) {
  await append(storage, `dead-${index}`, `dead-${index}`, EACH)
}
const startedAt = performance.now()
await append(storage, "fast", "task", MESSAGES)
await until(() => delivered === WARM + MESSAGES)
const seconds = (performance.now() - startedAt) / 1_000
await webhooks.stop({ graceMs: 0 })
await opened.close()

await using other = await createTemporaryFolder()
await using service = await startServer<Service>("stream-server", other.path, url)
const [plain, finished, submitted] = service.announcement.keys.map((key): Caller => {
  return { url: service.announcement.url, key }
})
if (plain === undefined || finished === undefined || submitted === undefined)
  throw new Error("keys")
async function readReceived(): Promise<number> {
  receiver.process.send("received")
  const [count] = (await once(receiver.process, "message")) as [number]
  return count
}

/** Until the receiver has had nothing for a while. */
async function settle(): Promise<void> {
  for (let before = -1, now = await readReceived(); now !== before; now = await readReceived()) {
    before = now
    await setTimeout(QUIET_MS)
  }
}

report({
  webhooks_per_s: MESSAGES / seconds,
  dead_webhooks: DEAD,
  webhook_post_share: await measurePostShare(plain, finished, ROUNDS),
  webhook_told_post_share: await measurePostShare(plain, submitted, { ...ROUNDS, settle }),
})
