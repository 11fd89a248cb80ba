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

/** The data from both parts, the sealed one without its salt. Throws a TypeError if one has a member of the other. */
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
    unite: uniteBy(["lease", "sendBefore", "upstreamKey"]),
  },
  accepted: {
    since: 2,
    divide: ({ operation, ...shown }, salt) => ({ shown, sealed: { operation, salt } }),
    unite: uniteBy(["operation"]),
  },
  deferred: { since: 2, divide: divideDeferral, unite: uniteDeferral },
  succeeded: { since: 3, divide: divideSuccess, unite: uniteSuccess },
  failed: {
    since: 3,
    divide: ({ cost, ...shown }, salt) => ({ shown, sealed: { cost, salt } }),
    unite: uniteBy(["cost"]),
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
  const { salt, ...hidden } = sealed
  if (typeof salt !== "string" || !SALT.test(salt))
    throw new TypeError("its sealed text has no salt")
  return ruleOf(type).unite(shown, hidden)
}

function ruleOf(type: EventType): Rule<never> {
  const rule = RULES[type]
  if (rule === undefined) throw new TypeError(`${type} has no sealed members`)
  return rule
}

function uniteBy(names: readonly string[]): Unite {
  return (shown, sealed) => {
    for (const name in sealed) if (!names.includes(name)) throw misplaced(name)
    for (const name of names) if (Object.hasOwn(shown, name)) throw misplaced(name)
    return { ...shown, ...sealed }
  }
}

const uniteCost = uniteBy(["cost"])

/** The reason is sealed only if the account is told another one. */
function divideDeferral({ cost, reason, ...rest }: EventData<"deferred">, salt: string): Division {
  const { isRefusal, retryAt } = rest
  const told = toToldReason(reason)
  const sealed = told === reason ? { cost, salt } : { cost, reason, salt }
  return { shown: { isRefusal, reason: told, retryAt }, sealed }
}

function uniteDeferral(shown: Members, { reason: hidden, ...sealed }: Members): Members {
  const { reason: told } = shown
  const reason = hidden === undefined ? told : hidden
  const isSealed = toToldReason(reason as string) !== reason
  if (toToldReason(reason as string) !== told || isSealed !== (hidden !== undefined)) {
    throw misplaced("reason")
  }
  return { ...uniteCost(shown, sealed), reason }
}

/** Locators are sealed as a list in the order of the artifacts. */
function divideSuccess(
  { artifacts, cost, ...rest }: EventData<"succeeded">,
  salt: string,
): Division {
  const { chargeMicros, usage } = rest
  const locators = artifacts.map(({ locator }) => locator)
  const shown = artifacts.map(withoutLocator)
  return { shown: { artifacts: shown, chargeMicros, usage }, sealed: { cost, locators, salt } }
}

function withoutLocator(entry: ManifestEntry): Members {
  const { locator: _, ...shown } = entry
  return shown
}

function uniteSuccess(shown: Members, { locators, ...sealed }: Members): Members {
  const { artifacts } = shown
  if (!isList(artifacts) || !isList(locators) || artifacts.length !== locators.length) {
    throw misplaced("locators")
  }
  const located = artifacts.map((entry, index) => locate(entry, locators[index]))
  return { ...uniteCost(shown, sealed), artifacts: located }
}

/** In sorted order if the entry is, as the row of the task is written. */
function locate(entry: unknown, locator: unknown): Members {
  if (!isMembers(entry) || Object.hasOwn(entry, "locator")) throw misplaced("locator")
  const { mimeType, sha256, type, ...first } = entry
  return { ...first, locator, mimeType, sha256, type }
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
