/**
 * What a user's program does with the packed client, in any runtime: `make-picture.mjs URL KEY FILE` makes a
 * picture, saves it, lists it, opens a private link to it and is refused with a wrong key. Prints what it saw as JSON.
 */
import { createClient, isApiError } from "@safelight/client"

const [url, key, file] = process.argv.slice(-3)
const client = createClient({ url, key })
const seen = []
const onProgress = ({ status }) => seen.push(status)
const model = "vendor-a/v4.1/flash/text-to-image"
const task = await client.run(model, { prompt: "first light" }, { onProgress })
const artifact = task.artifact("image_1")
await artifact.saveTo(file)
const link = await artifact.url()
const linked = await (await fetch(link)).arrayBuffer()
const listed = []
for await (const { task_id: id } of client.list()) listed.push(id)
const refusal = await createClient({ url, key: "none" })
  .usage()
  .catch((error) => error)
const result = {
  status: seen.at(-1),
  isListed: listed.includes(task.task_id),
  isBelowUrl: link.startsWith(`${url}/v1/tasks/`),
  linkedBytes: linked.byteLength,
  refusal: isApiError(refusal) ? refusal.code : String(refusal),
}
console.log(JSON.stringify(result))
