/**
 * The faults of a cluster whose members take over from each other: its leader killed, frozen, cut off, or replaced as
 * planned, while nodes serve and their callers, streams and webhooks go on. What a reader would get wrong: the fault is
 * not over when another member leads. The former leader comes back into the load, and must follow.
 */
import type { Mend, PatroniCluster } from "../support/patroni-cluster.ts"
import { execute } from "../support/test-database.ts"
import { SETTLE_MS } from "./round-faults.ts"
import type { Round } from "./round.ts"

export interface ClusterRound extends Round {
  readonly cluster: PatroniCluster
  /** Of the round's database, through HAProxy. */
  readonly url: string
}

/** Answers enough to show that the clients get on. */
const RECOVERY = 40

/** What was committed so long ago has been sent to the standbys, however busy the machine is. */
const SENT_MS = 2_000

/** The leader is lost `times` times, each time another member. */
async function loseLeader(
  round: ClusterRound,
  times: number,
  fault: { readonly words: string; readonly lose: () => Promise<Mend> },
): Promise<void> {
  const { cluster } = round
  await begin(round)
  for (let time = 0; time < times; time += 1) {
    await round.activity.more(round.random.integer(RECOVERY, 3 * RECOVERY))
    const former = await nameLeader(cluster)
    const recovered = round.disturb(fault.words)
    const mend = await fault.lose()
    await cluster.succeeded(former)
    await round.clients.more(10)
    await mend()
    await round.clients.more(10)
    await cluster.whole()
    recovered()
    await round.clients.more(10)
  }
}

export function killLeaders(round: ClusterRound, times: number): Promise<void> {
  const lose = () => round.cluster.killLeader()
  return loseLeader(round, times, { words: "leader killed", lose })
}

export function freezeLeaders(round: ClusterRound, times: number): Promise<void> {
  const lose = () => round.cluster.freezeLeader()
  return loseLeader(round, times, { words: "leader frozen", lose })
}

export function cutLeaders(round: ClusterRound, times: number): Promise<void> {
  const lose = () => round.cluster.cutLeader()
  return loseLeader(round, times, { words: "leader cut off", lose })
}

export async function switchLeaders(round: ClusterRound, times: number): Promise<void> {
  const { cluster } = round
  await begin(round)
  for (let time = 0; time < times; time += 1) {
    await round.activity.more(round.random.integer(RECOVERY, 3 * RECOVERY))
    const recovered = round.disturb("leader switched")
    await cluster.switchOver()
    await round.clients.more(10)
    await cluster.whole()
    recovered()
    await round.clients.more(10)
  }
}

/** A standby takes over that had not been sent the last commits, since nobody waits for one. */
export async function forgetCommits(round: ClusterRound, times: number): Promise<void> {
  const { cluster } = round
  await cluster.replicate("asynchronously")
  await begin(round)
  for (let time = 0; time < times; time += 1) {
    const former = await nameLeader(cluster)
    const recovered = round.disturb("leader killed before its standbys had all")
    const sentAt = Date.now() - SENT_MS
    await cluster.holdReplication()
    await execute(round.url, "create table held_back ()")
    await round.clients.more(round.random.integer(5, 15))
    const mend = await cluster.killLeader()
    await cluster.succeeded(former)
    round.forget(sentAt)
    await round.clients.more(5)
    const [held] = await execute(round.url, "select from pg_class where relname = 'held_back'")
    if (held !== undefined) round.fail("nothing was forgotten")
    await mend()
    await cluster.whole()
    recovered()
  }
  await cluster.replicate("synchronously")
  await lasting(SETTLE_MS)
  // By the very nodes that lived through it.
  await round.clients.calm()
  await round.ended()
}

async function begin(round: ClusterRound): Promise<void> {
  await round.cluster.whole()
  await Promise.all([round.start(), round.start()])
  round.clients.rush()
  await round.clients.more(10)
}

async function nameLeader(cluster: PatroniCluster): Promise<string> {
  const name = await cluster.leader()
  if (name === undefined) throw new Error("nobody leads")
  return name
}

/** For calm after the last fault. */
function lasting(durationMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, durationMs)
  })
}
