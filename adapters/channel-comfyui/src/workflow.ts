/**
 * A workflow file, read once at the start, so that its faults are reported then, by file, node and field, and
 * not by the first task. Only the server knows its checkpoints and nodes: `check` asks about those.
 */
import { SafelightError, type Model } from "@safelight/core"
import { isFields, toLink, type ComfyNode, type Graph } from "./graph.ts"
import { findFillingFault, findRestrictionFault } from "./placeholder-fault.ts"
import {
  parsePlaceholders,
  type Filling,
  type Placeholder,
  type Restriction,
} from "./placeholder.ts"

export interface Workflow {
  /** Its path, as the configuration has it. */
  readonly file: string
  readonly model: Model
  readonly graph: Graph
  readonly fillings: readonly PlacedFilling[]
  readonly restrictions: readonly Restriction[]
  /** Nodes that save the result, in the order of the file. */
  readonly outputs: readonly string[]
}

export interface PlacedFilling extends Filling {
  readonly node: string
}

/** Whether a placeholder fills that input of that node. */
export function isFilled({ fillings }: Workflow, node: string, input: string): boolean {
  return fillings.some((filling) => filling.node === node && filling.input === input)
}

export interface WorkflowFile {
  readonly file: string
  readonly text: string
  readonly model: Model
}

/** Classes of nodes that save, of ComfyUI and its most common extension; others need `{{output}}`. */
const SAVING: ReadonlySet<string> = new Set([
  "SaveAnimatedPNG",
  "SaveAnimatedWEBP",
  "SaveImage",
  "SaveVideo",
  "SaveWEBM",
  "VHS_VideoCombine",
])

/** Throws `invalid-configuration`, naming the file and what is wrong with it. */
export function parseWorkflow(source: WorkflowFile): Workflow {
  const fail = createFail(source.file)
  const { graph, titles } = parseGraph(source.text, fail)
  const placed = Object.entries(graph).flatMap(([id, node]) =>
    readTitle(titles.get(id) ?? "", (what) => fail(`${toName(id, node)}: ${what}`)).map(
      (placeholder) => ({ id, placeholder }),
    ),
  )
  const fillings: PlacedFilling[] = []
  const restrictions: Restriction[] = []
  for (const { id, placeholder } of placed) {
    const node = graph[id] as ComfyNode
    if (placeholder.kind === "fill") fillings.push({ ...placeholder, node: id })
    if (placeholder.kind === "only") restrictions.push(placeholder)
    const fault = findFault(source.model, node, placeholder)
    if (fault !== undefined) fail(`${toName(id, node)}: ${fault}`)
  }
  requireOnce(graph, fillings, fail)
  requireVariety(fillings, fail)
  const named = placed.filter(({ placeholder }) => placeholder.kind === "output")
  const outputs = findOutputs(
    graph,
    named.map(({ id }) => id),
  )
  if (outputs.length > 0) {
    return { file: source.file, model: source.model, graph, fillings, restrictions, outputs }
  }
  return fail(
    "no node is known to save anything: put {{output}} into the title of the one that does",
  )
}

type Fail = (what: string) => never

function createFail(file: string): Fail {
  return (what) => {
    const message = `workflow ${file}: ${what}`
    throw new SafelightError({ code: "invalid-configuration", message })
  }
}

export function toName(id: string, { class_type: type }: ComfyNode): string {
  return `node ${id} (${type})`
}

interface ParsedGraph {
  readonly graph: Graph
  readonly titles: ReadonlyMap<string, string>
}

function parseGraph(text: string, fail: Fail): ParsedGraph {
  const value = parseJson(text, fail)
  if (!isFields(value)) return fail("it holds no object")
  if (Array.isArray(value["nodes"])) {
    fail("this is the format that ComfyUI saves: export it with Workflow, Export (API)")
  }
  const titles = new Map<string, string>()
  const graph: Record<string, ComfyNode> = Object.create(null) as Record<string, ComfyNode>
  for (const [id, node] of Object.entries(value)) {
    if (!isFields(node)) return fail(`${id} is no node: it holds no object`)
    const { _meta: meta, class_type: type, inputs } = node
    if (typeof type !== "string" || type === "") {
      return fail(`node ${id}: class_type must be a text`)
    }
    if (!isFields(inputs)) return fail(`node ${id}: inputs must be an object`)
    graph[id] = { class_type: type, inputs }
    const title = isFields(meta) ? meta["title"] : undefined
    if (typeof title === "string") titles.set(id, title)
  }
  if (Object.keys(graph).length === 0) fail("it holds no node")
  requireLinks(graph, fail)
  return { graph, titles }
}

function parseJson(text: string, fail: Fail): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""))
  } catch (error) {
    const place = /line \d+ column \d+/.exec((error as Error).message)?.[0]
    return fail(`not JSON${place === undefined ? "" : ` at ${place}`}`)
  }
}

function requireLinks(graph: Graph, fail: Fail): void {
  for (const [id, node] of Object.entries(graph)) {
    for (const [name, input] of Object.entries(node.inputs)) {
      const link = toLink(input)
      if (link === undefined || Object.hasOwn(graph, link)) continue
      fail(`${toName(id, node)}: ${name} is linked to node ${link}, which is not there`)
    }
  }
}

function readTitle(title: string, fail: Fail): readonly Placeholder[] {
  const found = parsePlaceholders(title)
  return typeof found === "string" ? fail(`${found} in its title is no placeholder`) : found
}

function findFault(model: Model, node: ComfyNode, placeholder: Placeholder): string | undefined {
  switch (placeholder.kind) {
    case "fill":
      return findFillingFault(model, node, placeholder)
    case "only":
      return findRestrictionFault(model, placeholder)
    case "output":
      return undefined
  }
}

function requireOnce(graph: Graph, fillings: readonly PlacedFilling[], fail: Fail): void {
  const seen = new Set<string>()
  for (const { input, node } of fillings) {
    const key = JSON.stringify([node, input])
    if (seen.has(key)) fail(`${toName(node, graph[node] as ComfyNode)}: ${input} is filled twice`)
    seen.add(key)
  }
}

/** ComfyUI runs the same graph once: a second task of equal parameters would get no files. */
function requireVariety(fillings: readonly PlacedFilling[], fail: Fail): void {
  if (fillings.some(({ source }) => typeof source === "string")) return
  fail(
    "nothing differs between two tasks of equal parameters, which ComfyUI runs once: " +
      "put {{seed=$seed}} into the title of its sampler, or {{filename_prefix=$id}} into that of a node that saves",
  )
}

/** Previews are outputs only if nothing else is saved. */
function findOutputs(graph: Graph, named: readonly string[]): readonly string[] {
  if (named.length > 0) return named
  const byClass = (isOne: (type: string) => boolean): readonly string[] =>
    Object.entries(graph).flatMap(([id, { class_type: type }]) => (isOne(type) ? [id] : []))
  const saving = byClass((type) => SAVING.has(type))
  return saving.length > 0 ? saving : byClass((type) => type === "PreviewImage")
}
