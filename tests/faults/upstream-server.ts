/**
 * The provider: a real HTTP server in the process that no fault touches, so what it sold is known
 * for sure. It behaves by its script; every purchase is noted before a byte of the answer leaves.
 *
 *   POST /KIND?task=&key=       creates            GET /KIND?key=        the operation of a key
 *   GET /operations/NAME        how it stands      GET /outputs/NAME     the bytes it made
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Activity } from "./activity.ts"
import {
  createCreations,
  toProduct,
  type CreateRequest,
  type Creation,
  type Creations,
  type UpstreamKind,
} from "./creations.ts"
import {
  answerCreated,
  answerUncreated,
  CREATES_NOTHING,
  send,
  toCourse,
  toPollAnswer,
} from "./upstream-answers.ts"
import type { UpstreamScript } from "./upstream-script.ts"
import { deliver } from "./wire-answers.ts"

export interface Upstream extends AsyncDisposable {
  readonly origin: string
  readonly creations: Pick<Creations, "list">
  /** How often it was asked to create something for a task, whatever came of it. */
  countCreateCalls(task: string): number
  /** How often each behaviour was met. */
  readonly met: ReadonlyMap<string, number>
  /** Every call with its moment and what came of it, in order. */
  readonly diary: readonly string[]
}

export async function startUpstream(script: UpstreamScript, activity: Activity): Promise<Upstream> {
  const creations = createCreations()
  const met = new Map<string, number>()
  const calls = new Map<string, number>()
  const diary: string[] = []
  const sockets = new Set<Socket>()

  function enter(words: string): void {
    diary.push(`${new Date().toISOString()} upstream ${words}`)
  }

  function note(name: string): void {
    met.set(name, (met.get(name) ?? 0) + 1)
    activity.note()
  }

  function nextCall(name: string): number {
    const call = (calls.get(name) ?? 0) + 1
    calls.set(name, call)
    return call
  }

  function create(socket: Socket, request: CreateRequest): void {
    const { kind, key, task } = request
    nextCall(`task ${task}`)
    const wanted = script.create(key, nextCall(`create ${kind} ${key}`))
    const isKnown = kind !== "unkeyed" && creations.findByKey(kind, key) !== undefined
    // What was taken under a key is not refused under it later.
    const behaviour = isKnown && wanted === "refuses" ? "accepts" : wanted
    note(`create ${behaviour}`)
    const asked = `create for ${task}, ${kind} key ${key}: ${behaviour}`
    if (CREATES_NOTHING.has(behaviour)) {
      enter(asked)
      return answerUncreated(socket, behaviour)
    }
    const creation = creations.create(request, (operation) =>
      toCourse(script, behaviour, operation),
    )
    enter(`${asked}, ${isKnown ? "known as" : "new"} ${creation.operation}, ${creation.ending}`)
    answerCreated(socket, creation, behaviour)
  }

  function poll(socket: Socket, creation: Creation): void {
    const { operation } = creation
    const behaviour = script.poll(operation, nextCall(`poll ${operation}`))
    note(`poll ${behaviour}`)
    if (behaviour === "silent") return enter(`poll of ${operation}: silent`)
    const answer = toPollAnswer(creation)
    enter(`poll of ${operation}: ${behaviour} ${answer.state}`)
    const delivery = { answers: "whole", cuts: "cuts", garbles: "promises-less" } as const
    send(socket, answer, delivery[behaviour])
    creation.isEndTold ||= behaviour === "answers" && answer.state !== "running"
  }

  function output(socket: Socket, { operation }: Creation): void {
    const behaviour = script.output(operation, nextCall(`output ${operation}`))
    note(`output ${behaviour}`)
    enter(`output of ${operation}: ${behaviour}`)
    deliver(socket, toProduct(operation), behaviour)
  }

  function find(socket: Socket, { kind, key }: CreateRequest): void {
    const operation = creations.findByKey(kind, key)?.operation ?? null
    note("find")
    enter(`find ${kind} key ${key}: ${operation}`)
    send(socket, { operation }, "whole")
  }

  function serve(request: IncomingMessage, socket: Socket): void {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://upstream")
    const [place, name = ""] = pathname.slice(1).split("/").map(decodeURIComponent)
    const { key = "", task = "" } = Object.fromEntries(searchParams)
    const asked = { kind: place as UpstreamKind, key, task }
    if (request.method === "POST") return create(socket, asked)
    const creation = creations.findByOperation(name)
    if (creation === undefined) return find(socket, asked)
    if (place === "operations") poll(socket, creation)
    else output(socket, creation)
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    response.detachSocket(socket)
    request.resume().once("end", () => serve(request, socket))
  })
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    // The other side is killed at any moment.
    socket.on("error", () => socket.destroy())
    socket.once("close", () => sockets.delete(socket))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    creations,
    countCreateCalls: (task) => calls.get(`task ${task}`) ?? 0,
    met,
    diary,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    },
  }
}
