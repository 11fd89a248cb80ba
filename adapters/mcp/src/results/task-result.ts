/**
 * A task as the answer of a tool: its state, what it cost, and what it made. Each artifact is a link, private if the
 * key may make such, and small images are in the answer itself.
 */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import { isApiError, type Artifact, type ArtifactLink, type Task } from "@safelight/client"
import { DEFAULTS } from "../settings/defaults.ts"
import type { ToolCall } from "../tools/tool.ts"
import { toErrorData, toResult } from "./results.ts"
import { readSmall } from "./read-small.ts"

type Content = CallToolResult["content"]

interface ShownArtifact extends Pick<Artifact, "key" | "mime_type" | "type"> {
  /** Opens the artifact; without a private link, for the API key alone. */
  readonly url: string
  /** Unix seconds, from which on the address opens nothing. */
  readonly expires_at?: number
}

/** What can't be read of a finished task has its error in its place: an error of the call would have it bought again. */
export async function toTaskResult(call: ToolCall, task: Task): Promise<CallToolResult> {
  const state = toState(task)
  if (task.status === "queued" || task.status === "running") {
    const next = "The task is not finished: get_task waits for it, and cancel_task ends it."
    return toResult({ ...state, next })
  }
  const cost = await readCost(call, task)
  if (task.status === "failed") {
    return { ...toResult({ ...state, ...cost, artifacts: [], error: task.error }), isError: true }
  }
  return toMade(call, task, { ...state, ...cost })
}

function toState({ model, progress, status, task_id }: Task): Record<string, unknown> {
  return { task_id, model, status, progress }
}

async function readCost(
  { client, signal, spending }: ToolCall,
  { task_id: id }: Task,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const usage = await client.taskUsage(id, { signal })
    spending.settle(id, usage.charge_micros)
    return { charge_micros: usage.charge_micros, ...toCurrency(usage) }
  } catch (error) {
    if (!isApiError(error)) throw error
    return { charge_micros: null, charge_error: toErrorData(error)["error"] }
  }
}

function toCurrency(found: object): { readonly currency?: unknown } {
  return "currency" in found ? { currency: found.currency } : {}
}

async function toMade(
  call: ToolCall,
  { task_id: id }: Task,
  data: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  try {
    const artifacts = await call.client.artifacts(id, { signal: call.signal })
    const shown = await toShown(call, id, artifacts)
    const result = toResult({ ...data, artifacts: shown })
    const images = await toImages(call, id, artifacts)
    return { ...result, content: [...result.content, ...shown.map(toLink), ...images] }
  } catch (error) {
    if (!isApiError(error)) throw error
    return toResult({ ...data, artifacts: null, artifacts_error: toErrorData(error)["error"] })
  }
}

async function toShown(
  { client, signal }: ToolCall,
  id: string,
  artifacts: readonly Artifact[],
): Promise<readonly ShownArtifact[]> {
  let mayLink = true
  const shown: ShownArtifact[] = []
  for (const { content_url: plain, expires_at: expiresAt, key, mime_type, type } of artifacts) {
    const expiry = expiresAt === undefined ? {} : { expires_at: expiresAt }
    // One after another: the first refusal is that of all.
    const link: ArtifactLink | undefined = mayLink
      ? await client.artifact(id, key).link({ signal }).catch(toUndefined)
      : undefined
    mayLink = link !== undefined
    shown.push({ key, type, mime_type, ...expiry, ...(link ?? { url: plain }) })
  }
  return shown
}

function toUndefined(error: unknown): undefined {
  if (!isApiError(error)) throw error
}

function toLink({ key, mime_type: mimeType, url }: ShownArtifact): Content[number] {
  return { type: "resource_link", uri: url, name: key, mimeType }
}

async function toImages(
  { client, signal }: ToolCall,
  id: string,
  artifacts: readonly Artifact[],
): Promise<Content> {
  let leftBytes: number = DEFAULTS.inlineBytes
  const images: Content = []
  for (const { key, mime_type: mimeType, type } of artifacts) {
    if (type !== "image") continue
    const bytes = await readSmall(client.artifact(id, key), leftBytes, signal)
    if (bytes === undefined) continue
    leftBytes -= bytes.byteLength
    images.push({ type: "image", data: Buffer.from(bytes).toString("base64"), mimeType })
  }
  return images
}
