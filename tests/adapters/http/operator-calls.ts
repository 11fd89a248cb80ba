/** A call for every answer to an operator about channels, usage, the system and audits. */
import { outside } from "./fake-service.ts"
import type { Call } from "./worlds.ts"

interface Trouble {
  readonly failure?: unknown
  readonly isAuditing?: boolean
}

type Add = (template: string, path: string, call?: Call, trouble?: Trouble) => void

const CHANNELS = "/v1/admin/channels"
const USAGE = "/v1/admin/usage"
const AUDITS = "/v1/admin/audits"
const FAILURES = [new Error("a bug"), outside("storage-unavailable"), outside("overloaded")]
const JSON_TYPE = { "content-type": "application/json" }

const AUDIT = { method: "POST", headers: JSON_TYPE, body: '{"kind":"verify"}' }

/** To be called once the account has as many streams open as it may. */
export function addStreamTooMany(add: Add): void {
  add(AUDITS, AUDITS, AUDIT)
}

/** `keys` are Authorization headers, one for each way to be turned away. */
export function addOperatorCalls(keys: readonly string[], add: Add): void {
  for (const method of ["GET", "HEAD"]) {
    for (const path of [CHANNELS, `${USAGE}?by=day`, "/v1/admin/system"]) {
      addCommon(path.replace(/\?.*/, ""), path, { method }, keys, add)
      add(path.replace(/\?.*/, ""), `${path}${path.includes("?") ? "&" : "?"}other=1`, { method })
    }
    for (const query of [
      "",
      "?by=hour",
      "?by=day&from=x",
      "?by=day&from=2&to=1",
      "?by=model&to=-1",
    ]) {
      add(USAGE, `${USAGE}${query}`, { method })
    }
    add(USAGE, `${USAGE}?by=channel&to=253402300800`, { method })
  }
  for (const word of ["pause", "drain", "resume", "check"]) {
    const template = `${CHANNELS}/{channel}/${word}`
    const path = `${CHANNELS}/studio/${word}`
    addCommon(template, path, { method: "POST" }, keys, add)
    add(template, path.replace("studio", "nobody"), { method: "POST" })
    add(template, `${path}?other=1`, { method: "POST" })
    add(template, path, { method: "POST", body: "{}" })
  }
  addAudits(keys, add)
}

function addCommon(
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

function addAudits(keys: readonly string[], add: Add): void {
  const call = AUDIT
  addCommon(AUDITS, AUDITS, call, keys, add)
  add(AUDITS, AUDITS, call, { isAuditing: true })
  add(AUDITS, `${AUDITS}?other=1`, call)
  for (const body of [
    "{",
    '{"kind":"verify","kind":"verify"}',
    "[".repeat(33),
    "x".repeat(70_000),
    "[]",
    "{}",
    '{"kind":1}',
    '{"kind":"rebuild"}',
    '{"kind":"verify","other":1}',
  ]) {
    add(AUDITS, AUDITS, { ...call, body })
  }
  for (const headers of [
    { "content-type": "text/plain" },
    { ...JSON_TYPE, "content-encoding": "gzip" },
  ]) {
    add(AUDITS, AUDITS, { ...call, headers })
  }
}
