/** What the calls to an operator's endpoints have in common: who is turned away, what fails, what no body may be. */
import { outside } from "./fake-service.ts"
import type { Call } from "./worlds.ts"

interface Trouble {
  readonly failure?: unknown
  readonly isAuditing?: boolean
}

export type Add = (template: string, path: string, call?: Call, trouble?: Trouble) => void

const FAILURES = [new Error("a bug"), outside("storage-unavailable"), outside("overloaded")]
export const JSON_TYPE = { "content-type": "application/json" }

export function addCommon(
  template: string,
  path: string,
  call: Call,
  keys: readonly string[],
  add: Add,
): void {
  for (const authorization of keys) {
    add(template, path, { ...call, headers: { ...call.headers, authorization } })
  }
  for (const failure of FAILURES) add(template, path, call, { failure })
  add(template, path, call)
}

/** Of any endpoint with a small body. */
export const FAULTY_BODIES = ["{", "[".repeat(33), "x".repeat(70_000), "[]", '{"a":1,"a":1}']
export const FAULTY_HEADERS = [
  { "content-type": "text/plain" },
  { ...JSON_TYPE, "content-encoding": "gzip" },
]
