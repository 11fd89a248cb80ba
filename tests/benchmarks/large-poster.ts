/**
 * The thread that posts large bodies back to back until it is told to stop, so that writing them
 * does not delay the polls that are measured. It answers with how many were accepted.
 */
import { request } from "node:http"
import { parentPort, workerData } from "node:worker_threads"

export interface PosterSettings {
  readonly url: string
  readonly key: string
  /** Of each of the three data URLs. */
  readonly imageBytes: number
}

if (parentPort === null) throw new Error("large-poster.ts is the body of a worker thread")
const port = parentPort
const { url, key, imageBytes } = workerData as PosterSettings
const image = `data:image/png;base64,${Buffer.alloc(imageBytes, "safelight").toString("base64")}`
const body = Buffer.from(
  JSON.stringify({
    model: "vendor-b/imagine-image/v2.0/edit",
    parameters: { prompt: "as one picture", image_urls: [image, image, image] },
  }),
)

function post(): Promise<void> {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "content-length": body.length,
  }
  return new Promise((resolve, reject) => {
    const call = request(`${url}/v1/tasks`, { method: "POST", headers }, (answer) => {
      answer.resume().once("end", () => {
        if (answer.statusCode === 202) resolve()
        else reject(new Error(`a large body was answered with ${answer.statusCode}`))
      })
    })
    call.once("error", reject)
    call.end(body)
  })
}

const stop = new AbortController()
port.once("message", () => stop.abort())
let posted = 0
while (!stop.signal.aborted) {
  await post()
  posted += 1
  // The first one is a warm-up: its end is told.
  if (posted === 1) port.postMessage({ posted })
}
port.postMessage({ posted })
port.unref()
