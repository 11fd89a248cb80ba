/**
 * An account's bill as one JSON object, with a line for each charge. The object ends with its sums, so that a bill that
 * was cut off is no JSON. A price is given with the definition that its digest is of.
 */
import { describeFinding, type BilledCharge, type Finding } from "@safelight/audit"
import type { QuoteLine, Usage } from "@safelight/core"
import type { ProvenCharge } from "../proofs/charge-proofs.ts"
import type { Bill, BillForm } from "../audits/run-bill.ts"

export function createBillJson(
  { account, from, isOver, month, to }: Bill,
  currency: string | undefined,
): BillForm {
  let separator = "\n"
  return {
    begin(checkpoint) {
      const head = { account, month, from_at_ms: from, to_at_ms: to, is_over: isOver }
      const text = JSON.stringify({ ...head, currency: currency ?? null, checkpoint })
      return `${text.slice(0, -1)},"charges":[`
    },
    addCharge(charge, proof) {
      const record = { ...toRecord(charge), ...(proof !== undefined && toProof(charge, proof)) }
      const line = `${separator}${JSON.stringify(record)}`
      separator = ",\n"
      return line
    },
    end({ findingCount, findings, ...report }) {
      const text = JSON.stringify({
        charge_count: report.charges,
        untold_charges: report.untoldCharges,
        billed_micros: report.billedMicros,
        charge_micros: report.chargeMicros,
        recomputed_micros: report.recomputedMicros,
        outcome: report.outcome,
        findings: findings.map(toFinding),
        finding_count: findingCount,
      })
      return `\n],${text.slice(1)}\n`
    },
  }
}

function toRecord({ finding, lines, model, price, usage, ...charge }: BilledCharge): object {
  return {
    task: charge.task,
    model,
    outcome: charge.outcome,
    ended_at_ms: charge.endedAt,
    usage: usage && toUsage(usage),
    parameters: charge.parameters,
    price: {
      version: price.version,
      digest: price.digest,
      definition: price.price && { model, price: price.price, priceVersion: price.version },
    },
    lines: lines.map(toLine),
    measured_micros: charge.measuredMicros,
    limit_micros: charge.limitMicros,
    recomputed_micros: charge.recomputedMicros,
    charge_micros: charge.chargeMicros,
    event: charge.event,
    finding: finding && toFinding(finding),
  }
}

/** As a page of `GET /v1/usage/statement?proofs=true` has them. */
function toProof({ event }: BilledCharge, proof: ProvenCharge | null): object {
  const previous = proof === null ? null : proof.previousHash
  return { event: { ...event, previous_hash: previous }, proof: proof && proof.event }
}

function toUsage(usage: Usage): object {
  return {
    images: usage.images,
    input_videos_ms: usage.inputVideosMs,
    output_video_ms: usage.outputVideoMs,
    output_audio_ms: usage.outputAudioMs ?? 0,
    characters: usage.characters ?? 0,
    tokens: usage.tokens ?? 0,
  }
}

function toLine({ factors = [], item, quantity, unitPriceMicros }: QuoteLine): object {
  return { item, quantity, unit_price_micros: unitPriceMicros, factors }
}

function toFinding(finding: Finding): object {
  return { ...finding, words: describeFinding(finding) }
}
