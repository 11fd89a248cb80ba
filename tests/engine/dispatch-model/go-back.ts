/**
 * A storage that loses its last commits, as when a standby that had not received them takes its place.
 * What a reader would get wrong: what was lost with nobody at work on it nobody can know of, so it is
 * no harm that it is bought again; whoever is at work on it has to see that it is not, and to say so.
 */
import { MOST_LOST } from "./log-storage.ts"
import { tell, type Commits, type Driver, type World } from "./world.ts"

export function goBack(world: World, commits: number): void {
  const { storage, upstream } = world
  const back: Commits | undefined = storage.earlier.at(-commits)
  if (back === undefined || commits > MOST_LOST) return
  const from = storage.head.version
  tell(world, () => `the storage loses ${commits} commits (${from} to ${back.head.version})`)
  const isDone = createIsDone(world)
  for (const { type, data } of storage.events.slice(back.events.length)) {
    if (type === "dispatched") upstream.forgottenKeys.add(data.upstreamKey)
  }
  Object.assign(storage, back, { earlier: [], hasGoneBack: true })
  const atWork = world.nodes.flatMap(({ drivers, process }) =>
    drivers.filter((driver) => !isDone(driver)).map((driver) => ({ driver, process })),
  )
  const isInHand = ({ operation, process }: World["told"][number]): boolean =>
    atWork.some((each) => each.process === process && hasInHand(each.driver, operation))
  // Whoever had done with a purchase by then has forgotten it.
  world.told = world.told.filter(isInHand)
  world.heard = world.heard.filter(isInHand)
  for (const { driver, process } of atWork) {
    const known = upstream.operations.find(({ id }) => id === driver.head.operation)
    if (known === undefined || driver.head.version <= back.head.version) continue
    known.knowers.add(process)
    world.told.push({ process, operation: known.id })
  }
}

/** A driver is done where all that is left for it is to hear that its last append was stored. */
function createIsDone({ storage }: World): (driver: Driver) => boolean {
  const stored = new Set(storage.writers.values())
  return ({ lease, stage }) => {
    if (stage.kind !== "recording") return stage.kind === "gone"
    const isLast = stage.append.queue !== undefined || lease === null
    return isLast && stored.has(stage.append.id)
  }
}

function hasInHand({ head, stage }: Driver, operation: string): boolean {
  if (head.operation === operation) return true
  return stage.kind === "recording" && JSON.stringify(stage.commands).includes(`"${operation}"`)
}
