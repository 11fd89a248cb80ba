/**
 * What a process does when the storage went back in time: it writes down again what it knows to have
 * been stored, and names in its log what it bought and nobody will deliver. What a reader would get
 * wrong: whoever had forgotten the task by then, or dies, does neither, and another may buy again.
 */
import { fold, isTerminal, type Task, type TaskCommand } from "@safelight/core"
import { has, tell, type World } from "./world.ts"

/** The commands that bring `found` to where `known` was; none where nothing is lost. */
export function toLost(world: World, known: Task, found: Task): readonly TaskCommand[] {
  const { attempt, dispatch, operation } = known
  if (!has(world, "lost-written-again") || dispatch === null) return []
  if (!isLost(world, known, found)) return []
  const lost: TaskCommand[] = []
  if (found.state === "queued" && found.attempt + 1 === attempt) {
    const { because, channel, lease, sendBefore, upstreamKey } = dispatch
    lost.push({ kind: "dispatch", because, channel, lease, sendBefore, upstreamKey })
  }
  if (operation !== null) {
    lost.push({ kind: "accept", operation, upstreamKey: dispatch.upstreamKey })
  }
  return lost
}

/** The storage no longer has a task that was read from it, or stored: its log names the purchase. */
export function nameLost(world: World, known: Task, found: Task): void {
  if (isLost(world, known, found)) name(world, known.operation)
}

function isLost(world: World, known: Task, found: Task): boolean {
  const { events, hasGoneBack } = world.storage
  if (!hasGoneBack) return false
  if (found.version < known.version) return true
  const then = fold(known.id, events.slice(0, known.version))
  return has(world, "loss-by-history") && JSON.stringify(then) !== JSON.stringify(known)
}

/** A purchase that its task does not take. */
export function nameRefused(
  world: World,
  known: Task,
  found: Task,
  commands: readonly TaskCommand[],
): void {
  const paid = commands.find(({ kind }) => kind === "accept" || kind === "succeed")
  if (paid === undefined) return
  const operation = paid.kind === "accept" ? paid.operation : known.operation
  const isKnown = found.operation === operation && found.state !== "failed"
  if (!isKnown || isTerminal(found)) name(world, operation)
}

function name(world: World, operation: Task["operation"]): void {
  if (typeof operation !== "string" || !has(world, "refused-is-named")) return
  world.named.add(operation)
  tell(world, () => `${operation} is named in a log`)
}
