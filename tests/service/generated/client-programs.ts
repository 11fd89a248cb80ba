/**
 * What a stranger writes against the generated types, as text: the types it imports as `./api.ts`
 * exist only in the test's own folder, so these can be no modules of the project.
 */

/** Compiles, and runs: creates a task, polls it, lists and downloads what came of it. */
export const PROGRAM = `
import createClient from "openapi-fetch"
import type { components, paths } from "./api.ts"

type Creation = components["schemas"]["CreationRequest"]
type Task = components["schemas"]["Task"]

interface Options {
  readonly url: string
  readonly key: string
  readonly fetch: (request: Request) => Promise<Response>
}

function connect({ url, key, fetch }: Options) {
  const headers = { authorization: \`Bearer \${key}\` }
  return createClient<paths>({ baseUrl: url, headers, fetch })
}

export async function make(options: Options, body: Creation) {
  const client = connect(options)
  const created = await client.POST("/v1/tasks", { body })
  if (created.error !== undefined) throw new Error(created.error.error.code)
  let task: Task = created.data
  while (task.status === "queued" || task.status === "running") {
    const path = { task_id: task.task_id }
    const shown = await client.GET("/v1/tasks/{task_id}", { params: { path } })
    if (shown.error !== undefined) throw new Error(shown.error.error.message)
    task = shown.data
  }
  const path = { task_id: task.task_id }
  const listed = await client.GET("/v1/tasks/{task_id}/artifacts", { params: { path } })
  if (listed.error !== undefined) throw new Error(listed.error.error.code)
  const keys: readonly string[] = listed.data.artifacts.map(({ key }) => key)
  return { status: task.status, error: task.error?.code ?? null, keys }
}

/** Each code by itself, and what comes with it. */
export async function look(options: Options, id: string): Promise<string> {
  const params = { path: { task_id: id, artifact_key: "image_1" } }
  const { error, response } = await connect(options).GET(
    "/v1/tasks/{task_id}/artifacts/{artifact_key}/content",
    { params, parseAs: "stream" },
  )
  if (error === undefined) return \`\${response.status}\`
  const { code } = error.error
  switch (code) {
    case "task_not_found":
    case "artifact_not_found":
      return "nothing there"
    case "artifact_expired":
      return "too late"
    default: {
      const other: Exclude<components["schemas"]["Error"]["error"]["code"], "task_not_found"> = code
      return other
    }
  }
}

/** A wrong request, told apart by what the answer says of it. */
export async function refuse(options: Options, body: Creation): Promise<readonly string[]> {
  const { error } = await connect(options).POST("/v1/tasks", { body })
  if (error?.error.code !== "integer_above_max_value") return []
  const { param, details = [] } = error.error
  return param === undefined ? details.map((each) => each.param) : [param]
}

/** The model decides which parameters there are, and there is no other model. */
export function countInputs(creation: Creation): number {
  switch (creation.model) {
    case "vendor-a/v4.1/flash/text-to-image":
      return creation.parameters.prompt.length
    case "vendor-b/imagine-image/v2.0/edit":
      return creation.parameters.image_urls.length
    case "vendor-c/video-2.5/reference-to-video":
      return creation.parameters.duration ?? 0
  }
}
`

/** Compiles but for its marked lines. */
export const WRONG_PROGRAM = `
import createClient from "openapi-fetch"
import type { components, paths } from "./api.ts"

type Creation = components["schemas"]["CreationRequest"]

const client = createClient<paths>()
const path = { task_id: "" }
const shown = await client.GET("/v1/tasks/{task_id}", { params: { path } })
export const id = shown.data?.taskId // wrong
export const isDone = shown.data?.status === "done" // wrong
export const isBusy = shown.error?.error.code === "insufficient_balance" // wrong
export const nowhere = await client.GET("/v1/task", {}) // wrong
export const unnamed = await client.GET("/v1/tasks/{task_id}", {}) // wrong

const model = "vendor-a/v4.1/flash/text-to-image"
export const right: Creation = { model, parameters: { prompt: "" } }
export const misspelt: Creation = { model, parameters: { promt: "" } } // wrong
export const another: Creation = { model, parameters: { prompt: "", duration: 4 } } // wrong
export const huge: Creation = { model, parameters: { prompt: "", size: "huge" } } // wrong
export const unknown: Creation = { model: "vendor-d/none", parameters: { prompt: "" } } // wrong
export const bare: Creation = { model, prompt: "" } // wrong

export function count(creation: Creation): number {
  return creation.parameters.image_urls.length // wrong
}
`
