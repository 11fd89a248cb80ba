/** Places in the queue to test storages with, and calls on it as short to write as they are to say. */
import type {
  LeaseFacts,
  PeekRequest,
  QueueChange,
  QueuePeek,
  Storage,
  Taken,
  TakeRequest,
} from "@safelight/core"
import { submitSample, type SampleAppend } from "./sample-task.ts"
import { ENQUEUE, MODELS } from "./storage-fixture.ts"

/** Where a new task stands; by default it is free from 1,000 on, of `model-a`, without a start tag. */
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

/** Takes up to 10 tasks of every model at 1,000, for `lease`. */
export function take(
  storage: Storage,
  request: Partial<TakeRequest> = {},
): Promise<readonly Taken[]> {
  return storage.take({ models: MODELS, now: 1_000, limit: 10, lease: "lease", ...request })
}

/** The next tasks of every model, and how many may be taken at 1,000, up to 10. */
export function peek(storage: Storage, request: Partial<PeekRequest> = {}): Promise<QueuePeek> {
  return storage.peekQueue({ models: MODELS, now: 1_000, most: 10, ...request })
}

export const FACTS: LeaseFacts = {
  channels: ["fal", "ark"],
  leftAlone: [],
  isAble: true,
  excess: { "channel:fal": 2 },
  membership: "abc",
  round: 3,
}

/** A heartbeat; resolves to the tasks that the lease holds. */
export async function sendHeartbeat(
  storage: Storage,
  lease: string,
  heartbeats: number,
): Promise<readonly string[]> {
  return (await storage.heartbeat({ lease, heartbeats, facts: FACTS })).held
}

/** The heartbeats of a lease, or undefined if the storage knows of none. */
export async function findHeartbeats(storage: Storage, lease: string): Promise<number | undefined> {
  return (await storage.listLeases()).find((each) => each.lease === lease)?.heartbeats
}

/** The tasks that a lease holds, by its next heartbeat. */
export async function findHeld(storage: Storage, lease: string): Promise<readonly string[]> {
  return sendHeartbeat(storage, lease, ((await findHeartbeats(storage, lease)) ?? 0) + 1)
}
