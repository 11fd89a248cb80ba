/**
 * An account and its keys as an operator is shown them, and the settings as a body gives them. Money is micro-units
 * and moments are Unix seconds; null is no limit.
 */
import {
  fields,
  NO_LIMITS,
  SETTING_BOUNDS,
  toUnixSeconds,
  type Account,
  type AccountSettings,
  type AccountView,
  type KeyView,
  type Rate,
  type SettingsChange,
} from "@safelight/core"
import * as v from "valibot"

const { maxDurationMs, maxRunningTasks, maxWeight, minDurationMs, rate } = SETTING_BOUNDS

const wholeFrom = (min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))
const limitFrom = (min: number, max?: number) => v.exactOptional(v.nullable(wholeFrom(min, max)))

const rateSetting = v.exactOptional(
  v.nullable(
    fields({
      requests: wholeFrom(1, rate.maxRequests),
      window_ms: wholeFrom(rate.minWindowMs, rate.maxWindowMs),
    }),
  ),
)

/** Only what is given is changed. */
export const SETTINGS = fields({
  suspended: v.exactOptional(v.boolean()),
  create_rate: rateSetting,
  read_rate: rateSetting,
  content_rate: rateSetting,
  unfinished_tasks: limitFrom(0),
  running_tasks: limitFrom(1, maxRunningTasks),
  weight: v.exactOptional(wholeFrom(1, maxWeight)),
  budget_micros: limitFrom(0),
  retention_ms: limitFrom(minDurationMs, maxDurationMs),
  max_retention_ms: v.exactOptional(wholeFrom(0, maxDurationMs)),
  sign_content_urls: v.exactOptional(v.boolean()),
})

type GivenSettings = v.InferOutput<typeof SETTINGS>

export function toSettingsChange(given: GivenSettings): SettingsChange {
  const { create_rate: create, read_rate: read, content_rate: content } = given
  const rates = toPresent({ create: toRate(create), read: toRate(read), content: toRate(content) })
  return {
    ...toPresent({
      isSuspended: given.suspended,
      unfinishedTasks: given.unfinished_tasks,
      runningTasks: given.running_tasks,
      weight: given.weight,
      budgetMicros: given.budget_micros,
      retentionMs: given.retention_ms,
      maxRetentionMs: given.max_retention_ms,
      signsContentUrls: given.sign_content_urls,
    }),
    ...(Object.keys(rates).length > 0 && { rates }),
  }
}

type GivenRate = { readonly requests: number; readonly window_ms: number } | null | undefined

function toRate(given: GivenRate): Rate | null | undefined {
  return given && { requests: given.requests, windowMs: given.window_ms }
}

type Present<Members> = { readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> }

function toPresent<Members extends object>(members: Members): Present<Members> {
  const given = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as Present<Members>
}

export function toSettingsBody(account: Account): object {
  const { rates } = account
  return {
    account: account.id,
    created_at: toUnixSeconds(account.createdAt),
    suspended_at: toUnixSeconds(account.suspendedAt),
    create_rate: toRateBody(rates.create),
    read_rate: toRateBody(rates.read),
    content_rate: toRateBody(rates.content),
    unfinished_tasks: account.unfinishedTasks,
    running_tasks: account.runningTasks,
    weight: account.weight,
    budget_micros: account.budgetMicros,
    retention_ms: account.retentionMs,
    max_retention_ms: account.maxRetentionMs,
    sign_content_urls: account.signsContentUrls,
  }
}

/** Of some settings, by the names of the whole. */
export function toGivenSettingsBody(settings: Partial<AccountSettings>): object {
  const whole = toSettingsBody({ ...NO_LIMITS, ...settings, id: "", createdAt: 0 })
  const names = new Set<string>(Object.keys(settings).flatMap((name) => toBodyNames(name)))
  return Object.fromEntries(Object.entries(whole).filter(([name]) => names.has(name)))
}

function toBodyNames(name: string): readonly string[] {
  if (name === "rates") return ["create_rate", "read_rate", "content_rate"]
  if (name === "signsContentUrls") return ["sign_content_urls"]
  return [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]
}

export function toAccountBody({ account, leftMicros, totals }: AccountView): object {
  return {
    ...toSettingsBody(account),
    totals: {
      charged_micros: totals.chargedMicros,
      reserved_micros: totals.reservedMicros,
      unfinished_tasks: totals.unfinishedTasks,
      left_micros: leftMicros,
    },
  }
}

function toRateBody(given: Rate | null): object | null {
  return given && { requests: given.requests, window_ms: given.windowMs }
}

export function toKeyBody(key: KeyView): object {
  return {
    id: key.id,
    account: key.account,
    scopes: key.scopes,
    state: key.state,
    created_at: toUnixSeconds(key.createdAt),
    revoked_at: toUnixSeconds(key.revokedAt),
    expires_at: toUnixSeconds(key.expiresAt),
  }
}
