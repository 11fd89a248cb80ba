/**
 * What an account was charged, charge by charge, with what proves each. Everything in it may be seen by the account:
 * what the operator alone may know is neither in a charge nor in what is said about it.
 */
import {
  billedInputMs,
  textToImage,
  toUnixSeconds,
  type ChargeEvidence,
  type ProvenEvent,
  type ShownEvent,
  type StatedCharge,
  type StatedFinding,
  type StatedFindingCode,
  type StatementPage,
} from "@safelight/core"
import * as v from "valibot"
import type { Period } from "../request/period.ts"
import { billedLine, toBilledLine } from "./billed-line.ts"
import { defineBody, described, type Shown } from "./body.ts"
import { nextCursor, toNextCursor } from "./page.ts"
import { price, toPriceBody } from "./price.ts"
import { currency, EXAMPLE_ID, taskId, whole } from "./shapes.ts"
import { provenEvent } from "./task-proof.ts"
import { measuredUsage, toMeasuredUsage } from "./usage.ts"

const EXAMPLE = {
  from: 1_767_225_600,
  to: 1_769_904_000,
  currency: "USD",
  charges: [
    {
      task_id: EXAMPLE_ID,
      model: textToImage.id,
      outcome: "succeeded",
      ended_at: 1_767_225_609,
      usage: { images: 1, output_video_ms: 0, input_videos_ms: [], billed_input_ms: 0 },
      price_version: "default-1#4b1f0f4e",
      price_digest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      price: { per_image_micros: 10_000 },
      lines: [{ item: "image", unit: "image", unit_price_micros: 10_000, images: 1 }],
      measured_micros: 10_000,
      limit_micros: 10_000,
      charge_micros: 10_000,
      event: {
        version: 4,
        hash: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
        previous_hash: "fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9",
      },
      finding: null,
    },
  ],
  next_cursor: null,
} as const

const finding = v.object({
  code: v.picklist(["item_differs", "not_in_log", "log_damaged", "charge_differs", "not_judged"]),
  message: v.string(),
  expected_micros: described(
    v.nullable(whole),
    "What the task must be charged; null if that can't be told.",
  ),
})

const chargingEvent = v.object({
  version: described(whole, "1, 2, 3… within the task."),
  hash: described(
    v.nullable(v.string()),
    "64 lower-case hexadecimal digits; null of a task with events of an early release, which are not proved to accounts.",
  ),
  previous_hash: described(
    v.nullable(v.string()),
    "Of the task's event before, which the hash covers; null with `hash`.",
  ),
})

const charge = v.object({
  task_id: taskId,
  model: v.string(),
  outcome: described(
    v.nullable(v.picklist(["succeeded", "failed"])),
    "Null if the log does not tell.",
  ),
  ended_at: described(whole, "When the task ended, in Unix seconds: the period it is billed in."),
  usage: described(v.nullable(measuredUsage), "As measured; null if the log does not tell."),
  price_version: described(v.string(), "The prices it was accepted under."),
  price_digest: described(
    v.nullable(v.string()),
    "SHA-256 of the price's definition; null if the version of the price names none.",
  ),
  price: described(
    v.nullable(price),
    "Micro-units of the account's currency; null where no longer known.",
  ),
  lines: described(
    v.array(billedLine),
    "Quantity × unit price × factors of each, added up and rounded up once, are `measured_micros`. Empty for a model " +
      "that has an arithmetic of its own, and where the log does not tell.",
  ),
  measured_micros: described(
    v.nullable(whole),
    "What usage and price make; null if that can't be told.",
  ),
  limit_micros: described(
    v.nullable(whole),
    "What was reserved for the task, and the most that it is charged; null if the log does not tell.",
  ),
  charge_micros: described(whole, "What it was charged: `GET /v1/usage` counts this."),
  event: described(v.nullable(chargingEvent), "The event that charged it; null if there is none."),
  finding: described(
    v.nullable(finding),
    "Why the charge does not follow from the log; null if it does.",
  ),
  proof: v.optional(
    described(
      v.nullable(provenEvent),
      "With `proofs=true`: the event, and that it is under the checkpoint; null if the checkpoint is older, or `event` " +
        "has no hash.",
    ),
  ),
})

