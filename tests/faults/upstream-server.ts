/**
 * The provider: a real HTTP server in the process that no fault touches, so what it sold is known
 * for sure. It behaves by its script; every purchase is noted before a byte of the answer leaves.
 *
 *   POST /KIND?task=&key=       creates            GET /KIND?key=        the operation of a key
 *   GET /operations/NAME        how it stands      GET /outputs/NAME/N   the bytes of a piece
 *   POST /cancellations/NAME    stops it           GET /media/…          a reference video
 *
 * Every call names its node (`node=`), so that it is known to whom an operation was told.
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Activity } from "./activity.ts"
import {
  createCreations,
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
  stop,
  tell,
  toCourse,
  toPollAnswer,
} from "./upstream-answers.ts"
import { toProduct, toVideo, toVideoBytes, type UpstreamOrder } from "./products.ts"
import { LINGER_MS } from "./upstream-protocol.ts"
import { ABSENT_CREATES, type Absence, type UpstreamScript } from "./upstream-script.ts"
import { deliver } from "./wire-answers.ts"

/** What says that a piece is of no use. */
const UNREADABLE = "HTTP/1.1 410 Gone\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"

export interface Upstream extends AsyncDisposable {
  readonly origin: string
  readonly creations: Pick<Creations, "list">
  /** How often it was asked to create something for a task, whatever came of it. */
  countCreateCalls(task: string): number
  /** From now on nobody gets anything done there; without an absence it is back. */
  goAway(absence?: Absence): void
  /** Keeps what it answers to this kind's requests to create until they are let go. */
  holdAnswers(kind: UpstreamKind): { readonly count: () => number; readonly letGo: () => void }
  /** How often a node asked how an operation stands. */
  countPolls(operation: string): number
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
  let absence: Absence | undefined
  let held: { readonly kind: UpstreamKind; readonly answers: (() => void)[] } | undefined

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
    const { kind, key, order, task, node } = request
    nextCall(`task ${task}`)
    const wanted =
      absence === undefined
        ? script.create(key, nextCall(`create ${kind} ${key}`))
        : ABSENT_CREATES[absence]
    const isKnown = kind !== "unkeyed" && creations.findByKey(kind, key) !== undefined
    // What was taken under a key is not refused under it later.
    const behaviour = isKnown && wanted === "refuses" ? "accepts" : wanted
    note(`create ${behaviour}`)
    const asked = `create for ${task}, ${kind} key ${key}, by ${node}: ${behaviour}`
    if (CREATES_NOTHING.has(behaviour)) {
      enter(asked)
      return answerUncreated(socket, behaviour, order)
    }
    const creation = creations.create(request, (operation) =>
      toCourse(script, behaviour, operation),
    )
    enter(`${asked}, ${isKnown ? "known as" : "new"} ${creation.operation}, ${creation.ending}`)
    const answer = (): void => answerCreated(socket, creation, { behaviour, node })
    if (held?.kind === kind) held.answers.push(answer)
    else answer()
    activity.note()
  }

  function poll(socket: Socket, creation: Creation, node: string): void {
    const { operation } = creation
    const call = nextCall(`poll ${operation}`)
    const behaviour = absence === undefined ? script.poll(operation, call) : "cuts"
    note(`poll ${behaviour}`)
    if (behaviour === "silent") return enter(`poll of ${operation}, by ${node}: silent`)
    if (behaviour !== "lingers") return answerPoll(socket, creation, { behaviour, node })
    setTimeout(() => answerPoll(socket, creation, { behaviour: "answers", node }), LINGER_MS)
  }

  function answerPoll(
    socket: Socket,
    creation: Creation,
    {
      behaviour,
      node,
    }: { readonly behaviour: "answers" | "cuts" | "garbles"; readonly node: string },
  ): void {
    const { operation } = creation
    const answer = toPollAnswer(creation)
    enter(`poll of ${operation}, by ${node}: ${behaviour} ${answer.state}`)
    const delivery = { answers: "whole", cuts: "cuts", garbles: "promises-less" } as const
    send(socket, answer, delivery[behaviour])
    if (behaviour !== "answers") return
    tell(creation, socket, node, { wasKnown: true })
    creation.isEndTold ||= answer.state !== "running"
  }

  function cancel(socket: Socket, creation: Creation, node: string): void {
    const { operation } = creation
    const call = nextCall(`cancel ${operation}`)
    // While it is away it stops nothing.
    if (absence !== undefined) return void socket.destroy()
    const behaviour = script.cancel(operation, call)
    const answer = stop(creation, behaviour)
    note(`cancel ${behaviour} ${answer.outcome}`)
    enter(`cancel of ${operation}, by ${node}: ${behaviour} ${answer.outcome}`)
    if (behaviour === "silent") return
    send(socket, answer, behaviour === "cuts" ? "cuts" : "whole")
  }

  function output(socket: Socket, { operation, production }: Creation, place: number): void {
    const call = nextCall(`output ${operation} ${place}`)
    const behaviour = absence === undefined ? script.output(operation, call) : "cuts"
    const flaw = production.pieces[place]
    note(`output ${flaw ?? behaviour}`)
    enter(`output ${place} of ${operation}: ${flaw ?? behaviour}`)
    if (flaw === "unfetchable") return void socket.destroy()
    if (flaw === "unreadable") return void socket.end(UNREADABLE)
    deliver(socket, toProduct(operation, place, production), behaviour)
  }

  function find(socket: Socket, { kind, key, node }: CreateRequest): void {
    note("find")
    if (absence !== undefined) return void socket.destroy()
    const creation = creations.findByKey(kind, key)
    const operation = creation?.operation ?? null
    enter(`find ${kind} key ${key}, by ${node}: ${operation}`)
    send(socket, { operation }, "whole")
    if (creation !== undefined) tell(creation, socket, node)
  }

  function serve(request: IncomingMessage, socket: Socket): void {
    const { asked, name, path, piece, place } = parse(request)
    if (place === "media") return deliver(socket, toVideoBytes(toVideo(path)), "whole")
    const creation = creations.findByOperation(name)
    if (place === "cancellations") {
      return creation === undefined ? void socket.destroy() : cancel(socket, creation, asked.node)
    }
    if (request.method === "POST") return create(socket, asked)
    if (creation === undefined) return find(socket, asked)
    if (place === "operations") poll(socket, creation, asked.node)
    else output(socket, creation, piece)
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
    holdAnswers(kind) {
      const answers: (() => void)[] = []
      held = { kind, answers }
      return {
        count: () => answers.length,
        letGo() {
          held = undefined
          for (const answer of answers) answer()
        },
      }
    },
    countPolls: (operation) => calls.get(`poll ${operation}`) ?? 0,
    goAway(changed) {
      absence = changed
    },
    met,
    diary,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    },
  }
}

interface Parsed {
  readonly asked: CreateRequest
  readonly path: string
  readonly place: string | undefined
  /** Of an operation. */
  readonly name: string
  readonly piece: number
}

function parse({ url = "/" }: IncomingMessage): Parsed {
  const { pathname: path, searchParams } = new URL(url, "http://upstream")
  const [place, name = "", piece = ""] = path.slice(1).split("/").map(decodeURIComponent)
  const { key = "", task = "", node = "", order = "{}" } = Object.fromEntries(searchParams)
  const kind = place as UpstreamKind
  const asked = { kind, key, task, node, order: JSON.parse(order) as UpstreamOrder }
  return { asked, path, place, name, piece: Number(piece) }
}
