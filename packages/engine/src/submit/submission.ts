/**
 * Accepting a request: checked against its model, defaults applied, what the person wrote put
 * beside the log behind a salted commitment, the price fixed and the end set. Nothing is stored
 * unless everything is right.
 */
import {
  decide,
  emptyTask,
  findLabelFault,
  findSealedParameters,
  GENESIS_HASH,
  isAccountName,
  isIdempotencyKey,
  MAX_HOPS,
  project,
  sealEvents,
  sealParameters,
  type Append,
  type Input,
  type Model,
  type ParameterCheck,
  type ParameterIssue,
  type ParameterValues,
  type QueueChange,
  type Rejection,
  type SealedParameters,
  type StreamHead,
  type SubmitRequest,
  REQUEST_INPUT,
} from "@safelight/core"
import type { Context } from "../host/context.ts"
import type { Ports } from "../host/ports.ts"
import { HOPS_INPUT } from "../record/request-input.ts"
import { toReservation, type Reservation } from "./reservation.ts"
import { toTraceInput } from "../record/trace-input.ts"

export interface Prepared {
  readonly append: Append
  readonly head: StreamHead
}

export interface Checked {
  readonly kind: "checked"
  readonly model: Model
  readonly parameters: ParameterValues
  /** Where the caller has checked and sealed the parameters itself. */
  readonly sealed: SealedParameters | undefined
  readonly hops: number
  readonly reservation: Reservation
}

export interface Rejected {
  readonly kind: "rejected"
  readonly rejection: Rejection
}

/**
 * Checks a request against its model and the channels, and prices it. Sealed parameters are taken as they
 * are only where they were checked by this very model: another of the same id may be stricter.
 */
export function checkRequest(context: Context, request: SubmitRequest): Checked | Rejected {
  const { hops = 0 } = request
  const rejection = findBadName(request) ?? findBadHops(hops) ?? findBadLabels(request)
  if (rejection !== undefined) return { kind: "rejected", rejection }
  const model = context.models.get(request.model)
  if (model === undefined) {
    return { kind: "rejected", rejection: { code: "model-not-found", model: request.model } }
  }
  const sealed = findSealedParameters(request, model)
  const check: ParameterCheck =
    sealed === undefined
      ? model.check(request.parameters)
      : { kind: "valid", parameters: request.parameters as ParameterValues }
  const issues = check.kind === "invalid" ? check.issues : findRefusals(context, model, check)
  if (check.kind === "invalid" || issues.length > 0) {
    return { kind: "rejected", rejection: { code: "invalid-parameters", issues } }
  }
  const { parameters } = check
  const reservation = toReservation(context, model, parameters)
  return { kind: "checked", model, parameters, sealed, hops, reservation }
}

/** A request that no channel can express would wait for nothing. */
function findRefusals(
  { routing }: Context,
  { id }: Model,
  { parameters }: Pick<Checked, "parameters">,
): readonly ParameterIssue[] {
  const refusals = routing.findRefusals({ model: id, parameters })
  return refusals.map(({ ineligible: { param: name, reason } }) => {
    const param = name === undefined ? "model" : `parameters.${name}`
    return { param, code: "invalid_value", message: `${param}: ${reason}.` }
  })
}

/** What a front end has checked before, a host may not have: events and rows hold both for good. */
function findBadName({ account, idempotency }: SubmitRequest): Rejection | undefined {
  if (!isAccountName(account)) return { code: "invalid-account" }
  if (idempotency === undefined || isIdempotencyKey(idempotency)) return undefined
  return { code: "invalid-idempotency-key" }
}

/** Where a new task stands: in line, or with this process already. */
export type NewPlace = Pick<
  Extract<QueueChange, { kind: "enqueue" }>,
  "lease" | "pool" | "startTag"
>

export interface Placed extends NewPlace {
  /** Of the model, kept. */
  readonly definition: string | undefined
}

/** The append that makes a checked request a task. */
export function prepareSubmission(
  ports: Ports,
  { account, labels }: Pick<SubmitRequest, "account" | "labels">,
  { hops, model, parameters, reservation, sealed }: Checked,
  { definition, ...place }: Placed,
): Prepared {
  const now = ports.clock.now()
  const id = ports.identifiers.createTaskId(now)
  const { body, commitment, salt } =
    sealed ?? sealParameters(ports.digest, ports.identifiers.createSalt(), parameters)
  const endBy = now + ports.settings.endAfterMs
  const submitted = {
    account,
    commitment,
    ...(definition !== undefined && { definition }),
    endBy,
    maxAttempts: ports.settings.maxAttempts,
    model: model.id,
    parameters: reservation.logged,
    priceVersion: reservation.priceVersion,
    reservationMicros: reservation.reservationMicros,
  }
  const decision = decide(emptyTask(id), { kind: "submit", submitted }, now)
  if (decision.kind === "rejected") throw new TypeError("a new task takes its submission")
  const { task, event } = decision
  const sealer = { digest: ports.digest, createSalt: ports.identifiers.createEventSalt }
  const events = sealEvents(sealer, { task: id, version: 0, hash: GENESIS_HASH }, [event])
  const hash = events[0]?.hash ?? GENESIS_HASH
  const append: Append = {
    task: id,
    expectedVersion: 0,
    events,
    changes: project(task, hash, [event]),
    state: task,
    inputs: [
      { task: id, name: REQUEST_INPUT, salt, body },
      ...toHopsInput(ports, id, hops),
      ...toTraceInput(ports, id),
    ],
    ...(labels && { labels }),
    queue: { kind: "enqueue", dueAt: now, endBy, ...place },
  }
  return { append, head: { task, hash } }
}

function findBadHops(hops: number): Rejection | undefined {
  const isWithin = Number.isInteger(hops) && hops >= 0 && hops <= MAX_HOPS
  return isWithin ? undefined : { code: "too-many-hops" }
}

function findBadLabels({ labels }: SubmitRequest): Rejection | undefined {
  const fault = labels === undefined ? undefined : findLabelFault(labels)
  return fault === undefined ? undefined : { code: "invalid-labels", fault }
}

function toHopsInput({ identifiers }: Ports, task: string, hops: number): Input[] {
  if (hops === 0) return []
  return [{ task, name: HOPS_INPUT, salt: identifiers.createSalt(), body: String(hops) }]
}
