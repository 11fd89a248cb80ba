/**
 * Requests as bytes and answers from bytes: a client that frames a call as it likes, keeps its
 * connection where the server does, and takes nothing for an answer but whole ones.
 */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import type { AnswerChecker } from "../../support/openapi-answers.ts"
import { loadChecker } from "../../support/openapi-response.ts"
import { createRandom } from "../../support/seeded-random.ts"
import type { Answer } from "./check-answer.ts"
import { hasBody, type GeneratedCall } from "./calls.ts"
import type { ServiceKeys } from "../in-process-service.ts"

export interface KeepAliveClient {
  /** Sends a request in these pieces and resolves to its answer, once that fits the document. */
  exchange(method: string, pieces: readonly Uint8Array[]): Promise<Answer>
  /** Connections opened so far. */
  opened(): number
  close(): Promise<void>
}

interface ReadAnswer {
  readonly answer: Answer
  /** Lower-case names. */
  readonly headers: ReadonlyMap<string, string>
  /** Where the next answer begins. */
  readonly end: number
}

/** The header lines of a call, `Authorization` among them. */
export function toHeaders(call: GeneratedCall, keys: ServiceKeys): Record<string, string> {
  const authorization = call.credential.toHeader(keys)
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...(hasBody(call) ? call.media.headers : {}),
  }
}

/** A call as the pieces that a client writes one after the other. */
export function toPieces(call: GeneratedCall, keys: ServiceKeys): readonly Uint8Array[] {
  const lines = Object.entries(toHeaders(call, keys)).map(([name, value]) => `${name}: ${value}`)
  const start = `${call.method} ${call.place.target} HTTP/1.1\r\nHost: service.example\r\n`
  const head = `${start}${lines.map((line) => `${line}\r\n`).join("")}`
  if (!hasBody(call)) return [Buffer.from(`${head}\r\n`, "latin1")]
  const parts = cut(call.body, call.cutting)
  if (call.cutting % 2 === 0) {
    const length = `Content-Length: ${call.body.length}\r\n\r\n`
    return [Buffer.from(head + length, "latin1"), ...parts]
  }
  const chunks = parts.map((part) => {
    return Buffer.concat([
      Buffer.from(`${part.length.toString(16)}\r\n`),
      part,
      Buffer.from("\r\n"),
    ])
  })
  const chunked = Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n`, "latin1")
  return [chunked, ...chunks, Buffer.from("0\r\n\r\n")]
}

/** In pieces that are never empty: an empty chunk would be the last one. */
function cut(body: Uint8Array, cutting: number): Uint8Array[] {
  if (cutting === 0 || body.length === 0) return body.length === 0 ? [] : [body]
  const random = createRandom(cutting)
  const parts: Uint8Array[] = []
  for (let at = 0; at < body.length;) {
    const share = Math.ceil((random() * body.length) / 2)
    parts.push(body.subarray(at, at + share))
    at += share
  }
  return parts.filter((part) => part.length > 0)
}

/** The answer that begins at `from`; undefined while it is not whole. */
export function readAnswer(bytes: Buffer, method: string, from = 0): ReadAnswer | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n", from)
  if (headEnd < 0) return undefined
  const [status = "", ...lines] = bytes.toString("latin1", from, headEnd).split("\r\n")
  const match = /^HTTP\/1\.1 (\d{3}) /.exec(status)
  if (match === null) throw new Error(`no answer: ${JSON.stringify(status.slice(0, 200))}`)
  const headers = new Map(lines.map((line) => toHeader(line)))
  const code = Number(match[1])
  if (code === 100) return readAnswer(bytes, method, headEnd + 4)
  const isEmpty = method === "HEAD" || code === 204 || code === 304
  const length = isEmpty ? 0 : Number(headers.get("content-length"))
  if (!Number.isSafeInteger(length)) throw new Error(`an answer without a length: ${lines.join()}`)
  const end = headEnd + 4 + length
  if (bytes.length < end) return undefined
  const text = bytes.toString("utf8", headEnd + 4, end)
  const answer = { status: code, header: (name: string) => headers.get(name) ?? null, text }
  return { answer, headers, end }
}

function toHeader(line: string): [string, string] {
  const colon = line.indexOf(":")
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

export function createKeepAliveClient(url: string): KeepAliveClient {
  const { hostname, port } = new URL(url)
  let socket: Socket | undefined
  let opened = 0
  let checker: AnswerChecker | undefined

  async function open(): Promise<Socket> {
    const fresh = connect({ host: hostname, port: Number(port) })
    opened += 1
    await once(fresh, "connect")
    return fresh
  }

  return {
    opened: () => opened,
    async exchange(method, pieces) {
      const current = socket ?? (await open())
      socket = undefined
      const { answer, headers } = await exchangeOn(current, method, pieces)
      if (answer.header("connection") !== "close") socket = current
      else if (!current.destroyed) await once(current, "close")
      checker ??= await loadChecker(url, fetch)
      checker.check({ ...answer, method, target: toTarget(pieces), headers })
      return answer
    },
    async close() {
      if (socket === undefined || socket.destroyed) return
      socket.end()
      await once(socket, "close")
    },
  }
}

/** What the request line asks for. */
function toTarget([head = new Uint8Array()]: readonly Uint8Array[]): string {
  const [, target = ""] = Buffer.from(head).toString("latin1").split(" ", 2)
  return target
}

async function exchangeOn(
  socket: Socket,
  method: string,
  pieces: readonly Uint8Array[],
): Promise<ReadAnswer> {
  const received = receive(socket, method)
  for (const piece of pieces) {
    socket.write(piece)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return received
}

/** One whole answer; rejects where the connection ends before it, or where more comes with it. */
function receive(socket: Socket, method: string): Promise<ReadAnswer> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0)
    function settle(action: () => void): void {
      socket.off("data", onData)
      socket.off("close", onClose)
      action()
    }
    function fail(error: unknown): void {
      socket.destroy()
      settle(() => reject(error))
    }
    function onData(chunk: Buffer): void {
      bytes = Buffer.concat([bytes, chunk])
      try {
        const read = readAnswer(bytes, method)
        if (read === undefined) return
        if (read.end < bytes.length) throw new Error("more came than one answer")
        settle(() => resolve(read))
      } catch (error) {
        fail(error)
      }
    }
    function onClose(): void {
      fail(new Error(`closed after ${bytes.toString("latin1")}`))
    }
    socket.on("data", onData)
    socket.on("close", onClose)
    if (socket.listenerCount("error") === 0) socket.on("error", ignoreBeforeClose)
  })
}

/** "close" follows, and is what counts. */
function ignoreBeforeClose(): void {}
