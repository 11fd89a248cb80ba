/** The requests that a stub received, the latest ten thousand at least: a stub runs for hours. */
import type { StubRequest } from "./running-stub.ts"

export interface RequestLog {
  readonly requests: readonly StubRequest[]
  add(request: StubRequest): void
}

const KEPT = 10_000

export function createRequestLog(): RequestLog {
  const requests: StubRequest[] = []
  return {
    requests,
    add(request) {
      requests.push(request)
      // Dropping many at once costs less than dropping one each time.
      if (requests.length >= 2 * KEPT) requests.splice(0, KEPT)
    },
  }
}
