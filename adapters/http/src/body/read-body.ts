/**
 * Receives a request's bytes and counts them as they arrive against three limits: this body's, its
 * account's share, and that of all bodies held at once. A declared length is judged before anything is
 * read, and so before a client that waits for `100 Continue` sends a byte. Only `bodiesAtWorkBytes` of
 * large bodies are worked on at a time, because one takes about ten times its size until it is stored.
 */
import { createSemaphore } from "@safelight/core"
import type { HttpSettings } from "../pipeline/defaults.ts"
import type { Refusal } from "../errors/refusal.ts"
import { createPieceCollector, type BodyPieces } from "./body-pieces.ts"
import { createHeldBodies, refuse, refuseSize, type HeldBodySettings } from "./held-bodies.ts"

export interface BodyReader {
  /** Receives all of the body. Rejects with a `Refusal` (413, 408, 400) or `overloaded`. */
  receive(request: BodyRequest): Promise<ReceivedBody>
}

export interface ReceivedBody {
  readonly pieces: BodyPieces
  /** Until then the bytes count as held. Safe to call twice. */
  readonly release: () => void
}

export interface BodyRequest {
  /** Whose share it counts against. */
  readonly account: string
  /** `Content-Length` as sent. */
  readonly declaredLength: string | null
  /** Called once the declared length is accepted; hands every chunk to the sink, in order. */
  readonly receive: (sink: BodySink) => Promise<void>
}

export interface BodySink {
  /** Throws if the chunk is one too many: then reading stops, and the receiver rejects with that. */
  readonly take: (chunk: Uint8Array) => void
  /**
   * Set by the receiver before it waits for anything, and called if the body arrives too slowly: then
   * reading stops, and the receiver rejects with the refusal.
   */
  onSlow: ((refusal: Refusal) => void) | undefined
}

export type BodyReaderSettings = HeldBodySettings & Pick<HttpSettings, "bodiesAtWorkBytes">

export function createBodyReader(settings: BodyReaderSettings): BodyReader {
  const { bodyBytes, bodiesAtWorkBytes, largeBodyBytes } = settings
  const bodies = createHeldBodies(settings)
  // How many wait is bounded by the bytes that they hold.
  const bytes = createSemaphore({ permits: bodiesAtWorkBytes, name: "large bodies" })

  return {
    async receive({ account, declaredLength, receive }) {
      checkDeclared(declaredLength, bodyBytes)
      const { take, finish } = createPieceCollector()
      const sink: BodySink = {
        take(chunk) {
          held.hold(chunk.length)
          take(chunk)
        },
        onSlow: undefined,
      }
      const held = bodies.begin(account, (refusal) => sink.onSlow?.(refusal))
      try {
        await receive(sink)
        held.endArrival()
        const pieces = finish()
        const { lengthBytes: weight } = pieces
        if (weight === 0) checkUnread(declaredLength)
        if (weight <= largeBodyBytes) return { pieces, release: held.release }
        const endWork = await bytes.acquire({ weight })
        return {
          pieces,
          release() {
            endWork?.()
            held.release()
          },
        }
      } catch (error) {
        held.release()
        throw error
      }
    },
  }
}

/** A length that is not a number says nothing: the bytes are counted anyway. */
function checkDeclared(declaredLength: string | null, limitBytes: number): void {
  if (Number(declaredLength) > limitBytes) throw refuseSize(limitBytes)
}

/** Nothing is left of a body that a host's own middleware has read. */
function checkUnread(declaredLength: string | null): void {
  if (!(Number(declaredLength) > 0)) return
  throw refuse("invalid_json", {
    message:
      `Nothing was left of a request body of ${Number(declaredLength)} bytes: something before this ` +
      "handler has read it, such as express.json(). Mount the handler in front of that.",
  })
}
