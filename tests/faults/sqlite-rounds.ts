/**
 * The faults of one node over SQLite, which never has two at once: killed at every named point and
 * at random, stopped past its claim, its wall clock set, its disk full. Each is a story told
 * from the round's seed, as long as it is asked to be.
 */
import { PROBE_POINTS, type ProbePoint } from "@safelight/core"
import { CLAIM_MS } from "./node-orders.ts"
import type { Round } from "./round.ts"
import { mountSmallDisk } from "./small-disk.ts"

/** Past every artifact's expiry and the removal of its bytes. */
export const AHEAD_MS = 16 * 86_400_000

const HOUR_MS = 3_600_000

/** The latest that a round sets the wall clock to: from there every task's end is past. */
export const LATEST_CLOCK_MS = 2 * HOUR_MS

/** `kill -9` at each point in turn, in an order of the seed. */
export async function killAtEveryPoint(round: Round, times: number): Promise<void> {
  const points = PROBE_POINTS.filter((point) => !isSweep(point))
  for (let time = 0; time < times; time += 1) {
    for (const point of round.random.shuffle(points)) {
      await killAt(round, point, round.random.integer(1, 8))
    }
  }
}

/** The same while everything expires and its bytes are removed. */
export async function killAtEverySweep(round: Round, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    for (const point of round.random.shuffle(PROBE_POINTS.filter(isSweep))) {
      await killAt(round, point, round.random.integer(1, 3), AHEAD_MS)
    }
  }
}

function isSweep(point: ProbePoint): boolean {
  return point.startsWith("sweep:")
}

async function killAt(
  round: Round,
  point: ProbePoint,
  nth: number,
  sweepsAheadMs = 0,
): Promise<void> {
  const node = await round.start({ trap: { point, nth, signal: "SIGKILL" }, sweepsAheadMs })
  round.clients.rush()
  const { signal } = await node.ended
  if (signal !== "SIGKILL") throw new Error([`${point} was never met`, ...node.words()].join("\n"))
  round.note(`kill at ${point}`)
}

/** `kill -9` at moments told by how much has happened. */
export async function killAtRandom(round: Round, kills: number): Promise<void> {
  for (let count = 0; count < kills; count += 1) {
    const node = await round.start()
    round.clients.rush()
    await round.activity.more(round.random.integer(1, 150))
    await round.kill(node)
  }
}

/** Stopped for longer than its claim, and continued: what it held it may hold no longer. */
export async function stopPastClaim(round: Round, stops: number): Promise<void> {
  const points = ["dispatch:after-append", "collect:before-put", "succeed:before-append"] as const
  for (let count = 0; count < stops; count += 1) {
    const point = round.random.pick(points)
    const nth = round.random.integer(1, 10)
    const node = await round.start({ trap: { point, nth, signal: "SIGSTOP" } })
    round.clients.rush()
    await round.activity.until(() => node.trappedAt() !== undefined)
    const wake = round.disturb(`stop at ${point}`)
    await pastClaim()
    node.signal("SIGCONT")
    wake()
    await round.activity.more(50)
    await round.kill(node)
  }
}

/** The stop is the fault, and it has to last. */
function pastClaim(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, CLAIM_MS * 2)
  })
}

/** The wall clock is set forward and back by hours, and puts fail meanwhile. */
export async function setClockAndFailPuts(round: Round, jumps: number): Promise<void> {
  const node = await round.start()
  round.clients.rush()
  for (let count = 0; count < jumps; count += 1) {
    const offsetMs = round.random.pick([-2, -1, 0, 1, 2]) * HOUR_MS
    node.order({ kind: "jump", offsetMs })
    round.note("clock set")
    await round.activity.more(round.random.integer(20, 80))
    node.order({ kind: "disk", isFull: true })
    round.note("puts failing")
    await round.activity.more(round.random.integer(20, 80))
    node.order({ kind: "disk", isFull: false })
  }
  await round.kill(node)
}

/** The disk of the artifacts is really full, again and again; one that can't be had is imitated. */
export async function fillDisk(round: Round, times: number): Promise<void> {
  const disk = await mountSmallDisk(round.artifactsFolder)
  if (disk !== undefined) round.use(disk)
  const node = await round.start()
  round.clients.rush()
  for (let count = 0; count < times; count += 1) {
    await round.activity.more(round.random.integer(20, 80))
    if (disk === undefined) node.order({ kind: "disk", isFull: true })
    else await disk.fill()
    round.note(disk === undefined ? "disk full (imitated)" : "disk full")
    await round.activity.more(round.random.integer(20, 80))
    if (disk === undefined) node.order({ kind: "disk", isFull: false })
    else await disk.free()
  }
}
