/**
 * Whether the server can run the workflows, found out without running anything: it has to have the classes of
 * their nodes, and the checkpoints and other choices that they name.
 */
import { isSafelightError, type AbortSignalLike, type ChannelCheck } from "@safelight/core"
import type { ComfyServer, ServerReply } from "./comfy-server.ts"
import { isFields, type ComfyNode, type Fields } from "./graph.ts"
import { isFilled, toName, type Workflow } from "./workflow.ts"

/** `isKeyed`: a key is sent, for a proxy in front of the server. Only a bug of ours makes it reject. */
export async function checkServer(
  server: ComfyServer,
  workflows: Iterable<Workflow>,
  { isKeyed, signal }: { readonly isKeyed: boolean; readonly signal: AbortSignalLike },
): Promise<ChannelCheck> {
  try {
    const reply = await server.ask({ path: "/system_stats", signal })
    const { json, status } = reply
    if (status === 401 || status === 403) {
      return { kind: "refused", reason: `it answers ${status}: the key is missing, or not taken` }
    }
    if (status !== 200 || !isFields(json) || !isFields(json["system"])) return toUnclear(reply)
    const problems = await findProblems(server, [...workflows], signal)
    if (problems.length > 0) return { kind: "unavailable", reason: problems.join("; ") }
    return { kind: "ready", key: isKeyed ? "taken" : "none" }
  } catch (error) {
    if (!isSafelightError(error)) throw error
    const reason = error.code === "aborted" ? "it does not answer in time" : error.message
    return { kind: "unavailable", reason }
  }
}

function toUnclear({ status }: ServerReply): ChannelCheck {
  return { kind: "unavailable", reason: `it answers ${status}, and is no ComfyUI server` }
}

async function findProblems(
  server: ComfyServer,
  workflows: readonly Workflow[],
  signal: AbortSignalLike,
): Promise<readonly string[]> {
  const types = new Set(
    workflows.flatMap(({ graph }) => Object.values(graph).map(({ class_type: type }) => type)),
  )
  const found = await Promise.all(
    [...types].map(async (type) => {
      const { json } = await server.ask({
        path: `/object_info/${encodeURIComponent(type)}`,
        signal,
      })
      return [type, isFields(json) && isFields(json[type]) ? json[type] : undefined] as const
    }),
  )
  const facts = new Map(found)
  return workflows.flatMap((workflow) =>
    Object.entries(workflow.graph).flatMap(([id, node]) => {
      return findNodeProblems(workflow, { id, node, facts: facts.get(node.class_type) })
    }),
  )
}

interface NodeFacts {
  readonly id: string
  readonly node: ComfyNode
  /** Undefined if the server has no such node. */
  readonly facts: Fields | undefined
}

function findNodeProblems(workflow: Workflow, { facts, id, node }: NodeFacts): readonly string[] {
  const name = `workflow ${workflow.file}: ${toName(id, node)}`
  if (facts === undefined) return [`${name}: the server has no such node`]
  if (workflow.outputs.includes(id) && facts["output_node"] === false) {
    return [`${name}: it saves nothing, and can't be an output`]
  }
  return Object.entries(node.inputs)
    .filter(
      ([input, value]) =>
        !isFilled(workflow, id, input) && isMissing(toChoices(facts, input), value),
    )
    .map(([input, value]) => `${name}: the server has no ${input} ${JSON.stringify(value)}`)
}

function isMissing(choices: readonly unknown[] | undefined, value: unknown): boolean {
  return choices !== undefined && !Array.isArray(value) && !choices.includes(value)
}

/** The values that an input may have, if the server lists them: `[["a", "b"], {…}]`, or `["COMBO", {options}]`. */
function toChoices({ input }: Fields, name: string): readonly unknown[] | undefined {
  const groups = isFields(input) ? [input["required"], input["optional"]] : []
  const spec = groups
    .map((group) => (isFields(group) ? group[name] : undefined))
    .find(Array.isArray)
  if (spec === undefined) return undefined
  const [kind, extra] = spec as readonly unknown[]
  const options = isFields(extra) ? extra : {}
  // The server takes a file in a subfolder too, and lists only those at the top.
  if (Object.keys(options).some((option) => option.endsWith("_upload"))) return undefined
  const choices = kind === "COMBO" ? options["options"] : kind
  return Array.isArray(choices) ? choices : undefined
}
