/** ComfyUI's messages about a prompt over its WebSocket, to the client that sent it. */
import type { StubContext } from "../frame/stub-definition.ts"
import { findOutputs, type Prompt } from "./comfyui-prompt.ts"
import type { TextSocket } from "../frame/text-socket.ts"

export interface ComfyProgress {
  follow(prompt: Prompt): void
}

const STEPS = 4

export function createProgress(context: StubContext): ComfyProgress {
  /** By client ID; a new connection replaces the client's earlier one. */
  const sockets = new Map<string, TextSocket>()
  context.onSocket("/ws", (call, socket) => {
    const clientId = call.query.get("clientId") ?? ""
    sockets.set(clientId, socket)
    socket.onClose(() => {
      if (sockets.get(clientId) === socket) sockets.delete(clientId)
    })
    const status = { exec_info: { queue_remaining: 0 } }
    socket.send({ type: "status", data: { status, sid: clientId } })
  })

  function tell(
    { data }: Prompt,
    type: string,
    told: Readonly<Record<string, unknown>> = {},
  ): void {
    const socket = sockets.get(data.clientId ?? "")
    if (socket === undefined) return
    if (context.strikes("socket-dropped")) socket.drop()
    else socket.send({ type, data: { prompt_id: data.promptId, ...told } })
  }

  async function run(prompt: Prompt): Promise<void> {
    await context.waitAside(prompt.startAt, prompt.over)
    if (prompt.over.aborted) return
    const [node] = findOutputs(prompt.data.graph)
    tell(prompt, "execution_start")
    tell(prompt, "execution_cached", { nodes: [] })
    tell(prompt, "executing", { node: node?.id })
    const stepMs = (prompt.endAt - prompt.startAt) / STEPS
    for (let step = 1; step <= STEPS; step += 1) {
      // Steps follow one another.
      // oxlint-disable-next-line no-await-in-loop
      await context.waitAside(prompt.startAt + stepMs * step, prompt.over)
      if (prompt.over.aborted) return tell(prompt, "execution_interrupted", { node_id: node?.id })
      tell(prompt, "progress", { node: node?.id, value: step, max: STEPS })
    }
    if (prompt.data.isFailing) {
      return tell(prompt, "execution_error", {
        node_id: node?.id,
        exception_message: "Out of memory",
      })
    }
    tell(prompt, "executing", { node: null })
    tell(prompt, "execution_success")
  }

  return { follow: (prompt) => void run(prompt) }
}
