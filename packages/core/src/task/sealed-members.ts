/**
 * What of an event its operator alone may know, by its type: handles and keys at providers, leases, locators and
 * costs. Such an event is stored in two texts: one that its account may see, and a sealed one. The hash of the event
 * covers a digest of the sealed text, so an account can check the hash and learns nothing. The salt keeps it from
 * guessing, since a cost has few likely values. In memory an event is whole.
 */
import type { EventData, EventType, ManifestEntry } from "./events.ts"

type Members = Readonly<Record<string, unknown>>

/** The members of the two texts, each in sorted order, so that it is canonical as it stands. */
export interface Division {
  readonly shown: Members
  /** With the salt. */
  readonly sealed: Members
}

/**
 * The data from both parts, member by member, since every reader of the log takes this path. Throws a TypeError if a
 * part has more members, or fewer.
 */
type Unite = (shown: Members, sealed: Members) => Members

interface Rule<Type extends EventType> {
  /** The first schema whose events are stored in two texts. */
  readonly since: number
  readonly divide: (data: EventData<Type>, salt: string) => Division
  readonly unite: Unite
}

const RULES: { readonly [Type in EventType]?: Rule<Type> } = {
  dispatched: {
    since: 2,
    divide({ lease, sendBefore, upstreamKey, ...shown }, salt) {
      return { shown, sealed: { lease, salt, sendBefore, upstreamKey } }
    },
    unite(shown, sealed) {
      checkCounts(shown, 3, sealed, 4)
      const { attempt, because, channel } = shown
      const { lease, sendBefore, upstreamKey } = sealed
      return { attempt, because, channel, lease, sendBefore, upstreamKey }
    },
  },
  accepted: {
    since: 2,
    divide: ({ operation, ...shown }, salt) => ({ shown, sealed: { operation, salt } }),
    unite(shown, sealed) {
      checkCounts(shown, 0, sealed, 2)
      return { operation: sealed["operation"] }
    },
  },
  deferred: { since: 2, divide: divideDeferral, unite: uniteDeferral },
  succeeded: { since: 3, divide: divideSuccess, unite: uniteSuccess },
  failed: {
    since: 3,
    divide: ({ cost, ...shown }, salt) => ({ shown, sealed: { cost, salt } }),
    unite(shown, sealed) {
      checkCounts(shown, 3, sealed, 2)
      const { chargeMicros, error, usage } = shown
      return { chargeMicros, cost: sealed["cost"], error, usage }
    },
  },
}

/** Whether events of the type have members that their account may not see. */
export function hidesMembers(type: EventType): boolean {
  return RULES[type] !== undefined
}

/** Whether an event of the type and schema is stored in two texts. */
export function isDivided(type: EventType, schema: number): boolean {
  const rule = RULES[type]
  return rule !== undefined && schema >= rule.since
}

/** That the operator owes a provider money is nobody else's business: an account is told another reason. */
export function toToldReason(reason: string): string {
  return reason === "provider_out_of_money" ? "provider_unavailable" : reason
}

/** At least 128 bits as base64url. */
const SALT = /^[\w-]{22,64}$/

/**
 * The two parts of the data of an event that `isDivided`. Throws a TypeError if the salt is not 22 to 64
 * characters of base64url.
 */
export function divideData(type: EventType, data: unknown, salt: string): Division {
  if (!SALT.test(salt)) throw new TypeError("a salt is 22 to 64 characters of base64url")
  return ruleOf(type).divide(data as never, salt)
}

/**
 * What `divideData` was given. Throws a TypeError on parts that it would not have made: an event has one pair of
 * texts. Whether the members are those of the schema is not looked at.
 */
export function uniteData(type: EventType, shown: unknown, sealed: unknown): unknown {
  if (!isMembers(shown) || !isMembers(sealed)) throw new TypeError("one of its texts is no object")
  const { salt } = sealed
  if (typeof salt !== "string" || !SALT.test(salt)) throw new TypeError("it has no salt")
  return ruleOf(type).unite(shown, sealed)
}

function ruleOf(type: EventType): Rule<never> {
  const rule = RULES[type]
  if (rule === undefined) throw new TypeError(`${type} has no sealed members`)
  return rule
}

/** One more would be one of the other text, or of none; one fewer is missed by the schema. */
function checkCounts(shown: Members, ofShown: number, sealed: Members, ofSealed: number): void {
  if (Object.keys(shown).length !== ofShown || Object.keys(sealed).length !== ofSealed) {
    throw misplaced("a member")
  }
}

/** The reason is sealed only if the account is told another one. */
function divideDeferral({ cost, reason, ...rest }: EventData<"deferred">, salt: string): Division {
  const told = toToldReason(reason)
  const sealed = told === reason ? { cost, salt } : { cost, reason, salt }
  return { shown: { ...rest, reason: told }, sealed }
}

function uniteDeferral(shown: Members, sealed: Members): Members {
  const { isRefusal, reason: told, retryAt } = shown
  const { cost, reason: hidden } = sealed
  const reason = hidden === undefined ? told : hidden
  const isSealed = toToldReason(reason as string) !== reason
  checkCounts(shown, 3, sealed, isSealed ? 3 : 2)
  if (toToldReason(reason as string) !== told) throw misplaced("reason")
  return { cost, isRefusal, reason, retryAt }
}

/** Locators are sealed as a list in the order of the artifacts. */
function divideSuccess(
  { artifacts, cost, ...rest }: EventData<"succeeded">,
  salt: string,
): Division {
  const locators = artifacts.map(({ locator }) => locator)
  return {
    shown: { artifacts: artifacts.map(withoutLocator), ...rest },
    sealed: { cost, locators, salt },
  }
}

function withoutLocator(entry: ManifestEntry): Members {
  const { locator: _, ...shown } = entry
  return shown
}

function uniteSuccess(shown: Members, sealed: Members): Members {
  checkCounts(shown, 3, sealed, 3)
  const { artifacts, chargeMicros, usage } = shown
  const { cost, locators } = sealed
  if (!isList(artifacts) || !isList(locators) || artifacts.length !== locators.length) {
    throw misplaced("locators")
  }
  const located = artifacts.map((entry, index) => locate(entry, locators[index]))
  return { artifacts: located, chargeMicros, cost, usage }
}

/** In sorted order, as the row of the task is written. */
function locate(entry: unknown, locator: unknown): Members {
  if (!isMembers(entry)) throw misplaced("an artifact")
  const { bytes, durationMs, expiresAt, expiryHidden, key, mimeType, sha256, type } = entry
  const hidden = expiryHidden === undefined ? undefined : { expiryHidden }
  if (Object.keys(entry).length !== (hidden === undefined ? 7 : 8)) throw misplaced("a member")
  return { bytes, durationMs, expiresAt, ...hidden, key, locator, mimeType, sha256, type }
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

function misplaced(name: string): TypeError {
  return new TypeError(`${name} is not in the one of its two texts that it belongs in`)
}
