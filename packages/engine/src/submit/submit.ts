/**
 * Submitting: a request is checked, admitted by the storage in one commit with its idempotency key,
 * and handed to a channel of this process where one is free. What is refused or replayed leaves no
 * trace: nothing is dispatched for it, and its permits are released.
 */
import {
  isSafelightError,
  SafelightError,
  traceCall,
  type Admission,
  type IdempotencyKey,
  type IdempotentTask,
  type Rejection,
  type SpanAttributes,
  type StreamHead,
  type SubmitRequest,
  type SubmitResult,
  type Task,
} from "@safelight/core"
import type { Context } from "../host/context.ts"
import type { Dispatcher } from "../scheduling/dispatcher.ts"
import type { Availability } from "../scheduling/availability.ts"
import type { Offer } from "../scheduling/reservations.ts"
import { findCostRefusal } from "./reservation.ts"
import {
  checkRequest,
  prepareSubmission,
  type Checked,
  type NewPlace,
  type Prepared,
} from "./submission.ts"

export type Submit = (request: SubmitRequest) => Promise<SubmitResult>

export interface SubmitParts {
  readonly dispatcher: Dispatcher
  /** Absent if a task that nobody can make now is to wait until somebody can. */
  readonly availability: Pick<Availability, "findReason"> | undefined
}

export function createSubmit(context: Context, { availability, dispatcher }: SubmitParts): Submit {
  /** Accounts with the idempotency keys that are being admitted here right now. */
  const inUse = new Set<string>()

  /** Admits a checked request; where that fails, its permits are released. */
  async function accept(request: SubmitRequest, checked: Checked): Promise<Accepted> {
    const asked = { model: checked.model.id, parameters: checked.parameters }
    const defined = context.taskModels.define(checked.model)
    const definition = typeof defined === "object" ? await defined : defined
    const place = await dispatcher.reserve(asked, request.account)
    const offer = place.kind === "here" ? place.offer : undefined
    try {
      const placed = { definition, ...toNewPlace(place, context.lease.id) }
      const prepared = prepareSubmission(context, request, checked, placed)
      const admission = await admit(context, prepared, request.idempotency)
      if (offer !== undefined && admission.kind !== "admitted") dispatcher.withdraw(offer)
      return { admission, offer, head: prepared.head }
    } catch (error) {
      if (offer !== undefined) dispatcher.withdraw(offer)
      throw error
    }
  }

  async function submit(request: SubmitRequest): Promise<SubmitResult> {
    const { account, idempotency } = request
    const checked = checkRequest(context, request)
    if (checked.kind === "rejected") return checked
    await context.clock.ready()
    const refusal =
      findCostRefusal(request, checked.reservation, context.clock.now()) ??
      (await findUnavailability(availability, checked.model.id))
    const use = idempotency && JSON.stringify([account, idempotency.key])
    if (use !== undefined && inUse.has(use)) return reject({ code: "idempotency-key-in-use" })
    if (use !== undefined) inUse.add(use)
    let accepted: Accepted
    try {
      if (refusal !== undefined) {
        const known = await findKnown(context, request)
        return known === undefined ? reject(refusal) : await replay(context, known, idempotency)
      }
      accepted = await accept(request, checked)
    } finally {
      if (use !== undefined) inUse.delete(use)
    }
    const { admission, head, offer } = accepted
    switch (admission.kind) {
      case "admitted": {
        const done = handOver(dispatcher, offer, head, checked)
        const task = done ? await awaitAnswer(context, head, done) : head.task
        return { kind: "submitted", task, isReplayed: false }
      }
      case "known":
        return replay(context, admission, idempotency)
      case "refused":
        return reject({ code: REFUSALS[admission.limit] })
    }
  }

  return (request) =>
    traceCall(context.tracer, { name: "submit task", kind: "producer" }, async (span) => {
      const result = await submit(request)
      span?.set(toAttributes(result))
      return result
    })
}

function toNewPlace(place: Awaited<ReturnType<Dispatcher["reserve"]>>, lease: string): NewPlace {
  if (place.kind === "here") return { lease, startTag: null }
  const { pool, startTag } = place
  return { lease: null, startTag, ...(pool && { pool }) }
}

