/**
 * A line of an export as a record, each member checked: the file comes from outside, and what is wrong
 * in it must not come to light halfway through an import. A member that is not known is left out.
 */
import {
  API_KEY_SCOPES,
  RATE_POLICIES,
  type Account,
  type ApiKeyScope,
  type LinkKey,
  type Rate,
  type StoredKey,
} from "@safelight/core"
import { FORMAT, refused, VERSION, type ExportRecord, type HeaderRecord } from "./export-format.ts"
import {
  takeDigest,
  takeFlag,
  takeInteger,
  takeList,
  takeName,
  takeObject,
  takeOptional,
  takeStorable,
  takeTaskId,
  takeText,
  toMembers,
  wrong,
  type Members,
} from "./members.ts"

/** Throws `export-refused`. */
export function parseRecord(line: string): ExportRecord {
  const members = toMembers(parseJson(line), "record")
  switch (members["kind"]) {
    case "header":
      return toHeader(members)
    case "account":
      return { kind: "account", ...toAccountMembers(members) }
    case "key":
      return { kind: "key", key: toKey(takeObject(members, "key")) }
    case "link-key":
      return { kind: "link-key", linkKey: toLinkKey(takeObject(members, "linkKey")) }
    case "stream":
      return toStream(members)
    case "trailer":
      return toTrailer(members)
    default:
      throw wrong("kind", "a kind of record that this release knows")
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // The engine's own words quote the line, and it may hold a prompt.
    throw refused("it is not JSON")
  }
}

function toHeader(members: Members): HeaderRecord {
  if (members["format"] !== FORMAT) throw wrong("format", FORMAT)
  const version = takeInteger(members, "version", 1)
  if (version > VERSION) {
    throw refused(`it has version ${version}, this release reads ${VERSION}: use a newer one`)
  }
  const createdAt = takeInteger(members, "createdAt")
  const isSealed = takeFlag(members, "isSealed")
  return { kind: "header", format: FORMAT, version, createdAt, isSealed }
}

function toAccountMembers(members: Members): {
  readonly account: Account
  readonly linkEpoch: number
} {
  const from = takeObject(members, "account")
  const rates = takeObject(from, "rates")
  const [create, read, content] = RATE_POLICIES.map((name) => takeOptional(rates, name, takeRate))
  return {
    account: {
      id: takeName(from, "id"),
      createdAt: takeInteger(from, "createdAt"),
      budgetMicros: takeOptional(from, "budgetMicros", takeInteger),
      rates: { create: create ?? null, read: read ?? null, content: content ?? null },
      retentionMs: takeOptional(from, "retentionMs", takeInteger),
      signsContentUrls: takeFlag(from, "signsContentUrls"),
      suspendedAt: takeInteger(from, "suspendedAt"),
      unfinishedTasks: takeOptional(from, "unfinishedTasks", takeInteger),
      runningTasks: takeOptional(from, "runningTasks", takeInteger),
      weight: takeInteger(from, "weight", 1, 1_000),
    },
    linkEpoch: takeInteger(members, "linkEpoch"),
  }
}

function takeRate(members: Members, name: string): Rate {
  const rate = takeObject(members, name)
  return { requests: takeInteger(rate, "requests", 1), windowMs: takeInteger(rate, "windowMs", 1) }
}

function toKey(members: Members): StoredKey {
  const scopes = members["scopes"]
  const isScopes =
    Array.isArray(scopes) && scopes.every((scope) => API_KEY_SCOPES.includes(scope as ApiKeyScope))
  if (!isScopes) throw wrong("scopes", "a list of scopes that this release knows")
  return {
    id: takeName(members, "id"),
    account: takeName(members, "account"),
    secretSha256: takeDigest(members, "secretSha256"),
    scopes: scopes as ApiKeyScope[],
    createdAt: takeInteger(members, "createdAt"),
    revokedAt: takeInteger(members, "revokedAt"),
    expiresAt: takeInteger(members, "expiresAt"),
  }
}

function toLinkKey(members: Members): LinkKey {
  const id = takeName(members, "id")
  const secret = takeDigest(members, "secret")
  return { id, secret, createdAt: takeInteger(members, "createdAt") }
}

function toStream(members: Members): Extract<ExportRecord, { kind: "stream" }> {
  return {
    kind: "stream",
    task: takeTaskId(members, "task"),
    events: takeList(members, "events", (event) => ({
      at: takeInteger(event, "at"),
      data: takeText(event, "data"),
      hash: takeDigest(event, "hash"),
      schema: takeInteger(event, "schema", 1),
      type: takeText(event, "type"),
      version: takeInteger(event, "version", 1),
    })),
    inputs: takeList(members, "inputs", (input) => ({
      name: takeName(input, "name"),
      salt: takeStorable(input, "salt"),
      body: takeStorable(input, "body"),
    })),
    idempotency: takeList(members, "idempotency", (use) => ({
      key: takeStorable(use, "key"),
      fingerprint: takeStorable(use, "fingerprint"),
      usedAt: takeInteger(use, "usedAt"),
    })),
    linkEpochs: takeList(members, "linkEpochs", (epoch) => ({
      key: takeName(epoch, "key"),
      epoch: takeInteger(epoch, "epoch", 1),
    })),
  }
}

function toTrailer(members: Members): Extract<ExportRecord, { kind: "trailer" }> {
  return {
    kind: "trailer",
    accounts: takeInteger(members, "accounts"),
    keys: takeInteger(members, "keys"),
    linkKeys: takeInteger(members, "linkKeys"),
    streams: takeInteger(members, "streams"),
    events: takeInteger(members, "events"),
    inputs: takeInteger(members, "inputs"),
    sha256: takeDigest(members, "sha256"),
  }
}
