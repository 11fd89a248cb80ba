/** A call for every answer about signing in. */
import { GOOD_TOKEN } from "./fake-sign-in.ts"
import { outside } from "./fake-service.ts"
import type { Call } from "./worlds.ts"

interface Trouble {
  readonly failure?: unknown
}

type Add = (template: string, path: string, call?: Call, trouble?: Trouble) => void

const PATH = "/v1/sign-in"
const JSON_TYPE = { "content-type": "application/json" }
const GOOD = JSON.stringify({ token: GOOD_TOKEN })

export function addSignInCalls(add: Add): void {
  for (const body of [
    GOOD,
    "{",
    '{"token":"a","token":"b"}',
    "[".repeat(33),
    "x".repeat(70_000),
    "[]",
    "{}",
    '{"token":"another"}',
    '{"token":"a","other":1}',
    '{"token":1}',
    '{"token":""}',
    '{"token":"\\ud800"}',
    JSON.stringify({ token: "x".repeat(101) }),
  ]) {
    add(PATH, PATH, { method: "POST", headers: JSON_TYPE, body })
  }
  for (const headers of [
    { "content-type": "text/plain" },
    { ...JSON_TYPE, "content-encoding": "gzip" },
  ]) {
    add(PATH, PATH, { method: "POST", headers, body: GOOD })
  }
  for (const failure of [
    new Error("a bug"),
    outside("storage-unavailable"),
    outside("overloaded"),
  ]) {
    add(PATH, PATH, { method: "POST", headers: JSON_TYPE, body: GOOD }, { failure })
  }
}
