/**
 * A prompt in ComfyUI: a graph of nodes with an ID that the client may choose. IDs are not checked for uniqueness:
 * a repeated ID is another run, whose history replaces the first.
 */
import { isObject } from "../frame/stub-call.ts"
import { findInputFaults } from "./comfyui-inputs.ts"
import type { StubContext } from "../frame/stub-definition.ts"
import type { StubJob } from "../frame/stub-jobs.ts"
import type { StubMedia } from "../frame/stub-files.ts"

type Fields = Readonly<Record<string, unknown>>

export interface PromptData {
  readonly promptId: string
  readonly number: number
  readonly graph: Fields
  readonly extra: Fields
  readonly clientId: string | null
  /** Whether it fails in a node. */
  readonly isFailing: boolean
  /** Whether the same graph was run before, so that nothing runs and there is no output. */
  readonly isCached: boolean
}

export type Prompt = StubJob<PromptData>

export interface OutputNode {
  readonly id: string
  readonly media: StubMedia
  readonly count: number
  readonly prefix: string
  /** The name of the list in history that has the node's files. */
  readonly list: "images" | "gifs" | "videos"
}

/** The errors, by node, for which ComfyUI would not queue the graph; undefined if it would. */
export function findGraphErrors(graph: unknown): Fields | undefined {
  if (!isObject(graph)) return {}
  const wrong = Object.entries(graph).flatMap(([id, node]) => {
    const errors = findNodeErrors(node)
    return errors.length === 0 ? [] : [[id, { errors }] as const]
  })
  if (wrong.length > 0) return Object.fromEntries(wrong)
  return findOutputs(graph).length === 0 ? {} : undefined
}

function findNodeErrors(node: unknown): readonly Fields[] {
  if (!isNode(node)) return [{ type: "invalid_node", message: "No class_type" }]
  const { class_type: type, inputs } = node as {
    readonly class_type: string
    readonly inputs: Fields
  }
  return findInputFaults(type, inputs).map((fault) => ({ ...fault }))
}

function isNode(node: unknown): boolean {
  return isObject(node) && typeof node["class_type"] === "string" && isObject(node["inputs"])
}

/** The nodes that write files. A size or a count is the first that any node is given. */
export function findOutputs(graph: Fields): readonly OutputNode[] {
  const nodes = Object.entries(graph).filter(([, node]) => isNode(node)) as [string, Fields][]
  const inputs = nodes.map(([, { inputs: given }]) => given as Fields)
  const first = (name: string, fallback: number): number => {
    const found = inputs.map((each) => each[name]).find((value) => typeof value === "number")
    return typeof found === "number" ? found : fallback
  }
  const size = { width: first("width", 512), height: first("height", 512) }
  const durationMs = Math.round((first("length", 96) / first("fps", 24)) * 1_000)
  return nodes.flatMap(([id, { class_type: type, inputs: given }]): OutputNode[] => {
    const { filename_prefix: prefix } = given as Fields
    const shared = { id, prefix: typeof prefix === "string" ? prefix : "ComfyUI" }
    if (type === "SaveImage" || type === "PreviewImage") {
      const media = { type: "image/png", ...size } as const
      return [{ ...shared, media, count: first("batch_size", 1), list: "images" }]
    }
    const media = { type: "video/mp4", ...size, durationMs } as const
    if (type === "SaveVideo") return [{ ...shared, media, count: 1, list: "videos" }]
    return type === "VHS_VideoCombine" ? [{ ...shared, media, count: 1, list: "gifs" }] : []
  })
}

/** An entry of history; its outputs are by node. */
export function toHistory(context: StubContext, prompt: Prompt, isInterrupted: boolean): Fields {
  const { promptId, number, graph, extra, isFailing, isCached } = prompt.data
  const nodes = findOutputs(graph)
  const ids = nodes.map(({ id }) => id)
  const isSuccess = !isFailing && !isInterrupted
  const timestamp = context.toldAt(prompt.endAt)
  const failed = { prompt_id: promptId, node_id: ids[0], exception_message: "Out of memory" }
  const last = isInterrupted ? "execution_interrupted" : "execution_error"
  return {
    prompt: [number, promptId, graph, extra, ids],
    outputs:
      isSuccess && !isCached
        ? Object.fromEntries(nodes.map((node) => write(context, prompt, node)))
        : {},
    status: {
      status_str: isSuccess ? "success" : "error",
      completed: isSuccess,
      messages: [
        ["execution_start", { prompt_id: promptId, timestamp }],
        [
          "execution_cached",
          { nodes: isCached ? Object.keys(graph) : [], prompt_id: promptId, timestamp },
        ],
        isSuccess ? ["execution_success", { prompt_id: promptId, timestamp }] : [last, failed],
      ],
    },
    meta: {},
  }
}

function write(context: StubContext, prompt: Prompt, node: OutputNode): [string, Fields] {
  const type = node.media.type === "image/png" ? "png" : "mp4"
  const files = Array.from({ length: node.count }, (_, index) => {
    const number = String(prompt.data.number * 10 + index + 1).padStart(5, "0")
    const name = `${node.prefix}_${number}_`
    context.files.add(name, node.media)
    return { filename: `${name}.${type}`, subfolder: "", type: "output" }
  })
  return [node.id, { [node.list]: files, ...(node.list === "images" ? {} : { animated: [true] }) }]
}
