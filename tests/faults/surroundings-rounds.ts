/**
 * What goes wrong around several nodes on one PostgreSQL: a provider that is away or takes long, a
 * server set back to an older copy, connections refused, clocks and configurations that differ, an
 * account whose work is bounded. Each is a story told from the round's seed, as long as it is
 * asked to be.
 */
import { isSafelightError } from "@safelight/core"
import type { EngineSettings } from "@safelight/engine"
import { onlyMain } from "./accounts.ts"
import type { Creation } from "./creations.ts"
import type { DatabaseRound } from "./postgres-rounds.ts"
import { SETTLE_MS } from "./round-faults.ts"
import type { Round } from "./round.ts"
import { createSteadyScript, type UpstreamScript } from "./upstream-script.ts"

const HOUR_MS = 3_600_000

/** Answers enough to show that the client gets on. */
const RECOVERY = 40

/** However busy the machine is, no task's time is up but where that is the story. */
export const PATIENT: Partial<EngineSettings> = { endAfterMs: 600_000 }

/** The bound of an account, so low that its tasks queue up, and channels with room for more. */
export const BOUND_ACCOUNTS = onlyMain({ runningTasks: 2 })
export const BOUND = { concurrency: 64, settings: PATIENT } as const

/** Long enough to be met under way. */
export const BOUND_SCRIPT: UpstreamScript = createSteadyScript(400)

/** What a dead node had under way is taken over before this many others are begun. */
const STARTS_BEFORE_TAKEOVER = 20

/** One of two nodes is killed while it follows work of an account that is full, with a long queue. */
export async function killAtBound(round: Round, kills: number): Promise<void> {
  await Promise.all([round.start(), round.start()])
  round.clients.rush()
  await round.clients.more(40)
  for (let count = 0; count < kills; count += 1) {
    const [node] = round.nodes()
    if (node === undefined) throw new TypeError("a node ended by itself")
    const { creations } = round.upstream
    const isUnderWay = ({ completeAt, isEndTold, told }: Creation): boolean =>
      !isEndTold && completeAt > Date.now() && told.length > 0
    // Its acceptance is recorded, or nobody would have asked: a purchase in doubt is taken over by nobody.
    const isFollowed = (creation: Creation): boolean =>
      isUnderWay(creation) &&
      creation.told.at(-1)?.node === node.name &&
      round.upstream.countPolls(creation.operation) > 0
    // The other one works on something too: it is what gets the free place next.
    await round.activity.until(
      () => creations.list().some(isFollowed) && creations.list().filter(isUnderWay).length > 1,
    )
    const followed = creations.list().filter(isFollowed)
    await round.kill(node)
    const polled = followed.map(({ operation }) => round.upstream.countPolls(operation))
    const begun = creations.list().length
    // Nobody asks again for what a caller has cancelled meanwhile.
    const isTaken = (): boolean =>
      followed.every(
        ({ isStopped, operation }, at) =>
          isStopped || round.upstream.countPolls(operation) > (polled[at] ?? 0),
      )
    const isPassedOver = (): boolean => creations.list().length >= begun + STARTS_BEFORE_TAKEOVER
    await round.activity.until(() => isTaken() || isPassedOver())
    if (!isTaken()) {
      const names = followed.map(({ operation }) => operation).join(", ")
      round.fail(`${names} waited while ${STARTS_BEFORE_TAKEOVER} others were begun`)
    }
    await round.start()
  }
}

/** Work is under way when its record is lost. */
export const SET_BACK_SCRIPT: UpstreamScript = createSteadyScript(1_500)

/** The server loses its last commits, as when an asynchronous replica takes its place. */
export async function setServerBack(round: DatabaseRound, times: number): Promise<void> {
  await Promise.all([round.start(), round.start()])
  round.clients.rush()
  await round.clients.more(10)
  for (let time = 0; time < times; time += 1) {
    const mend = round.disturb("server set back")
    const copiedAt = Date.now()
    await round.server.keepCopy()
    await round.activity.more(round.random.integer(RECOVERY, 2 * RECOVERY))
    await round.server.goBack()
    round.forget(copiedAt)
    await round.clients.more(5)
    mend()
  }
  await lasting(SETTLE_MS)
  // By the very nodes that lived through it.
  await round.clients.calm()
  await round.ended()
}

/** A pooler's own trouble, no connection left, a server that is starting. */
const REFUSALS = ["XX000", "53300", "57P03"] as const

export const REFUSED_SCRIPT: UpstreamScript = createSteadyScript(0)

