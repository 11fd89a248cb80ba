/**
 * A request's bytes, counted while they arrive against two bounds: this body's, and that of all
 * bodies held at once. A declared length is refused before anything is read, and so before a
 * client that waits for `100 Continue` sends a byte.
 */
import { SafelightError } from "@safelight/core"
import type { HttpSettings } from "../defaults.ts"
import { Refusal } from "../errors/refusal.ts"
import { createPieceCollector, type BodyPieces } from "./body-pieces.ts"

export interface BodyReader {
  /**
   * Receives all of the body and hands it to `use`; the bytes count as held until that settles.
   * Rejects with a `Refusal` (413, 400) or `overloaded`.
   */
  read<Result>(request: BodyRequest, use: (pieces: BodyPieces) => Promise<Result>): Promise<Result>
  /** Bytes counted as held now. */
  heldBytes(): number
}

export interface BodyRequest {
  /** `Content-Length` as sent. */
  readonly declaredLength: string | null
  /** Called once the declared length is accepted; hands every chunk to `take`, in order. */
  readonly receive: (take: (chunk: Uint8Array) => void) => Promise<void>
}

export function createBodyReader(
  settings: Pick<HttpSettings, "bodyBytes" | "bodiesInFlightBytes">,
): BodyReader {
  let heldBytes = 0

  return {
    heldBytes: () => heldBytes,
    async read(request, use) {
      let ownBytes = 0
      function hold(bytes: number): void {
        if (ownBytes + bytes > settings.bodyBytes) throw refuseSize(settings.bodyBytes)
        if (heldBytes + bytes > settings.bodiesInFlightBytes) throw refuseLoad()
        heldBytes += bytes
        ownBytes += bytes
      }
      try {
        checkDeclared(request.declaredLength, settings.bodyBytes)
        return await use(await collect(request, hold))
      } finally {
        heldBytes -= ownBytes
      }
    },
  }
}

/** What is no number is not believed: the bytes are counted anyway. */
function checkDeclared(declaredLength: string | null, limitBytes: number): void {
  if (Number(declaredLength) > limitBytes) throw refuseSize(limitBytes)
}

async function collect(request: BodyRequest, hold: (bytes: number) => void): Promise<BodyPieces> {
  const { take, finish } = createPieceCollector()
  await request.receive((chunk) => {
    hold(chunk.length)
    take(chunk)
  })
  return finish()
}

function refuseSize(limitBytes: number): Refusal {
  return new Refusal("request_too_large", {
    message: `The request body may hold ${limitBytes} bytes.`,
    headers: { connection: "close" },
  })
}

function refuseLoad(): SafelightError {
  return new SafelightError({
    code: "overloaded",
    message: "too many bytes of request bodies are in flight",
    retryable: true,
  })
}
