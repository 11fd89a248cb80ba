/**
 * What must hold after every schedule, whatever happened. What a reader would get wrong: one purchase
 * is the most there may be for a task, however many attempts it had, since another attempt needs
 * proof that the one before created nothing.
 */
import { fold, isTerminal } from "@safelight/core"
import { PRICE_MICROS } from "./answers.ts"
import { listPurchases } from "./upstream.ts"
import type { Operation, World } from "./world.ts"

export type HarmKind =
  /** More than one operation was bought, not counting those that were told to have produced nothing. */
  | "bought-twice"
  /** There was time, and what was bought was not adopted. */
  | "dropped"
  /** The task has not ended; or there was time, nothing was bought, and it failed. */
  | "stranded"
  /** The log is not what the machine allows, or not what the task is. */
  | "illegal"
  /** The charge is not that of one success, or of none. */
  | "mischarged"
  /** What was bought was told to a process that lives, and is neither in the log nor in a log line. */
  | "unnamed"

export interface Harm {
  readonly kind: HarmKind
  readonly words: string
}

/** The first harm found in a world that was drained; undefined where there is none. */
export function findHarm(world: World): Harm | undefined {
  return findPurchaseHarm(world) ?? findLogHarm(world) ?? findEndHarm(world) ?? findNameHarm(world)
}

function findNameHarm(world: World): Harm | undefined {
  const { named, storage, told } = world
  const written = JSON.stringify(storage.events)
  const purchases = new Set(listPurchases(world).map(({ id }) => id))
  const lost = told.filter(
    ({ operation }) =>
      purchases.has(operation) && !named.has(operation) && !written.includes(`"${operation}"`),
  )
  if (lost.length === 0) return undefined
  return { kind: "unnamed", words: lost.map((each) => Object.values(each).join(" of ")).join(", ") }
}

function findPurchaseHarm(world: World): Harm | undefined {
  const purchases = listPurchases(world)
  // What is asked for under a key whose intent was lost nobody may know of; whoever does buys nothing.
  const remembered = purchases.filter(({ key }) => !world.upstream.forgottenKeys.has(key))
  if (remembered.length <= 1 && world.boughtKnowingly.length === 0) return undefined
  const keys = purchases.map(({ key, boughtAt }) => `${key} at ${boughtAt}`)
  return { kind: "bought-twice", words: keys.join(", ") }
}

function findLogHarm(world: World): Harm | undefined {
  const { events, head } = world.storage
  const words = events.map(({ type }) => type).join(" ")
  try {
    const folded = fold(head.id, events)
    if (JSON.stringify(folded) !== JSON.stringify(head)) return { kind: "illegal", words }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return { kind: "illegal", words: error.message }
  }
  const successes = events.filter(({ type }) => type === "succeeded").length
  const isBought = listPurchases(world).some(({ id }) => id === head.operation)
  const isCharged = head.chargeMicros === successes * PRICE_MICROS
  const isRight = isCharged && successes <= 1 && (successes === 0 || isBought)
  return isRight ? undefined : { kind: "mischarged", words }
}

function findEndHarm(world: World): Harm | undefined {
  const { setup, storage } = world
  const { head, events } = storage
  const words = events.map(({ type }) => type).join(" ")
  if (!isTerminal(head)) return { kind: "stranded", words }
  // Where time is short a task may end before what was bought is found.
  if (!setup.isRoomy || head.state !== "failed") return undefined
  const purchases = listPurchases(world)
  if (mayBeLost(world, purchases)) return undefined
  return { kind: purchases.length > 0 ? "dropped" : "stranded", words }
}

/** Where as many came to nothing as a task may have; where nobody who is there was told of it; or the storage lost too much to go on, and a log says so. */
function mayBeLost(world: World, purchases: readonly Operation[]): boolean {
  const { heard, named, setup, storage } = world
  const { maxAttempts, spentAttempts } = storage.head
  if (purchases.length === 0 && spentAttempts >= maxAttempts) return true
  const isHeard = heard.some(({ operation }) => purchases.some(({ id }) => id === operation))
  const isUnknown = storage.head.error?.code === "upstream_outcome_unknown"
  if (setup.channel === "unkeyed" && isUnknown && !isHeard) return true
  const isLost = storage.hasGoneBack && purchases.length > 0
  return isLost && purchases.every(({ id }) => named.has(id))
}
