/** Sequences a tree whenever it is told, in a thread of its own, over a storage of its own. */
import { parentPort, workerData } from "node:worker_threads"
import { createSequencer, createTreeHash } from "@safelight/proof"
import { sha256 } from "@safelight/proof/node"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { createSqliteStorage } from "@safelight/storage-sqlite"

const { folder = "", url } = workerData as { readonly folder?: string; readonly url?: string }
const storage =
  url === undefined
    ? await createSqliteStorage({ folder, mode: "beside" })
    : await createPostgresStorage({ url })
const sequencer = createSequencer({ storage, tree: createTreeHash(sha256) })

parentPort?.on("message", async (word: "end" | "sequence") => {
  if (word === "sequence") await sequencer.sequence()
  else await storage.close()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's, not a window's
  parentPort?.postMessage(word)
  if (word === "end") parentPort?.close()
})
