/**
 * A request in fal's queue. Its outcome is decided when it is submitted, so that a test that turns a fault off
 * again knows which requests it struck.
 */
import { isObject, type StubCall } from "../frame/stub-call.ts"
import type { StubContext } from "../frame/stub-definition.ts"
import type { StubJob, StubJobs } from "../frame/stub-jobs.ts"
import { CANCELLED, FAL_FAILURES, START_TIMEOUT, type FalFailure } from "./fal-failures.ts"
import { createOutput, type FalOutput } from "./fal-outputs.ts"
import type { FalSigner } from "./fal-signature.ts"

export interface FalOrderData {
  readonly endpoint: string
  readonly input: Readonly<Record<string, unknown>>
  readonly webhookUrl: string | null
  /** Whether its input and output are kept for the list. */
  readonly isStored: boolean
  readonly failure: FalFailure | null
  readonly lifetimeMs: number
  /** Of its webhook: sent without the payload, under another gateway ID, signed with a new key. */
  readonly losesPayload: boolean
  readonly isRetried: boolean
  readonly rotatesKey: boolean
}

export type FalJob = StubJob<FalOrderData>

export interface FalState {
  readonly context: StubContext
  readonly signer: FalSigner
  readonly jobs: StubJobs<FalOrderData>
}

/** `owner/app`; the namespaces `workflows` and `comfy` stand before them. */
export function toApp(endpoint: string): string {
  const parts = endpoint.split("/")
  return parts.slice(0, parts[0] === "workflows" || parts[0] === "comfy" ? 3 : 2).join("/")
}

export function readOrder(call: StubCall, context: StubContext): FalOrderData {
  const startTimeoutMs = Number(call.headers["x-fal-request-timeout"] ?? Infinity) * 1_000
  const fault = Object.keys(FAL_FAILURES).find((name) => context.strikes(name))
  const failure = fault === undefined ? null : (FAL_FAILURES[fault] ?? null)
  return {
    endpoint: call.params["endpoint"] ?? "",
    input: call.fields(),
    webhookUrl: call.query.get("fal_webhook"),
    isStored: call.headers["x-fal-store-io"] !== "0",
    failure: context.queueMs > startTimeoutMs ? START_TIMEOUT : failure,
    lifetimeMs: readLifetime(call.headers["x-fal-object-lifecycle-preference"]),
    losesPayload: context.strikes("payload-error"),
    isRetried: context.strikes("retried"),
    rotatesKey: context.strikes("rotated-key"),
  }
}

/** The outcome of a finished job; null for any other. */
export function outcomeOf({ jobs, context }: FalState, job: FalJob): FalOutput | FalFailure | null {
  const phase = jobs.phaseOf(job)
  if (phase === "cancelled") return CANCELLED
  if (phase !== "finished") return null
  const { failure, lifetimeMs } = job.data
  const filesExpireAt = job.endAt + lifetimeMs
  return failure ?? createOutput({ ...job.data, id: job.id, filesExpireAt }, context.files)
}

export function isOutput(outcome: FalOutput | FalFailure): outcome is FalOutput {
  return "billableUnits" in outcome
}

function readLifetime(header: string | string[] | undefined): number {
  const preference: unknown = typeof header === "string" ? JSON.parse(header) : {}
  const seconds = isObject(preference) ? preference["expiration_duration_seconds"] : undefined
  return typeof seconds === "number" ? seconds * 1_000 : Infinity
}
