/** Turns a true reply into a faulty one: another reply, or another way of sending it. */
import { toBody, type Manner } from "./send-reply.ts"
import type { FaultAt } from "./stub-faults.ts"
import type { StubReply } from "./stub-route.ts"

export type ReplyFault = FaultAt<"create"> | FaultAt<"poll"> | FaultAt<"download">

export interface FaultyReply {
  readonly reply: StubReply
  readonly manner?: Manner
}

export interface FaultyReplyOptions {
  readonly reply: StubReply
  /** The provider's own 500 and 404. */
  readonly broken: StubReply
  readonly gone: StubReply
  /** Waits as long as a slow reply does, or until the client is gone. */
  readonly pause: () => Promise<void>
}

const HTML = "<!doctype html><title>Sign in</title><h1>Welcome to the network</h1>\n"

/** An address that no provider may send us to: the metadata service of a cloud. */
const PRIVATE_URL = "http://169.254.169.254/latest/meta-data/"

/** The reply under a fault; "reset" if there is none. The `busy` ones come before any reply. */
export async function toFaultyReply(
  fault: ReplyFault,
  { reply, broken, gone, pause }: FaultyReplyOptions,
): Promise<FaultyReply | "reset"> {
  switch (fault) {
    case "reset":
      return "reset"
    case "server-error":
      return { reply: broken }
    case "gateway-error":
      return { reply: { status: 502, headers: { "content-type": "text/html" }, text: HTML } }
    case "html":
      return { reply: { headers: { "content-type": "text/html" }, text: HTML } }
    case "empty":
      return { reply: { headers: { "content-type": "application/json" } } }
    case "redirect":
      return { reply: { status: 307, headers: { location: PRIVATE_URL } } }
    case "not-found":
    case "gone":
      return { reply: gone }
    case "slow":
      await pause()
      return { reply }
    case "truncated": {
      const body = toBody(reply)
      // Half of a JSON text shows itself; bytes are cut off as a file's are.
      if (reply.bytes !== undefined) {
        return { reply, manner: { cutAfter: Math.floor(body.length / 2) } }
      }
      const half = body.subarray(0, Math.floor(body.length / 2))
      const headers = { "content-type": "application/json", ...reply.headers }
      return { reply: { status: reply.status ?? 200, headers, bytes: half } }
    }
    case "expired":
      return { reply: { ...gone, status: 410 } }
    case "disguised":
      return { reply: { ...(reply.headers && { headers: reply.headers }), text: HTML } }
    case "mistyped":
      return { reply: { ...reply, headers: { ...reply.headers, "content-type": "text/html" } } }
    case "busy":
    case "busy-seconds":
    case "busy-date":
    case "too-long":
    case "too-short":
    case "without-ranges":
      return { reply }
  }
}

/** The same for a file: its bytes may be cut off, announced wrongly or delayed. */
export async function toFaultyFile(
  fault: FaultAt<"download">,
  options: FaultyReplyOptions,
): Promise<FaultyReply | "reset"> {
  const { reply, pause } = options
  const length = toBody(reply).length + (reply.zeroBytes ?? 0)
  const half = Math.floor(length / 2)
  switch (fault) {
    case "truncated":
      return { reply, manner: { cutAfter: half } }
    case "too-long":
      return { reply, manner: { announced: length + 1_000 } }
    case "too-short":
      return { reply, manner: { announced: half } }
    case "slow":
      return { reply, manner: { pause } }
    case "reset":
    case "server-error":
    case "html":
    case "empty":
    case "redirect":
    case "gone":
    case "expired":
    case "disguised":
    case "mistyped":
    case "without-ranges":
      return toFaultyReply(fault, options)
  }
}
