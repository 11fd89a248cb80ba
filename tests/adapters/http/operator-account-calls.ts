/** A call for every answer to an operator about accounts and their keys. */
import { KNOWN, REVOKED_KEY, VALID_KEY } from "./fake-operator-accounts.ts"
import {
  addCommon,
  FAULTY_BODIES,
  FAULTY_HEADERS,
  JSON_TYPE,
  type Add,
} from "./operator-call-parts.ts"
import type { Call } from "./worlds.ts"

const ACCOUNTS = "/v1/admin/accounts"
const ONE = `${ACCOUNTS}/{account}`
const KEYS = `${ONE}/keys`
/** No name of an account. */
const NAMELESS = "%00"

function toPath(template: string, account: string, key = VALID_KEY): string {
  const named = template.replace("{account}", account === NAMELESS ? account : encode(account))
  return named.replace("{key_id}", key)
}

const encode = encodeURIComponent

export function addAccountCalls(keys: readonly string[], add: Add): void {
  for (const method of ["GET", "HEAD"]) {
    addCommon(ACCOUNTS, ACCOUNTS, { method }, keys, add)
    for (const query of ["limit=101", "limit=0", "limit=x", "cursor=!", "other=1"]) {
      add(ACCOUNTS, `${ACCOUNTS}?${query}`, { method })
    }
    for (const template of [ONE, KEYS]) addEach(template, { method }, keys, add)
  }
  addSettings(keys, add)
  addKeys(keys, add)
  const revoke = `${ONE}/links/revoke`
  addEach(revoke, { method: "POST" }, keys, add)
  add(revoke, toPath(revoke, KNOWN), { method: "POST", body: "{}" })
}

/** Of an account that there is, and of others. */
function addEach(template: string, call: Call, keys: readonly string[], add: Add): void {
  addCommon(template, toPath(template, KNOWN), call, keys, add)
  add(template, toPath(template, "nobody"), call)
  add(template, toPath(template, NAMELESS), call)
  add(template, `${toPath(template, KNOWN)}?other=1`, call)
}

function addBodies(template: string, call: Call, bodies: readonly string[], add: Add): void {
  const path = toPath(template, KNOWN)
  for (const body of [...FAULTY_BODIES, ...bodies]) add(template, path, { ...call, body })
  for (const headers of FAULTY_HEADERS) add(template, path, { ...call, headers })
}

function addSettings(keys: readonly string[], add: Add): void {
  const call = { method: "PUT", headers: JSON_TYPE, body: '{"budget_micros":null}' }
  addEach(ONE, call, keys, add)
  addBodies(ONE, call, FAULTY_SETTINGS, add)
}

const FAULTY_SETTINGS = [
  '{"weight":0}',
  '{"weight":1001}',
  '{"suspended":1}',
  '{"read_rate":{"requests":1}}',
  '{"other":1}',
]

function addKeys(keys: readonly string[], add: Add): void {
  const call = { method: "POST", headers: JSON_TYPE, body: "{}" }
  addEach(KEYS, call, keys, add)
  addBodies(KEYS, call, FAULTY_KEYS, add)
  const rotate = `${KEYS}/{key_id}/rotate`
  addEach(rotate, call, keys, add)
  addBodies(rotate, call, FAULTY_ROTATIONS, add)
  add(rotate, toPath(rotate, KNOWN, REVOKED_KEY), call)
  const revoke = `${KEYS}/{key_id}/revoke`
  addEach(revoke, { method: "POST" }, keys, add)
  add(revoke, toPath(revoke, KNOWN), { method: "POST", body: "{}" })
  for (const id of ["9999999999", "short"]) {
    add(rotate, toPath(rotate, KNOWN, id), call)
    add(revoke, toPath(revoke, KNOWN, id), { method: "POST" })
  }
}

const FAULTY_KEYS = [
  '{"expires_in":0}',
  '{"expires_in":1e12}',
  '{"expires_in":"x"}',
  '{"scopes":[]}',
  '{"scopes":["all"]}',
  JSON.stringify({ scopes: Array.from({ length: 7 }, () => "admin") }),
  '{"other":1}',
]

const FAULTY_ROTATIONS = [
  '{"grace_seconds":-1}',
  '{"grace_seconds":1e12}',
  '{"grace_seconds":"x"}',
  '{"other":1}',
]
