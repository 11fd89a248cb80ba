/**
 * One request over HTTP: sent piece by piece, as fast as the other side takes it, and answered once
 * its headers are there. It follows no redirect: the next host would get a signature of ours.
 */
import * as http from "node:http"
import * as https from "node:https"
import { createAnswerBody, type AnswerBody } from "./answer-body.ts"
import { createAborted, createUnavailable, translateFailure } from "./storage-failure.ts"

export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | undefined
  readonly idleTimeoutMs: number
  /** Ends the request, also while its answer is read. */
  readonly signal?: AbortSignal | undefined
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  /** To be closed, whatever happened. */
  readonly body: AnswerBody
}

/** Rejects with `artifacts-unavailable`, or `aborted` on the signal. */
export type SendRequest = (request: HttpRequest) => Promise<HttpAnswer>

/** A time-out is for a stretch without progress; so a body is handed over in stretches. */
const STRETCH_BYTES = 256 * 1024

/** Connections are kept for the next request; idle ones hold no process back. */
export function createSender(): SendRequest {
  const agents = {
    http: new http.Agent({ keepAlive: true }),
    https: new https.Agent({ keepAlive: true }),
  }

  return (request) =>
    new Promise((resolve, reject) => {
      const { method, url, signal, idleTimeoutMs } = request
      if (signal?.aborted === true) {
        reject(createAborted())
        return
      }
      const { byteLength } = request.body ?? new Uint8Array()
      const headers = { ...request.headers, ...toLength(method, byteLength) }
      const outgoing = url.startsWith("https:")
        ? https.request(url, { method, headers, agent: agents.https })
        : http.request(url, { method, headers, agent: agents.http })
      const idle = setTimeout(() => {
        outgoing.destroy(createUnavailable(`no answer for ${idleTimeoutMs} ms`))
      }, idleTimeoutMs)
      const onAbort = (): void => void outgoing.destroy(createAborted())
      signal?.addEventListener("abort", onAbort, { once: true })
      outgoing.on("close", () => {
        clearTimeout(idle)
        signal?.removeEventListener("abort", onAbort)
        // Nothing new where it was answered; a switch of protocols ends so, without an error.
        reject(createUnavailable("the connection was closed"))
      })
      outgoing.on("error", (error) => {
        clearTimeout(idle)
        reject(translateFailure(error))
      })
      outgoing.on("response", (response) => {
        clearTimeout(idle)
        const body = createAnswerBody({ request: outgoing, response, idleTimeoutMs })
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
      })
      writeBody(outgoing, request.body ?? new Uint8Array(), () => void idle.refresh())
    })
}

/** Said even where it is 0: some servers answer 411 otherwise. */
function toLength(method: string, byteLength: number): Readonly<Record<string, string>> {
  return method === "PUT" || method === "POST" ? { "content-length": String(byteLength) } : {}
}

function writeBody(request: http.ClientRequest, body: Uint8Array, onProgress: () => void): void {
  let offset = 0

  function writeOn(): void {
    onProgress()
    while (offset < body.byteLength) {
      const stretch = body.subarray(offset, offset + STRETCH_BYTES)
      offset += stretch.byteLength
      if (!request.write(stretch)) {
        request.once("drain", writeOn)
        return
      }
    }
    request.end()
  }

  writeOn()
}
