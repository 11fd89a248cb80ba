/**
 * The task API with streams in a process of its own, over SQLite in a folder or over the PostgreSQL of a URL; its
 * engine is not started, so a POST costs its acceptance alone. With the URL of a receiver, the second account has
 * a webhook for its finished tasks, the third for its submissions. Tells the parent where it listens, and keys of
 * some accounts. Asked for its "memory", it answers with what of it is resident, in bytes, after it has collected
 * its garbage.
 */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { createEngine, systemClock } from "@safelight/engine"
import { SILENT_LOG, type WebhookType } from "@safelight/core"
import { createMessageSender } from "@safelight/fetch-guarded"
import { createHttpHandler, createNodeServer, createTaskText } from "@safelight/http"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createMemoryArtifacts } from "@safelight/testkit"
import { createAccess, createKey } from "@safelight/access"
import { createInstantChannel } from "../../support/instant-channel.ts"
import { createWebhooks } from "@safelight/webhooks"
import { announce } from "./announce.ts"

const ACCOUNTS = 20

const place = process.argv[2] ?? ""
const storage = place.startsWith("postgres")
  ? await createPostgresStorage({ url: place })
  : await createSqliteStorage({ folder: place, mode: "serve" })
const artifacts = createMemoryArtifacts({ keep: 100 })
const engine = createEngine({ storage, artifacts, channels: [createInstantChannel()] })
const keys: string[] = []
for (let index = 0; index < ACCOUNTS; index += 1) {
  const { key } = await createKey({ keys: storage, account: `a${index}`, now: Date.now() })
  keys.push(key)
}
const receiver = process.argv[3]
if (receiver !== undefined) await startWebhooks(receiver)
const handler = createHttpHandler({
  service: engine,
  changes: engine,
  access: createAccess({ storage, service: engine, clock: systemClock }),
  clock: systemClock,
  publicUrl: () => "http://127.0.0.1",
})
const { url } = await createNodeServer({ handler })
setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void
process.on("message", (question) => {
  if (question !== "memory") return
  collect()
  process.send?.(process.memoryUsage.rss())
})
announce({ url, keys })

async function startWebhooks(target: string): Promise<void> {
  const webhooks = createWebhooks({
    storage,
    tasks: engine,
    sender: createMessageSender({ allowedAddresses: ["127.0.0.1/32"] }),
    toTaskText: createTaskText(() => "http://127.0.0.1"),
    clock: systemClock,
    log: SILENT_LOG,
  })
  const chosen: readonly (readonly [string, WebhookType])[] = [
    ["a1", "task.succeeded"],
    ["a2", "task.submitted"],
  ]
  for (const [account, type] of chosen) {
    const made = await webhooks.createWebhook({ account, url: target, types: [type] })
    if (made.kind !== "done") throw new Error(made.kind)
  }
  webhooks.start()
}
