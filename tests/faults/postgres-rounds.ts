/**
 * The faults of several nodes on one PostgreSQL: nodes killed and stopped while others go on, the
 * network between, the server and its sessions, locks and limits. After each fault the client has
 * to get further: what hangs fails the round by its test's time.
 */
import { PROBE_POINTS } from "@safelight/core"
import type { PostgresServer } from "../support/postgres-server.ts"
import type { DatabaseFaults } from "./database-faults.ts"
import { CLAIM_MS } from "./node-orders.ts"
import type { Round } from "./round.ts"
import type { TcpProxy } from "./tcp-proxy.ts"

export interface DatabaseRound extends Round {
  readonly server: PostgresServer
  /** Between the nodes and the server. */
  readonly proxy: TcpProxy
  /** Tasks and sessions of this round's database. */
  openFaults(): Promise<DatabaseFaults>
}

/** Enough answers to show that the client gets on again. */
const RECOVERY = 40

/** Starts `count` nodes at once: their migrations meet. */
async function startNodes(round: Round, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => round.start()))
  round.clients.rush()
}

/** One of three is killed again and again, at a point or at random, and another takes its place. */
export async function killNodes(round: Round, kills: number): Promise<void> {
  await startNodes(round, 3)
  const points = round.random.shuffle(PROBE_POINTS.filter((point) => !point.startsWith("sweep:")))
  for (let count = 0; count < kills; count += 1) {
    await round.activity.more(round.random.integer(10, 120))
    const point = points[Math.floor(count / 2) % points.length]
    const [oldest] = round.nodes()
    if (oldest !== undefined) await round.kill(oldest)
    if (count % 2 === 0 || point === undefined) {
      await round.start()
      continue
    }
    const nth = round.random.integer(1, 5)
    const trapped = await round.start({ trap: { point, nth, signal: "SIGKILL" } })
    await trapped.ended
    round.note(`kill at ${point}`)
    await round.start()
  }
}

/**
 * A node stops past its claim while others take over what it held, and wakes again. Most often it
 * stops between its intent and its call to a channel that is looked up: there waking up late and
 * calling all the same buys twice.
 */
export async function stopNodes(round: Round, stops: number): Promise<void> {
  await startNodes(round, 2)
  const others = [
    "dispatch:before-append",
    "dispatch:after-call",
    "collect:before-put",
    "succeed:before-append",
  ] as const
  for (let count = 0; count < stops; count += 1) {
    const isCalling = count % 3 < 2
    const trap = isCalling
      ? { point: "dispatch:after-append" as const, nth: 1, kind: "lookup" as const }
      : { point: round.random.pick(others), nth: round.random.integer(1, 8) }
    const node = await round.start({ trap: { ...trap, signal: "SIGSTOP" } })
    await round.activity.until(() => node.trappedAt() !== undefined)
    const wake = round.disturb(`stop at ${trap.point}`)
    const task = node.trappedAt() ?? ""
    const calls = round.upstream.countCreateCalls(task)
    // Looked up and found uncreated, it is asked for anew, unless it was erased or cancelled meanwhile; any other
    // is over its claim by then.
    const isAskedAnew = (): boolean => round.upstream.countCreateCalls(task) > calls
    const claimsOver = lasting(CLAIM_MS * (isCalling ? 10 : 3))
    await (isCalling ? Promise.race([round.activity.until(isAskedAnew), claimsOver]) : claimsOver)
    node.signal("SIGCONT")
    wake()
    await round.activity.more(RECOVERY)
    await round.kill(node)
  }
}

/** Connections cut, frozen and slow, replies lost after the work was done and before. */
export async function failNetwork(
  { proxy, ...round }: DatabaseRound,
  times: number,
): Promise<void> {
  await startNodes(round, 2)
  await round.activity.more(RECOVERY)
  const isWrite = (bytes: Buffer): boolean => bytes.includes("commit ")
  for (let time = 0; time < times; time += 1) {
    const mend = round.disturb("network failing")
    for (const when of ["answered", "sent", "answered"] as const) {
      await proxy.loseReply(isWrite, when)
      round.note(`reply lost once ${when}`)
      await round.activity.more(RECOVERY)
    }
    proxy.cut()
    round.note("connections cut")
    await round.activity.more(RECOVERY)
    proxy.delay(round.random.integer(10, 60))
    round.note("network slow")
    await round.activity.more(RECOVERY)
    proxy.delay(0)
    proxy.freeze()
    round.note("connections half-open")
    await round.clients.more(5)
    proxy.accept("silent")
    proxy.cut()
    round.note("network gone")
    await round.activity.more(RECOVERY)
    proxy.accept("forwarded")
    proxy.cut()
    await round.clients.more(5)
    mend()
  }
}

/** The server stopped as by a loss of power and started again, and its sessions ended. */
export async function failServer(round: DatabaseRound, times: number): Promise<void> {
  await startNodes(round, 2)
  for (let time = 0; time < times; time += 1) {
    await round.activity.more(round.random.integer(RECOVERY, 3 * RECOVERY))
    const mend = round.disturb("server stopped")
    await round.server.stop("immediate")
    await round.activity.more(round.random.integer(1, 20))
    await round.server.start()
    await round.clients.more(10)
    await using faults = await round.openFaults()
    for (let count = 0; count < 3; count += 1) {
      await faults.terminate()
      round.note("sessions ended")
      await round.activity.more(RECOVERY)
    }
    mend()
  }
}

/** Locks, limits, and transactions that fail through no fault of their own. */
export async function failTransactions(round: DatabaseRound, times: number): Promise<void> {
  await startNodes(round, 2)
  await round.clients.more(10)
  await using faults = await round.openFaults()
  for (let time = 0; time < times; time += 1) {
    const mend = round.disturb("writes failing")
    const letThrough = await faults.failWrites(30)
    await round.activity.more(3 * RECOVERY)
    await letThrough()
    for (let count = 0; count < 5; count += 1) {
      round.note(`rows locked backwards: ${await faults.lockBackwards(40)}`)
      await round.activity.more(10)
    }
    const release = await faults.holdRows(30)
    round.note("rows held by an idle transaction")
    await round.activity.more(20)
    await release()
    await round.clients.more(5)
    const giveBack = await faults.takeConnections()
    round.note("connections exhausted")
    await round.activity.more(20)
    await giveBack()
    await round.clients.more(5)
    mend()
  }
}

/** The fault itself, which has to last. */
function lasting(durationMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, durationMs)
  })
}
