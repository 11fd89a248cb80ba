/** The signed log of a service, as anybody reads it: its newest checkpoint, and tiles of hashes. */
import { gatherBody, SafelightError } from "@safelight/core"
import { MOST_NOTE_BYTES, TILE_BYTES, toTilePath, type ReadTile } from "@safelight/proof"

export interface RemoteLog {
  /** Rejects with `storage-unavailable` if the service has none, or does not answer. */
  readCheckpoint(): Promise<string>
  /** Rejects in the same way. */
  readonly readTile: ReadTile
}

const TIMEOUT_MS = 10_000

/** `url` is the service's public URL. */
export function createRemoteLog(url: string): RemoteLog {
  const base = `${url.replace(/\/+$/, "")}/log`
  return {
    async readCheckpoint() {
      const bytes = await readAll(`${base}/checkpoint`, MOST_NOTE_BYTES)
      return new TextDecoder().decode(bytes)
    },
    readTile: (tile) => readAll(`${base}/${toTilePath(tile)}`, TILE_BYTES),
  }
}

async function readAll(url: string, mostBytes: number): Promise<Uint8Array> {
  const answer = await ask(url)
  if (!answer.ok) throw unavailable(`${url} answered ${answer.status}`)
  const bytes = await gatherBody(answer.body ?? new Blob().stream(), mostBytes).catch(
    (error: unknown) => {
      throw unavailable(`${url} broke off`, error)
    },
  )
  if (bytes === undefined) throw unavailable(`${url} answered more than ${mostBytes} bytes`)
  return bytes
}

async function ask(url: string): Promise<Response> {
  try {
    return await fetch(url, { redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) })
  } catch (error) {
    throw unavailable(`${url} can't be reached`, error)
  }
}

function unavailable(message: string, cause?: unknown): SafelightError {
  return new SafelightError({ code: "storage-unavailable", message, cause })
}
