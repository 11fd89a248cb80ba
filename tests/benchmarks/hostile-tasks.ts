/** Tasks as the accounts of the hostile benchmark make them: by the API, one attempt, polled to the end. */
import { setTimeout } from "node:timers/promises"
import type { ChildServer } from "./child-server.ts"

export const PICTURE = "vendor-a/v4.1/flash/text-to-image"
export const EDIT = "vendor-b/imagine-image/v2.0/edit"
export const VIDEO = "vendor-c/video-2.5/reference-to-video"

/** What `servers/hostile-server.ts` announces: its address, and a key of each account. */
export interface HostileService {
  readonly url: string
  readonly hostile: string
  readonly other: string
}

export type HostileServer = ChildServer<HostileService>

export interface Tasks {
  /** Resolves to the task's id; undefined if it was refused. */
  readonly post: (model: string, parameters: object) => Promise<string | undefined>
  /** Resolves to how the task ended. */
  readonly finish: (id: string) => Promise<"succeeded" | "failed">
  /** Makes a task and resolves to how long it took, ms; throws if it is refused or fails. */
  readonly time: (model: string, parameters: object) => Promise<number>
}

/** As often as a person would notice. */
const POLL_MS = 20

export function createTasks(url: string, key: string): Tasks {
  const authorization = `Bearer ${key}`

  async function post(model: string, parameters: object): Promise<string | undefined> {
    const headers = { authorization, "content-type": "application/json" }
    const body = JSON.stringify({ model, parameters })
    const response = await fetch(`${url}/v1/tasks`, { method: "POST", headers, body })
    const { task_id: id } = (await response.json()) as { task_id?: string }
    return id
  }

  async function finish(id: string): Promise<"succeeded" | "failed"> {
    for (;;) {
      const response = await fetch(`${url}/v1/tasks/${id}`, { headers: { authorization } })
      const { status } = (await response.json()) as { status: string }
      if (status === "succeeded" || status === "failed") return status
      await setTimeout(POLL_MS)
    }
  }

  return {
    post,
    finish,
    async time(model, parameters) {
      const startedAt = performance.now()
      const id = await post(model, parameters)
      if (id === undefined) throw new Error(`a task of ${model} was refused`)
      if ((await finish(id)) === "failed") throw new Error(`a task of ${model} failed`)
      return performance.now() - startedAt
    },
  }
}
