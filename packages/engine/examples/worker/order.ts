/**
 * A process that orders and reads, such as a web application: `order.ts ORDER PROMPT FILE`. It leaves out `start`, so
 * its processor is for its own work. ORDER is your own name for it: the same order twice is one picture.
 */
import { createWriteStream } from "node:fs"
import { pipeline } from "node:stream/promises"
import { sha256 } from "@safelight/engine"
import { openEngine } from "./open-engine.ts"

const [order = "", prompt = "", file = "picture.png"] = process.argv.slice(2)
const opened = await openEngine()
const { engine } = opened
try {
  const result = await engine.submit({
    account: "me",
    model: "vendor-a/v4.1/flash/text-to-image",
    parameters: { prompt },
    idempotency: { key: order, fingerprint: sha256([prompt]) },
  })
  if (result.kind === "rejected") throw new Error(result.rejection.code)
  const { id } = result.task
  const task = await engine.finished(id)
  if (task?.error != null) throw new Error(task.error.message)
  await pipeline(engine.readArtifact({ task: id, key: "image_1" }), createWriteStream(file))
  console.log(id)
} finally {
  await opened.close()
}