export const usageStatement = defineBody("UsageStatement", EXAMPLE, {
  from: described(whole, "Inclusive."),
  to: described(whole, "Exclusive."),
  currency,
  checkpoint: v.optional(
    described(
      v.string(),
      "With `proofs=true`: the signed note that all proofs of this page lead to.",
    ),
  ),
  charges: described(v.array(charge), "By the moment at which tasks ended, then by task."),
  next_cursor: nextCursor,
})

type ChargeBody = Shown<typeof charge>

/** With the proofs of its events: each for the very object that the statement has. */
export interface StatementProofs {
  readonly checkpoint: string
  readonly byEvent: ReadonlyMap<ShownEvent, ProvenEvent | null>
}

/** The events of a statement that its account may know. */
export function listShownEvents({ charges }: StatementPage): readonly ShownEvent[] {
  return charges.flatMap(({ evidence }) => evidence?.event.shown?.event ?? [])
}

/** Without proofs none are shown, also no checkpoint. */
export function toStatementBody(
  { from, to }: Period,
  { charges, next }: StatementPage,
  proofs: StatementProofs | undefined,
): Omit<Shown<typeof usageStatement>, "currency"> {
  return {
    from: toUnixSeconds(from),
    to: toUnixSeconds(to),
    ...(proofs && { checkpoint: proofs.checkpoint }),
    charges: charges.map((each) => toChargeBody(each, proofs)),
    next_cursor: toNextCursor(next && { createdAt: next.at, id: next.task }),
  }
}

function toChargeBody(
  { evidence, finding: found, item }: StatedCharge,
  proofs: StatementProofs | undefined,
): ChargeBody {
  const shown = evidence?.event.shown?.event
  const proof = shown && proofs?.byEvent.get(shown)
  return {
    task_id: item.task,
    model: item.model,
    ended_at: toUnixSeconds(item.at),
    ...(evidence === null ? toUntold(item) : toEvidenceBody(evidence)),
    charge_micros: item.chargeMicros,
    finding: found && toFindingBody(found),
    ...(proofs && { proof: proof ?? null }),
  }
}

type EvidenceBody = Omit<
  ChargeBody,
  "charge_micros" | "ended_at" | "finding" | "model" | "proof" | "task_id"
>

function toUntold({ priceVersion }: StatedCharge["item"]): EvidenceBody {
  return {
    outcome: null,
    usage: null,
    price_version: priceVersion,
    price_digest: null,
    price: null,
    lines: [],
    measured_micros: null,
    limit_micros: null,
    event: null,
  }
}

function toEvidenceBody({ price: named, usage, ...evidence }: ChargeEvidence): EvidenceBody {
  const { event, limitMicros, lines, measuredMicros, outcome } = evidence
  return {
    outcome,
    usage: usage && toMeasuredUsage(usage, billedInputMs(usage.inputVideosMs)),
    price_version: named.version,
    price_digest: named.digest,
    price: named.price && toPriceBody(named.price),
    lines: lines.map(toBilledLine),
    measured_micros: measuredMicros,
    limit_micros: limitMicros,
    event: {
      version: event.version,
      hash: event.shown?.event.hash ?? null,
      previous_hash: event.shown?.previousHash ?? null,
    },
  }
}

type FindingBody = Shown<typeof finding>

const FINDINGS: Readonly<Record<StatedFindingCode, Pick<FindingBody, "code" | "message">>> = {
  "item-differs": {
    code: "item_differs",
    message: "The log makes another item of this charge: its amount, or what was counted.",
  },
  "not-in-log": {
    code: "not_in_log",
    message: "The log does not charge this task to the account at this moment.",
  },
  "log-damaged": {
    code: "log_damaged",
    message: "The task's events are not those that were written, so nothing proves the charge.",
  },
  "charge-differs": {
    code: "charge_differs",
    message: "Usage and price make another charge.",
  },
  "not-judged": {
    code: "not_judged",
    message: "What usage and price make can't be told here.",
  },
}

function toFindingBody({ code, expectedMicros }: StatedFinding): FindingBody {
  return { ...FINDINGS[code], expected_micros: expectedMicros }
}
