/**
 * Accepting a request: checked against its model, defaults applied, what the person wrote put
 * beside the log behind a salted commitment, the price fixed and the end set. Nothing is stored
 * unless everything is right.
 */
import {
  chargeOf,
  currentPrices,
  decide,
  emptyTask,
  findSealedParameters,
  GENESIS_HASH,
  isAccountName,
  isIdempotencyKey,
  MAX_CHARGE_MICROS,
  MAX_HOPS,
  project,
  sealEvents,
  sealParameters,
  type Append,
  type Input,
  type Model,
  type ParameterValues,
  type QueueChange,
  type Rejection,
  type SealedParameters,
  type StreamHead,
  type SubmitRequest,
} from "@safelight/core"
import type { Ports } from "../host/ports.ts"
import { HOPS_INPUT, REQUEST_INPUT } from "../record/request-input.ts"

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
}

/**
 * Checks a request against its model. Sealed parameters are taken as they are only where
 * they were checked by this very model: another of the same id may be stricter.
 */
export function checkRequest(
  ports: Ports,
  request: SubmitRequest,
): Checked | { readonly kind: "rejected"; readonly rejection: Rejection } {
  const { hops = 0 } = request
  const rejection = findBadName(request) ?? findBadHops(hops)
  if (rejection !== undefined) return { kind: "rejected", rejection }
  const model = ports.models.get(request.model)
  if (model === undefined) {
    return { kind: "rejected", rejection: { code: "model-not-found", model: request.model } }
  }
  const sealed = findSealedParameters(request, model)
  if (sealed !== undefined) {
    return {
      kind: "checked",
      model,
      parameters: request.parameters as ParameterValues,
      sealed,
      hops,
    }
  }
  const check = model.check(request.parameters)
  if (check.kind === "valid") {
    return { kind: "checked", model, parameters: check.parameters, sealed: undefined, hops }
  }
  return { kind: "rejected", rejection: { code: "invalid-parameters", issues: check.issues } }
}

/** What a front end has checked before, a host may not have: events and rows hold both for good. */
function findBadName({ account, idempotency }: SubmitRequest): Rejection | undefined {
  if (!isAccountName(account)) return { code: "invalid-account" }
  if (idempotency === undefined || isIdempotencyKey(idempotency)) return undefined
  return { code: "invalid-idempotency-key" }
}

/** The append that makes a checked request a task at `place`: in line, or with this process already. */
export function prepareSubmission(
  ports: Ports,
  account: string,
  { hops, model, parameters, sealed }: Checked,
  place: Pick<Extract<QueueChange, { kind: "enqueue" }>, "lease" | "startTag">,
): Prepared {
  const now = ports.clock.now()
  const id = ports.identifiers.createTaskId(now)
  const { body, commitment, salt } =
    sealed ?? sealParameters(ports.digest, ports.identifiers.createSalt(), parameters)
  const endBy = now + ports.settings.endAfterMs
  const submitted = {
    account,
    commitment,
    endBy,
    maxAttempts: ports.settings.maxAttempts,
    model: model.id,
    parameters: model.toLogged(parameters),
    ...reserve(ports, model, parameters),
  }
  const decision = decide(emptyTask(id), { kind: "submit", submitted }, now)
  if (decision.kind === "rejected") throw new TypeError("a new task takes its submission")
  const { task, event } = decision
  const events = sealEvents(ports.digest, { task: id, version: 0, hash: GENESIS_HASH }, [event])
  const hash = events[0]?.hash ?? GENESIS_HASH
  const append: Append = {
    task: id,
    expectedVersion: 0,
    events,
    changes: project(task, hash, [event]),
    inputs: [{ task: id, name: REQUEST_INPUT, salt, body }, ...toHopsInput(ports, id, hops)],
    queue: { kind: "enqueue", dueAt: now, endBy, ...place },
  }
  return { append, head: { task, hash } }
}

function findBadHops(hops: number): Rejection | undefined {
  const isWithin = Number.isInteger(hops) && hops >= 0 && hops <= MAX_HOPS
  return isWithin ? undefined : { code: "too-many-hops" }
}

function toHopsInput({ identifiers }: Ports, task: string, hops: number): Input[] {
  if (hops === 0) return []
  return [{ task, name: HOPS_INPUT, salt: identifiers.createSalt(), body: String(hops) }]
}

function reserve(
  ports: Ports,
  model: Model,
  parameters: ParameterValues,
): { priceVersion: string; reservationMicros: number } {
  const { version } = currentPrices(ports.prices)
  const reservationMicros = chargeOf(model, ports.prices, version, model.estimate(parameters))
  if (reservationMicros >= MAX_CHARGE_MICROS) {
    throw new RangeError(`a task of ${model.id} costs more than a task may`)
  }
  return { priceVersion: version, reservationMicros }
}
