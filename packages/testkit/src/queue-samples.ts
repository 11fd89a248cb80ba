/** Places in the queue to test storages with, and calls on it as short to write as they are to say. */
import type {
  Claimed,
  ClaimRequest,
  PeekRequest,
  QueueChange,
  QueuePeek,
  Storage,
} from "@safelight/core"
import { submitSample, type SampleAppend } from "./sample-task.ts"
import { ENQUEUE, MODELS } from "./storage-fixture.ts"

/** Where a new task stands; by default it is free from 1,000 on, of `model-a`, without a turn. */
export interface SamplePlace extends Partial<Extract<QueueChange, { kind: "enqueue" }>> {
  readonly account?: string
  readonly model?: string
}

/** Appends a new task that stands in the queue. */
export async function enqueue(
  storage: Storage,
  id: string,
  { account = "account", model = MODELS[0], ...place }: SamplePlace = {},
): Promise<SampleAppend> {
  const queue: QueueChange = { ...ENQUEUE, ...place }
  const sample = submitSample({ id, submitted: { account, model }, queue })
  await storage.append(sample.append)
  return sample
}

/** Claims up to 10 tasks of every model at 1,000, for `claim`. */
export function claim(
  storage: Storage,
  request: Partial<ClaimRequest> = {},
): Promise<readonly Claimed[]> {
  return storage.claim({ models: MODELS, now: 1_000, limit: 10, claim: "claim", ...request })
}

/** What comes next of every model, and how many may be claimed at 1,000, up to 10. */
export function peek(storage: Storage, request: Partial<PeekRequest> = {}): Promise<QueuePeek> {
  return storage.peekQueue({ models: MODELS, now: 1_000, most: 10, ...request })
}

/** Which of `t` and `u` a claim still holds. */
export function renew(storage: Storage, holder: string): Promise<readonly string[]> {
  return storage.renew({ claim: holder, tasks: ["t", "u", "unknown"] })
}

/** How often a claim was renewed, or undefined where the storage knows of none. */
export async function findBeats(storage: Storage, holder: string): Promise<number | undefined> {
  const claims = await storage.listClaims()
  return claims.find(({ claim: name }) => name === holder)?.beats
}
