/** A call for every answer to an operator about tasks, accounts, channels, usage, the system and audits. */
import { IN_DOUBT, RUNNING, UNKNOWN } from "./fake-operator-tasks.ts"
import { addAccountCalls } from "./operator-account-calls.ts"
import {
  addCommon,
  FAULTY_BODIES,
  FAULTY_HEADERS,
  JSON_TYPE,
  type Add,
} from "./operator-call-parts.ts"

const CHANNELS = "/v1/admin/channels"
const USAGE = "/v1/admin/usage"
const CHANGES = "/v1/admin/changes"
const AUDITS = "/v1/admin/audits"
const TASKS = "/v1/admin/tasks"
const ONE_TASK = `${TASKS}/{task_id}`
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
    addCommon(CHANGES, CHANGES, { method }, keys, add)
    for (const query of ["limit=101", "limit=0", "limit=x", "cursor=!", "other=1"]) {
      add(CHANGES, `${CHANGES}?${query}`, { method })
    }
  }
  for (const word of ["pause", "drain", "resume", "check"]) {
    const template = `${CHANNELS}/{channel}/${word}`
    const path = `${CHANNELS}/studio/${word}`
    addCommon(template, path, { method: "POST" }, keys, add)
    add(template, path.replace("studio", "nobody"), { method: "POST" })
    add(template, `${path}?other=1`, { method: "POST" })
    add(template, path, { method: "POST", body: "{}" })
  }
  addTasks(keys, add)
  addAccountCalls(keys, add)
  addAudits(keys, add)
}

function addTasks(keys: readonly string[], add: Add): void {
  for (const method of ["GET", "HEAD"]) {
    addCommon(TASKS, TASKS, { method }, keys, add)
    for (const query of [
      "account=acme&label=a%3Db&created_after=1&created_before=2",
      "label=a%3Db&created_after=1",
      "status=lost",
      "model=model-x",
      "limit=101",
      "limit=0",
      "limit=x",
      "cursor=!",
      "other=1",
    ]) {
      add(TASKS, `${TASKS}?${query}`, { method })
    }
    add(`${ONE_TASK}/proof`, `${TASKS}/${IN_DOUBT}/proof`, { method })
    for (const template of [ONE_TASK, `${ONE_TASK}/events`, `${ONE_TASK}/proof`]) {
      const toPath = (id: string): string => template.replace("{task_id}", id)
      addCommon(template, toPath(RUNNING), { method }, keys, add)
      for (const id of [UNKNOWN, "nothing"]) add(template, toPath(id), { method })
      add(template, `${toPath(RUNNING)}?other=1`, { method })
    }
    for (const query of ["limit=1001", "limit=0", "limit=x", "cursor=!"]) {
      const path = `${ONE_TASK}/events`
      add(path, `${path.replace("{task_id}", RUNNING)}?${query}`, { method })
    }
  }
  const template = `${ONE_TASK}/cancel`
  const path = `${TASKS}/${RUNNING}/cancel`
  addCommon(template, path, { method: "POST" }, keys, add)
  add(template, path.replace(RUNNING, UNKNOWN), { method: "POST" })
  add(template, `${path}?other=1`, { method: "POST" })
  add(template, path, { method: "POST", body: "{}" })
  addVerdicts(keys, add)
}

function addVerdicts(keys: readonly string[], add: Add): void {
  const template = `${ONE_TASK}/resolve`
  const path = `${TASKS}/${IN_DOUBT}/resolve`
  const call = { method: "POST", headers: JSON_TYPE, body: '{"fail":true}' }
  addCommon(template, path, call, keys, add)
  add(template, path.replace(IN_DOUBT, UNKNOWN), call)
  add(template, path.replace(IN_DOUBT, "nothing"), call)
  add(template, path.replace(IN_DOUBT, RUNNING), call)
  add(template, `${path}?other=1`, call)
  for (const body of [...FAULTY_BODIES, ...FAULTY_VERDICTS]) add(template, path, { ...call, body })
  for (const headers of FAULTY_HEADERS) add(template, path, { ...call, headers })
}

const FAULTY_VERDICTS = [
  "{}",
  '{"fail":false}',
  '{"fail":true,"adopt":"op"}',
  '{"adopt":1}',
  '{"adopt":""}',
  '{"adopt":"{"}',
  JSON.stringify({ adopt: "x".repeat(8_193) }),
  '{"fail":true,"other":1}',
]

function addAudits(keys: readonly string[], add: Add): void {
  const call = AUDIT
  addCommon(AUDITS, AUDITS, call, keys, add)
  add(AUDITS, AUDITS, call, { isAuditing: true })
  add(AUDITS, `${AUDITS}?other=1`, call)
  for (const body of [...FAULTY_BODIES, ...FAULTY_AUDITS]) add(AUDITS, AUDITS, { ...call, body })
  for (const headers of FAULTY_HEADERS) add(AUDITS, AUDITS, { ...call, headers })
}

const FAULTY_AUDITS = ["{}", '{"kind":1}', '{"kind":"rebuild"}', '{"kind":"verify","other":1}']
