/**
 * The outcome of a prompt that is in the history. Nothing is billed, so a prompt without files may be tried
 * again if the reason lies outside it: it was interrupted, or the machine had no memory for it.
 */
import type { Completed, LinkedOutput, NotCreated, Refused } from "@safelight/core"
import type { ComfyServer } from "./comfy-server.ts"
import { isFields, toText, type Fields } from "./graph.ts"
import { isOfMedia } from "./placeholder.ts"
import type { Workflow } from "./workflow.ts"

export function readHistory(
  server: Pick<ComfyServer, "headers" | "toUrl">,
  workflow: Workflow,
  entry: Fields,
): Completed | NotCreated | Refused {
  const status = isFields(entry["status"]) ? entry["status"] : {}
  if (status["status_str"] === "error") return readFailure(workflow, status)
  const outputs = listFiles(workflow, entry["outputs"]).map((file) => toOutput(server, file))
  if (outputs.length > 0) return { kind: "completed", outputs }
  // ComfyUI ran the same graph before, and does not run it again. With another seed it is another graph.
  const [, cached] = findMessage(status, "execution_cached") ?? []
  const nodes = isFields(cached) ? cached["nodes"] : undefined
  const isCached = Array.isArray(nodes) && workflow.outputs.every((id) => nodes.includes(id))
  return isCached
    ? { kind: "not-created", reason: "answered_from_cache" }
    : { kind: "refused", code: "no_output" }
}

/** Enough memory may be free again by then. */
const MEMORY_PAUSE_MS = 10_000

function readFailure(workflow: Workflow, status: Fields): NotCreated | Refused {
  if (findMessage(status, "execution_interrupted") !== undefined) {
    return { kind: "not-created", reason: "interrupted" }
  }
  const [, error] = findMessage(status, "execution_error") ?? []
  const failure = isFields(error) ? error : {}
  const { exception_message: message, exception_type: type, node_id: id, node_type: name } = failure
  const words = `${toText(type)} ${toText(message)}`
  if (/OutOfMemory|out of memory|Allocation on device/i.test(words)) {
    return { kind: "not-created", reason: "out_of_memory", retryAfterMs: MEMORY_PAUSE_MS }
  }
  const providerWords = `node ${toText(id)} (${toText(name)}): ${words}`
  const code = readsInput(workflow, toText(id)) ? "media_unreadable" : "provider_rejected"
  return { kind: "refused", code, providerWords }
}

/** Whether the node loads media that the request refers to. */
function readsInput({ fillings, model }: Workflow, id: string): boolean {
  return fillings.some(({ node, source }) => node === id && isOfMedia(model, source))
}

/** The last message of that name, as `[name, data]`. */
function findMessage(status: Fields, name: string): readonly unknown[] | undefined {
  const messages: readonly unknown[] = Array.isArray(status["messages"]) ? status["messages"] : []
  return messages.findLast((each): each is unknown[] => Array.isArray(each) && each[0] === name)
}

interface SavedFile {
  readonly filename: string
  readonly subfolder: string
  readonly type: string
}

/** The files of the workflow's outputs; those of all nodes if the workflow was changed meanwhile. */
function listFiles({ outputs }: Workflow, saved: unknown): readonly SavedFile[] {
  if (!isFields(saved)) return []
  const named = outputs.filter((id) => Object.hasOwn(saved, id))
  const nodes = named.length > 0 ? named : Object.keys(saved)
  return nodes.flatMap((id) => {
    const node = saved[id]
    // `images`, `gifs`, `videos`: each extension has a name of its own.
    const lists = isFields(node) ? Object.values(node) : []
    return lists.flatMap((list): readonly SavedFile[] =>
      Array.isArray(list) ? list.flatMap((file: unknown) => toFile(file)) : [],
    )
  })
}

function toFile(value: unknown): readonly SavedFile[] {
  if (!isFields(value) || typeof value["filename"] !== "string") return []
  const { filename, subfolder, type } = value
  return [{ filename, subfolder: toText(subfolder), type: toText(type) || "output" }]
}

function toOutput(
  { headers, toUrl }: Pick<ComfyServer, "headers" | "toUrl">,
  { filename, subfolder, type }: SavedFile,
): LinkedOutput {
  const url = toUrl("/view", { filename, subfolder, type }).href
  return Object.keys(headers).length === 0 ? { url } : { url, headers }
}
