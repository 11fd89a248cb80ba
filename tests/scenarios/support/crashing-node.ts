/**
 * A node that kills itself (SIGKILL, nothing is cleaned up) the n-th time it passes a named point.
 * It writes the idempotency key and the id of every accepted task to standard output before it goes
 * on, and exits 0 where it never met the point. Arguments: folder, kind of upstream, point, n.
 */
import { writeSync } from "node:fs"
import { join } from "node:path"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { createEngine } from "@safelight/engine"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createUpstream, type UpstreamKind } from "../../support/upstream.ts"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { REQUEST_KEYS, toKeyedRequest } from "./keyed-request.ts"
import { DAY_MS, NODE_FOLDERS, toNodeSettings } from "./node-settings.ts"

const [folder = "", kind = "keyed", point = "", nth = "1"] = process.argv.slice(2)
let passes = 0

function pass(passed: string): void {
  if (passed !== point) return
  passes += 1
  if (passes === Number(nth)) process.kill(process.pid, "SIGKILL")
}

const storage = await createSqliteStorage({
  folder: join(folder, NODE_FOLDERS.data),
  mode: "serve",
})
// With bounds its totals are kept, so that the audit has them to judge after the crash.
const settings = { budgetMicros: 1_000_000_000, unfinishedTasks: 100 }
await storage.setAccount({ id: SAMPLE_REQUEST.account, now: Date.now(), settings })
const engine = createEngine({
  storage,
  artifacts: createFilesystemArtifacts({ folder: join(folder, NODE_FOLDERS.artifacts) }),
  channels: [
    createUpstream({
      folder: join(folder, NODE_FOLDERS.upstream),
      kind: kind as UpstreamKind,
      onBought: () => pass("upstream:bought"),
    }).channel,
  ],
  settings: toNodeSettings(kind as UpstreamKind),
  probe: pass,
})
engine.start()
const ids = await Promise.all(
  REQUEST_KEYS.map(async (key) => {
    const result = await engine.submit(toKeyedRequest(key))
    if (result.kind === "rejected") throw new Error(result.rejection.code)
    writeSync(1, `${key} ${result.task.id}\n`)
    return result.task.id
  }),
)
for (const id of ids) await engine.finished(id)
await engine.sweep(Date.now() + 14 * DAY_MS)
await engine.sweep(Date.now() + 16 * DAY_MS)
await engine.stop()
await storage.close()
