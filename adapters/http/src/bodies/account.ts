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
  type Rate,
  type SettingsChange,
} from "@safelight/core"
import * as v from "valibot"
import { defineBody, described, type Shown } from "./body.ts"
import { nextCursor } from "./page.ts"
import { currency, whole } from "./shapes.ts"

const limit = v.nullable(whole)
const rate = v.nullable(v.object({ requests: whole, window_ms: whole }))

const entries = {
  account: v.string(),
  created_at: described(whole, "Unix time in seconds."),
  suspended_at: described(whole, "Unix time in seconds; 0 while it is not suspended."),
  create_rate: described(rate, "Of submissions. Null, as in other limits: none."),
  read_rate: described(rate, "Of other requests but downloads."),
  content_rate: described(rate, "Of downloads."),
  unfinished_tasks: described(limit, "Tasks that may be unfinished at once."),
  running_tasks: described(limit, "Tasks that channels may work on at once."),
  weight: described(whole, "Its share while tasks of several accounts wait."),
  budget_micros: described(limit, "What it may spend."),
  retention_ms: described(limit, "Null: artifacts are kept as the service has it."),
  max_retention_ms: described(whole, "How long it may hold artifacts; 0: not at all."),
  sign_content_urls: described(v.boolean(), "`content_url` as a private link."),
}

const EXAMPLE = {
  account: "acme",
  created_at: 1_767_225_600,
  suspended_at: 0,
  create_rate: { requests: 60, window_ms: 60_000 },
  read_rate: null,
  content_rate: null,
  unfinished_tasks: 100,
  running_tasks: 2,
  weight: 1,
  budget_micros: 5_000_000,
  retention_ms: null,
  max_retention_ms: 0,
  sign_content_urls: false,
}

export const accountSettings = defineBody("AccountSettings", EXAMPLE, entries)

const ACCOUNT_EXAMPLE = {
  ...EXAMPLE,
  currency: "USD",
  totals: {
    charged_micros: 390_000,
    reserved_micros: 30_000,
    unfinished_tasks: 1,
    left_micros: 4_580_000,
  },
} as const

export const account = defineBody("OperatorAccount", ACCOUNT_EXAMPLE, {
  ...entries,
  currency,
  totals: v.object({
    charged_micros: whole,
    reserved_micros: described(whole, "Held back for unfinished tasks."),
    unfinished_tasks: whole,
    left_micros: described(
      v.nullable(v.pipe(v.number(), v.integer())),
      "Of the budget; below 0 where it was lowered to less than was spent.",
    ),
  }),
})

export const accountList = defineBody(
  "OperatorAccountList",
  { accounts: [EXAMPLE], next_cursor: null },
  { accounts: v.array(accountSettings), next_cursor: nextCursor },
)

const {
  maxDurationMs,
  maxRunningTasks,
  maxWeight,
  minDurationMs,
  rate: rateBounds,
} = SETTING_BOUNDS

const wholeFrom = (min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))
const limitFrom = (min: number, max?: number) => v.exactOptional(v.nullable(wholeFrom(min, max)))

const rateSetting = v.exactOptional(
  v.nullable(
    fields({
      requests: wholeFrom(1, rateBounds.maxRequests),
      window_ms: wholeFrom(rateBounds.minWindowMs, rateBounds.maxWindowMs),
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

export function toSettingsBody(shown: Account): Shown<typeof accountSettings> {
  const { rates } = shown
  return {
    account: shown.id,
    created_at: toUnixSeconds(shown.createdAt),
    suspended_at: toUnixSeconds(shown.suspendedAt),
    create_rate: toRateBody(rates.create),
    read_rate: toRateBody(rates.read),
    content_rate: toRateBody(rates.content),
    unfinished_tasks: shown.unfinishedTasks,
    running_tasks: shown.runningTasks,
    weight: shown.weight,
    budget_micros: shown.budgetMicros,
    retention_ms: shown.retentionMs,
    max_retention_ms: shown.maxRetentionMs,
    sign_content_urls: shown.signsContentUrls,
  }
}

/** Of some settings, by the names of the whole. */
export function toGivenSettingsBody(
  settings: Partial<AccountSettings>,
): Readonly<Record<string, unknown>> {
  const all = toSettingsBody({ ...NO_LIMITS, ...settings, id: "", createdAt: 0 })
  const names = new Set<string>(Object.keys(settings).flatMap((name) => toBodyNames(name)))
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)))
}

function toBodyNames(name: string): readonly string[] {
  if (name === "rates") return ["create_rate", "read_rate", "content_rate"]
  if (name === "signsContentUrls") return ["sign_content_urls"]
  return [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]
}

export function toAccountBody({
  account: shown,
  leftMicros,
  totals,
}: AccountView): Omit<Shown<typeof account>, "currency"> {
  return {
    ...toSettingsBody(shown),
    totals: {
      charged_micros: totals.chargedMicros,
      reserved_micros: totals.reservedMicros,
      unfinished_tasks: totals.unfinishedTasks,
      left_micros: leftMicros,
    },
  }
}

function toRateBody(given: Rate | null): Shown<typeof rate> {
  return given && { requests: given.requests, window_ms: given.windowMs }
}
