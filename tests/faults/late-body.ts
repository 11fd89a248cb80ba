/**
 * A caller whose body comes late: its head and half of its body are sent while its key holds, and the rest
 * once it is told to go on. So long a service has to remember that it has not asked for good.
 */
import { once } from "node:events"
import { request, type IncomingMessage } from "node:http"
import type { AnswerBody, Sent, Target } from "./http-calls.ts"

export interface LateBody {
  /** Sends the rest; null where no answer came. */
  finish(): Promise<LateAnswer | null>
}

export interface LateAnswer {
  readonly status: number
  readonly body: AnswerBody
  /** The last byte of the request was sent no sooner. */
  readonly sentAt: number
}

/** As any other caller waits. */
const CALL_MS = 3_000

export function openLateBody(target: Target, key: string, { body = "", headers }: Sent): LateBody {
  const bytes = Buffer.from(body)
  const half = Math.floor(bytes.length / 2)
  const asked = request(`${target.url}/v1/tasks`, {
    method: "POST",
    agent: false,
    headers: { ...headers, authorization: `Bearer ${key}`, "content-length": bytes.length },
  })
  const answered = once(asked, "response") as Promise<[IncomingMessage]>
  // It may be answered, or cut, before it goes on.
  answered.catch(() => {})
  asked.on("error", () => {})
  asked.write(bytes.subarray(0, half))
  return {
    async finish() {
      const sentAt = Date.now()
      const timer = setTimeout(() => asked.destroy(new Error("no answer")), CALL_MS)
      try {
        asked.end(bytes.subarray(half))
        const [response] = await answered
        const chunks: Uint8Array[] = []
        for await (const chunk of response) chunks.push(chunk as Uint8Array)
        const answer = JSON.parse(Buffer.concat(chunks).toString()) as AnswerBody
        return { status: response.statusCode ?? 0, body: answer, sentAt }
      } catch {
        return null
      } finally {
        clearTimeout(timer)
        asked.destroy()
      }
    },
  }
}
