/**
 * The channel's other side, which remembers what was bought. What a reader would get wrong: only a
 * keyed upstream makes one of two requests, and only while it remembers the key; for every other
 * each request that arrives is a purchase.
 */
import type { Task } from "@safelight/core"
import { ROOMY, TIGHT, toDeclaredKeyTtlMs } from "./timing.ts"
import { has, type Message, type MessageBody, type Operation, type World } from "./world.ts"

type Submit = Extract<MessageBody, { kind: "submit" }>

export function keyMemoryMs({ setup }: World): number {
  return (setup.isRoomy ? ROOMY : TIGHT).keyMemoryMs
}

/** What the channel declares as its `keyTtlMs`. */
export function keyTtlMs(world: World): number {
  const memoryMs = keyMemoryMs(world)
  return has(world, "key-lifetime-with-margin") ? toDeclaredKeyTtlMs(memoryMs) : memoryMs
}

/**
 * A request arrives. `isRefused`: the upstream is busy and creates nothing. What the first copy of a
 * request meets with is the answer to every copy: without that no answer would prove anything.
 */
export function receiveSubmit(
  world: World,
  request: Submit,
  isRefused: boolean,
): Message | undefined {
  const { absence, metCalls } = world.upstream
  const isRefusedCall = metCalls.get(request.call) ?? (isRefused || absence === "refusing")
  metCalls.set(request.call, isRefusedCall)
  const operation = isRefusedCall ? null : toOperation(world, request)
  if (absence === "cutting") return undefined
  return {
    body: { kind: "answered", call: request.call, operation },
    lostAt: Infinity,
    process: request.by,
  }
}

function toOperation(world: World, { by, key }: Submit): string {
  const { operations } = world.upstream
  const isKeyed = world.setup.channel === "keyed"
  const known = operations.findLast((each) => each.key === key)
  if (isKeyed && known !== undefined && world.nowMs < known.boughtAt + keyMemoryMs(world)) {
    return known.id
  }
  const id = `operation-${operations.length + 1}`
  if (listPurchases(world).some((each) => isKnown(world, each, { by, key }))) {
    world.boughtKnowingly.push(id)
  }
  operations.push({
    id,
    key,
    boughtAt: world.nowMs,
    isVoid: false,
    isEndTold: false,
    knowers: new Set(),
  })
  return id
}

/**
 * Whether the process that asks knew of a purchase whose record was lost, and could have seen to it
 * that nothing else is bought: nobody else's attempt under its key was written down and given up.
 */
function isKnown(
  { storage }: World,
  { key, knowers }: Operation,
  asked: Pick<Submit, "by" | "key">,
): boolean {
  if (!knowers.has(asked.by)) return false
  const keys = storage.events.flatMap((event) =>
    event.type === "dispatched" ? [event.data.upstreamKey] : [],
  )
  return key === asked.key || !keys.includes(key)
}

/** All of which one is the most: what was told to have produced nothing may be followed by another. */
export function listPurchases({ upstream }: World): readonly Operation[] {
  return upstream.operations.filter(({ isEndTold, isVoid }) => !isVoid || !isEndTold)
}

/** A process hears how an operation ended: whether it is void. */
export function tellEnd({ upstream }: World, id: Task["operation"]): boolean {
  const operation = upstream.operations.find((each) => each.id === id)
  if (operation === undefined) throw new RangeError("nobody created what is polled")
  operation.isEndTold = true
  return operation.isVoid
}

/** Whether the key exists: the operation under it, or null. */
export function findOperation({ upstream }: World, key: string): string | null {
  return upstream.operations.find((each) => each.key === key)?.id ?? null
}
