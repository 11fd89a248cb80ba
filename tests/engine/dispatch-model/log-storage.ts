/**
 * The storage that all nodes share: the task's log, its place in the queue, the leases. What a reader
 * would get wrong: a request that is under way is carried out whenever it arrives, also long after
 * its sender has given it up or died; the version is all that stands against it.
 */
import { decide, type Task, type TaskCommand, type TaskEvent } from "@safelight/core"
import { has, type Append, type Message, type MessageBody, type World } from "./world.ts"

type Body<Kind extends MessageBody["kind"]> = Extract<MessageBody, { kind: Kind }>

export function answer(process: string, body: MessageBody): Message {
  return { body, lostAt: Infinity, process }
}

/** Carries out an append, once however often it arrives. */
export function receiveAppend(world: World, { append, by, driver }: Body<"append">): Message {
  const { storage } = world
  const isOurs = storage.writers.get(append.expectedVersion + 1) === append.id
  const isStored = isOurs || store(world, append)
  const conflict: Task | null = isStored ? null : storage.head
  return answer(by, { kind: "appended", driver, id: append.id, conflict })
}

/** False where the task is not as the append expects it. */
function store(world: World, append: Append): boolean {
  const { storage } = world
  if (has(world, "version-fence") && storage.head.version !== append.expectedVersion) return false
  const isFenced = has(world, "history-fence") && storage.hasGoneBack
  if (isFenced && JSON.stringify(storage.head) !== append.expectedHash) return false
  // Always the append's own events where the fence stands: its task is the one they were decided on.
  const { events, task } = decideAll(storage.head, append.commands, append.at)
  if (events.length === 0) return false
  remember(world)
  storage.writers.set(storage.head.version + 1, append.id)
  storage.head = task
  storage.events.push(...events)
  if (append.queue?.kind === "finish") Object.assign(storage.ready, { isDone: true, lease: null })
  if (append.queue?.kind === "reschedule") {
    Object.assign(storage.ready, { lease: null, dueAt: append.queue.dueAt })
  }
  return true
}

/** Decides commands one upon the other; what the task no longer takes is left out. */
export function decideAll(
  before: Task,
  commands: readonly TaskCommand[],
  now: number,
): { readonly task: Task; readonly events: readonly TaskEvent[] } {
  const events: TaskEvent[] = []
  let task = before
  for (const command of commands) {
    const decision = decide(task, command, now)
    if (decision.kind === "rejected") continue
    events.push(decision.event)
    task = decision.task
  }
  return { task, events }
}

/** Commits that may be lost at once. */
export const MOST_LOST = 4

/** Before a commit: what the storage would be without it. */
export function remember({ setup, storage }: World): void {
  if (!setup.faults.includes("go-back") || storage.hasGoneBack) return
  const { events, head, leases, ready, writers } = storage
  storage.earlier.push({
    head,
    events: [...events],
    ready: { ...ready },
    writers: new Map(writers),
    leases: new Map(leases),
  })
  if (storage.earlier.length > MOST_LOST) storage.earlier.shift()
}

/** Registers a lease or renews it, unless it is known by as many heartbeats; tells what is held, and all leases. */
export function receiveHeartbeat(world: World, request: Body<"heartbeat">): Message {
  const { leases, ready } = world.storage
  const { by, id, wallAt } = request
  const known = leases.get(by)?.beats ?? 0
  const beats = has(world, "beats-never-again") ? request.beats : known + 1
  if (beats > known) leases.set(by, { beats, wallAt })
  const listed = [...leases].map(([lease, row]) => ({ lease, ...row }))
  const holder = ready.lease
  if (holder !== null && !leases.has(holder)) listed.push({ lease: holder, beats: 0, wallAt: 0 })
  return answer(by, { kind: "renewed", id, isHeld: holder === by, leases: listed })
}

/** Holds the task under the lease, registered or not, if nobody has it. */
export function receiveTake(world: World, { by, id }: Body<"take">): Message | undefined {
  const { head, ready } = world.storage
  if (ready.isDone || ready.lease !== null) return undefined
  remember(world)
  ready.lease = by
  return answer(by, { kind: "taken", id, head })
}

/** Ends a lease, if its heartbeats still are what they were. */
export function expire(world: World, lease: string, beats: number): void {
  const { leases, ready } = world.storage
  if (has(world, "expire-by-beats") && (leases.get(lease)?.beats ?? 0) !== beats) return
  remember(world)
  leases.delete(lease)
  if (ready.lease === lease) ready.lease = null
}

/** Gives the task up, if it is held under the lease. */
export function release(world: World, lease: string, dueAt: number): void {
  const { ready } = world.storage
  if (ready.lease !== lease) return
  remember(world)
  Object.assign(ready, { lease: null, dueAt })
}
