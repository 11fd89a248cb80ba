/**
 * What the upstream answers, by how it behaves: over its bare connection, since most of it is no
 * good HTTP. What was sold was noted before any of this is called.
 */
import type { Socket } from "node:net"
import type { Creation, CreationCourse, Telling } from "./creations.ts"
import { toProduct, type UpstreamOrder } from "./products.ts"
import {
  SUBMIT_TIMEOUT_MS,
  WORK_POLL_MS,
  type CancelAnswer,
  type CreateAnswer,
  type PollAnswer,
  type Products,
  type Refusal,
} from "./upstream-protocol.ts"
import type { CancelBehaviour, CreateBehaviour, UpstreamScript } from "./upstream-script.ts"
import { deliver, type Delivery } from "./wire-answers.ts"

export const CREATES_NOTHING: ReadonlySet<CreateBehaviour> = new Set(["refuses", "busy", "drops"])

export function answerUncreated(
  socket: Socket,
  behaviour: CreateBehaviour,
  { prompt }: UpstreamOrder,
): void {
  const words = `no, not "${prompt}"`
  if (behaviour === "refuses") send(socket, { state: "refused", billed: null, words }, "whole")
  else if (behaviour === "busy") send(socket, { state: "busy" }, "whole")
  else socket.destroy()
}

export function answerCreated(
  socket: Socket,
  creation: Creation,
  { behaviour, node }: { readonly behaviour: CreateBehaviour; readonly node: string },
): void {
  const { operation } = creation
  const created = { state: "created", operation } as const
  if (behaviour === "silent") return
  if (behaviour === "late") {
    setTimeout(() => {
      send(socket, created, "whole")
      tell(creation, socket, node)
    }, SUBMIT_TIMEOUT_MS * 2)
    return
  }
  // A key known before may stand for work that goes another way.
  if (behaviour !== creation.ending) {
    const delivery = DELIVERIES.get(behaviour) ?? "whole"
    send(socket, created, delivery)
    if (delivery === "whole" || delivery === "twice") tell(creation, socket, node)
    return
  }
  creation.isEndTold = true
  if (behaviour !== "completes") return send(socket, toRefusal(creation, true), "whole")
  send(socket, { state: "completed", operation, ...toProducts(creation) }, "whole")
  tell(creation, socket, node)
}

/** Notes that an answer naming the operation has left whole, if anybody was there to take it. */
export function tell(
  creation: Creation,
  socket: Socket,
  node: string,
  known: Pick<Telling, "wasKnown"> = {},
): void {
  if (!socket.destroyed) creation.told.push({ node, at: Date.now(), ...known })
}

const DELIVERIES: ReadonlyMap<CreateBehaviour, Delivery> = new Map([
  ["twice", "twice"],
  ["cuts", "cuts"],
  ["promises-more", "promises-more"],
  ["promises-less", "promises-less"],
])

export function toCourse(
  script: UpstreamScript,
  behaviour: CreateBehaviour,
  operation: string,
): CreationCourse {
  if (behaviour === "completes" || behaviour === "refuses-billed") {
    return { ...script.course(operation), ending: behaviour, pollsBefore: 0, workMs: 0 }
  }
  return script.course(operation)
}

/** Work that is complete can't be stopped any more. */
export function stop(creation: Creation, behaviour: CancelBehaviour): CancelAnswer {
  const isComplete = creation.pollsLeft === 0 && Date.now() >= creation.completeAt
  if (isComplete && !creation.isStopped) return { outcome: "too-late" }
  if (behaviour === "ignores") return { outcome: "unknown" }
  creation.isStopped = true
  return { outcome: behaviour === "unsure" ? "unknown" : "stopped" }
}

export function toPollAnswer(creation: Creation): PollAnswer {
  if (creation.isStopped) return { state: "stopped" }
  if (creation.pollsLeft > 0) {
    creation.pollsLeft -= 1
    return { state: "running", progress: Math.max(0, 90 - creation.pollsLeft * 20) }
  }
  if (Date.now() < creation.completeAt) {
    return { state: "running", progress: 90, pollAfterMs: WORK_POLL_MS }
  }
  switch (creation.ending) {
    case "completes":
      return { state: "completed", ...toProducts(creation) }
    case "refuses":
      return toRefusal(creation, false)
    case "refuses-billed":
      return toRefusal(creation, true)
    case "produces-nothing":
      return { state: "nothing" }
  }
}

function toProducts({ operation, production }: Creation): Products {
  const { filmMs, inputVideosMs, pieces } = production
  const bytes = pieces.map((_, place) => toProduct(operation, place, production).length)
  return { bytes, isFilm: filmMs > 0, inputVideosMs }
}

function toRefusal({ production, words }: Creation, isBilled: boolean): Refusal {
  const { filmMs, pieces } = production
  const images = filmMs > 0 ? 0 : pieces.length
  return { state: "refused", billed: isBilled ? { images, outputVideoMs: filmMs } : null, words }
}

type Answer = CancelAnswer | CreateAnswer | PollAnswer | { readonly operation: string | null }

export function send(socket: Socket, answer: Answer, delivery: Delivery): void {
  deliver(socket, Buffer.from(JSON.stringify(answer)), delivery)
}
