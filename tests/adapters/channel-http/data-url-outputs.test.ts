/** Outputs that are data URLs: nobody fetches them, so the channel has their bytes. */
import assert from "node:assert/strict"
import { after, describe, it } from "node:test"
import { createHttpChannel } from "@safelight/channel-http"
import { textToImage } from "@safelight/core"
import { createProvider, toRequest } from "./provider-world.ts"
import { readOutputs } from "./read-outputs.ts"

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")
const MP4 = Buffer.from("000000206674797069736f6d00000200", "hex")
const URL = "https://files.example/1.png"

const provider = createProvider((operation) => {
  const outputs = (operation as readonly string[]).map((url) => ({ url }))
  return Promise.resolve({ kind: "completed", outputs })
})

const channel = createHttpChannel({ provider, key: "key" })
after(() => channel.close?.())

function poll(urls: readonly string[]) {
  return channel.poll({ ...toRequest(textToImage.id, {}), operation: [...urls], progress: 0 })
}

describe("an output that is a data URL", () => {
  it("is handed out as its bytes, by the type that they have", async () => {
    const urls = [PNG, MP4].map((bytes) => `data:image/webp;base64,${bytes.toString("base64")}`)
    const outputs = await readOutputs(await poll(urls))
    assert.deepEqual(outputs, [
      { mimeType: "image/png", bytes: PNG },
      { mimeType: "video/mp4", bytes: MP4 },
    ])
  })

  it("is left out where it holds no medium, and leaves the others as they are", async () => {
    const outcome = await poll(["data:image/png;base64,AAAA", "data:image/png,none", URL])
    assert.deepEqual(outcome, { kind: "completed", outputs: [{ url: URL }] })
  })
})