/** Connections are cut and new ones refused, each SQLSTATE in its turn. */
export async function refuseConnections(round: DatabaseRound, times: number): Promise<void> {
  const { proxy } = round
  await Promise.all([round.start(), round.start()])
  round.clients.rush()
  await round.clients.more(10)
  for (let time = 0; time < times; time += 1) {
    for (const refusal of round.random.shuffle(REFUSALS)) {
      // Calls that can't be repeated are under way, and answered while nobody can write that down.
      const held = round.upstream.holdAnswers("unkeyed")
      await round.activity.until(() => held.count() >= 3)
      const mend = round.disturb(`connections refused with ${refusal}`)
      proxy.accept({ refusal })
      proxy.cut()
      held.letGo()
      await lasting(1_000)
      proxy.accept("forwarded")
      proxy.cut()
      await round.clients.more(10)
      mend()
    }
  }
  await lasting(SETTLE_MS)
}

/** One node's wall clock is an hour ahead and another's an hour behind. */
export async function setClocksApart(round: Round, times: number): Promise<void> {
  const ahead = await startOff(round, HOUR_MS)
  const behind = await startOff(round, -HOUR_MS)
  await round.start()
  round.clients.rush()
  for (let time = 0; time < times; time += 1) {
    await round.activity.more(3 * RECOVERY)
    await round.clients.more(10)
  }
  if (!ahead && !behind) throw new TypeError("no node's clock was off")
}

/** False where it refused to start. */
async function startOff(round: Round, clockOffsetMs: number): Promise<boolean> {
  try {
    await round.start({ clockOffsetMs })
    round.note(`clock ${clockOffsetMs > 0 ? "ahead" : "behind"}`)
    return true
  } catch (error) {
    if (!isSafelightError(error)) throw error
    round.note("a node with a wrong clock refused to start")
    return false
  }
}

/** Every answer brings the result: what it costs must be known at once. */
export const IMMEDIATE_SCRIPT: UpstreamScript = {
  ...createSteadyScript(0),
  create: () => "completes",
}

/** New prices are rolled out node by node, and one node serves other models than the rest. */
export async function changePrices(round: Round, times: number): Promise<void> {
  await round.start({ isNarrow: true })
  const old = await round.start()
  await round.start({ hasNewPrices: true })
  round.note("prices changed on one node")
  round.clients.rush()
  for (let time = 0; time < times; time += 1) {
    await round.activity.more(3 * RECOVERY)
    await round.clients.more(15)
  }
  await round.start({ hasNewPrices: true })
  await round.kill(old)
  await round.activity.more(RECOVERY)
}

/** Work that takes half of its task's time, and an output that takes more than is then left. */
export const SLOW_SETTINGS: Partial<EngineSettings> = { endAfterMs: 30_000, pollTimeoutMs: 20_000 }

export const SLOW_SCRIPT: UpstreamScript = {
  ...createSteadyScript(16_000),
  poll: (_operation, call) => (call % 3 === 1 ? "lingers" : "answers"),
  output: () => "crawls",
}

export async function takeLong(round: Round, times: number): Promise<void> {
  await Promise.all([round.start(), round.start()])
  for (let time = 0; time < times; time += 1) {
    round.clients.rush()
    await round.clients.more(5)
    await round.clients.calm()
    round.note("work and outputs that take long")
    await round.ended()
  }
}

/** The engine's own numbers, with a second for twenty-five. */
export const AWAY_SETTINGS: Partial<EngineSettings> = {
  ...PATIENT,
  maxAttempts: 5,
  backoffMs: 20,
  backoffMaxMs: 1_200,
  breakerFailures: 5,
  breakerOpenMs: 600,
}

/** Far longer than five attempts take: more than a minute, at that rate. */
const AWAY_MS = 3_000

/** The provider is away, proving that nothing was created, or creating and cutting the answer. */
export async function leaveForLong(round: Round, times: number): Promise<void> {
  await Promise.all([round.start(), round.start()])
  round.clients.rush()
  for (let time = 0; time < times; time += 1) {
    for (const absence of round.random.shuffle(["refusing", "cutting"] as const)) {
      await round.activity.more(RECOVERY)
      round.upstream.goAway(absence)
      round.note(`provider away, ${absence}`)
      await lasting(AWAY_MS)
      round.upstream.goAway()
      await round.clients.more(5)
    }
  }
}

/** The fault itself, which has to last. */
function lasting(durationMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, durationMs)
  })
}
