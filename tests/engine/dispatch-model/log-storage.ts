/**
 * The storage that all nodes share: the task's log, its place in the queue, the claims. What a reader
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
  if (append.queue?.kind === "finish") Object.assign(storage.ready, { isDone: true, claim: null })
  if (append.queue?.kind === "reschedule") {
    Object.assign(storage.ready, { claim: null, dueAt: append.queue.dueAt })
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
  const { claims, events, head, lastBeats, ready, writers } = storage
  storage.earlier.push({
    head,
    lastBeats,
    events: [...events],
    ready: { ...ready },
    writers: new Map(writers),
    claims: new Map(claims),
  })
  if (storage.earlier.length > MOST_LOST) storage.earlier.shift()
}

/** Raises a claim's beats, and tells whether it still holds the task. */
export function receiveRenew(world: World, request: Body<"renew">): Message {
  const { claims, ready } = world.storage
  const { by, claim, askedAt, drivers, wallAt } = request
  world.storage.lastBeats += 1
  const beats = has(world, "beats-never-again")
    ? world.storage.lastBeats
    : (claims.get(claim)?.beats ?? 0) + 1
  claims.set(claim, { beats, wallAt })
  const isKept = ready.claim === claim
  return answer(by, { kind: "renewed", claim, askedAt, drivers, isKept })
}

export function receiveList(world: World, { by, askedAt }: Body<"list">): Message {
  const { claims: rows, ready } = world.storage
  const claims = [...rows].map(([claim, row]) => ({ claim, ...row }))
  const holder = ready.claim
  if (holder !== null && !rows.has(holder)) claims.push({ claim: holder, beats: 0, wallAt: 0 })
  return answer(by, { kind: "listed", askedAt, claims })
}

/** Ends a claim, if its beats still are what they were. */
export function voidClaim(world: World, claim: string, beats: number): void {
  const { claims, ready } = world.storage
  if (has(world, "void-by-beats") && (claims.get(claim)?.beats ?? 0) !== beats) return
  remember(world)
  claims.delete(claim)
  if (ready.claim === claim) ready.claim = null
}

/** Gives the task up, if the claim has it. */
export function release(world: World, claim: string, dueAt: number): void {
  const { ready } = world.storage
  if (ready.claim !== claim) return
  remember(world)
  Object.assign(ready, { claim: null, dueAt })
}
