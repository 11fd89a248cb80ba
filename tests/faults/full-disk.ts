/**
 * Artifacts on a disk that is full on command: what is put fails after some of its bytes were
 * taken, as a write on a full disk does, and leaves nothing that could be opened.
 */
import { SafelightError, type ArtifactStorage } from "@safelight/core"

export interface FullDisk extends ArtifactStorage {
  fill(isFull: boolean): void
}

export function createFullDisk(artifacts: ArtifactStorage): FullDisk {
  let isFull = false
  return {
    put: (request) =>
      artifacts.put(isFull ? { ...request, body: takeSome(request.body) } : request),
    open: (request) => artifacts.open(request),
    remove: (locator) => artifacts.remove(locator),
    list: (task) => artifacts.list(task),
    check: () => artifacts.check(),
    fill(changed) {
      isFull = changed
    },
  }
}

async function* takeSome(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    yield chunk.subarray(0, 100)
    const message = "no space is left on the device"
    throw new SafelightError({ code: "artifacts-unavailable", message, retryable: true })
  }
}
