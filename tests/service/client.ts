/** A client of a service under test: submits small pictures, and reads what became of them. */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { setTimeout } from "node:timers/promises"

/** Where to, and as whom. */
export interface Client {
  readonly url: string
  readonly key: string
}

const MODEL = "vendor-a/v4.1/flash/text-to-image"

/** Between two looks at a task: it is rendered on the same processors. */
const PAUSE_MS = 50

export function read({ url, key }: Client, path: string, headers = {}): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}`, ...headers } })
}

/** `headers` may hold an `Idempotency-Key`. */
export function post({ url, key }: Client, prompt: string, headers = {}): Promise<Response> {
  const own = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  return fetch(`${url}/v1/tasks`, {
    method: "POST",
    headers: { ...own, ...headers },
    body: JSON.stringify({ model: MODEL, parameters: { prompt, size: "square" } }),
  })
}

/** Resolves to the id. */
export async function submit(client: Client, prompt: string): Promise<string> {
  const response = await post(client, prompt)
  assert.equal(response.status, 202, await response.clone().text())
  return ((await response.json()) as { readonly task_id: string }).task_id
}

export async function readJson(client: Client, path: string): Promise<Record<string, unknown>> {
  const response = await read(client, path)
  assert.equal(response.status, 200, `${path} was answered ${response.status}`)
  return (await response.json()) as Record<string, unknown>
}

/** Waits until the task shows `status`; one that ends as something else fails the test. */
export async function reach(client: Client, id: string, status: string): Promise<void> {
  for (;;) {
    const task = await readJson(client, `/v1/tasks/${id}`)
    if (task["status"] === status) return
    assert.ok(task["status"] !== "succeeded" && task["status"] !== "failed", JSON.stringify(task))
    await setTimeout(PAUSE_MS)
  }
}

/** Waits until the answer has this status, whatever it is meanwhile. */
export async function untilAnswered(
  ask: () => Promise<Response>,
  status: number,
): Promise<Response> {
  for (;;) {
    const response = await ask()
    if (response.status === status) return response
    await response.body?.cancel()
    await setTimeout(PAUSE_MS)
  }
}

/** The whole picture, once its digest has been found to be right. */
export async function download(client: Client, id: string): Promise<Buffer> {
  const response = await read(client, `/v1/tasks/${id}/artifacts/image_1/content`)
  assert.equal(response.status, 200)
  const bytes = Buffer.from(await response.arrayBuffer())
  const digest = createHash("sha256").update(bytes).digest("base64")
  assert.equal(response.headers.get("repr-digest"), `sha-256=:${digest}:`)
  return bytes
}