/** What a request says of its model may be anything, so only a task's own is recorded. */
function toAttributes(result: SubmitResult): SpanAttributes {
  if (result.kind === "rejected") return { "safelight.outcome": result.rejection.code }
  const { isReplayed, task } = result
  return {
    "safelight.outcome": isReplayed ? "replayed" : "submitted",
    "safelight.task.id": task.id,
    "safelight.model": task.model,
  }
}

async function findUnavailability(
  availability: SubmitParts["availability"],
  model: string,
): Promise<Rejection | undefined> {
  const reason = await availability?.findReason(model)
  return reason && { code: "model-unavailable", model, reason }
}

interface Accepted {
  readonly admission: Admission
  readonly head: StreamHead
  /** Where this process is to carry the task out at once. */
  readonly offer: Offer | undefined
}

const REFUSALS = {
  budget: "budget-exceeded",
  "unfinished-tasks": "too-many-unfinished-tasks",
} as const

function reject(rejection: Rejection): SubmitResult {
  return { kind: "rejected", rejection }
}

/**
 * Has a submission admitted. Where the storage fails and doesn't say that it did nothing, what it
 * holds decides: what is stored counts as admitted and never as refused. If that is unknown
 * either, the outcome is unknown and must not be taken for a refusal (http-decisions §2, §7).
 */
async function admit(
  { storage, probe, tracer }: Context,
  { append, head }: Prepared,
  idempotency: IdempotencyKey | undefined,
): Promise<Admission> {
  const { createdAt, id } = head.task
  await probe("submit:before-append", id)
  let admission: Admission = { kind: "admitted" }
  try {
    const use = idempotency && { ...idempotency, usedAt: createdAt }
    const request = { append, ...(use && { idempotency: use }) }
    admission = await traceCall(tracer, { name: "admit", kind: "client" }, () =>
      storage.admit(request),
    )
  } catch (error) {
    if (!isSafelightError(error) || !error.retryable || error.isUndone) throw error
    const found = await storage.readTask(id).catch((cause: unknown) => {
      const message = "whether the task was accepted is unknown"
      throw new SafelightError({ code: "outcome-unknown", message, cause })
    })
    if (found === undefined) throw error
  }
  if (admission.kind === "admitted") await probe("submit:after-append", id)
  return admission
}

/** A replay is no new purchase, so neither what a new task would cost nor who could make it matters to it. */
async function findKnown(
  { storage }: Context,
  { account, idempotency }: SubmitRequest,
): Promise<IdempotentTask | undefined> {
  if (idempotency === undefined) return undefined
  return storage.findIdempotency({ account, key: idempotency.key })
}

/** The task that an idempotency key stands for, as it is now; or that it stands for another request. */
async function replay(
  { storage }: Context,
  { fingerprint, task: id }: IdempotentTask,
  idempotency: IdempotencyKey | undefined,
): Promise<SubmitResult> {
  if (fingerprint !== idempotency?.fingerprint) return reject({ code: "idempotency-key-reused" })
  const head = await storage.readTask(id)
  if (head === undefined) {
    const message = `an idempotency key stands for task ${id}, which is not there`
    throw new SafelightError({ code: "storage-corrupt", message })
  }
  return { kind: "submitted", task: head.task, isReplayed: true }
}

/** Begins the work here, or leaves it to the queue; resolves to the end of work worth waiting for. */
function handOver(
  dispatcher: Dispatcher,
  offer: Offer | undefined,
  head: StreamHead,
  { parameters }: Checked,
): Promise<void> | undefined {
  if (offer === undefined) {
    dispatcher.wake()
    return undefined
  }
  const done = dispatcher.accept(offer, head, parameters)
  const { model } = head.task
  return offer.permit.channel.answersAtOnce?.({ model, parameters }) === true ? done : undefined
}

/** The task as it stands once its channel answered, where it succeeded within the grace. */
async function awaitAnswer(
  { clock, log, settings, storage }: Context,
  head: StreamHead,
  done: Promise<void>,
): Promise<Task> {
  const over = new AbortController()
  await Promise.race([done, clock.wait(settings.graceMs, over.signal)])
  over.abort("over")
  try {
    const current = await storage.readTask(head.task.id)
    // A 202 says queued or succeeded, nothing between (http-decisions §3).
    if (current?.task.state === "succeeded.available") return current.task
  } catch (error) {
    log.warn({ task: head.task.id, error }, "submitted task not read")
  }
  return head.task
}
