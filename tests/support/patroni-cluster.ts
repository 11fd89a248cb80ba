/**
 * A real Patroni cluster of three members behind HAProxy, which asks Patroni who leads; and what befalls its leader.
 * What a reader would get wrong: a fault leaves its member down until it is mended, and the cluster is whole only once
 * all members follow again.
 */
import { setTimeout as delay } from "node:timers/promises"
import { signalProcess } from "./member-network.ts"
import { SCOPE, type ClusterSettings } from "./patroni-files.ts"
import { MEMBERS, startMembers, type Member, type PatroniMembers } from "./patroni-members.ts"

/** Ends the fault; the member then follows the new leader. */
export type Mend = () => Promise<void>

export interface PatroniCluster extends AsyncDisposable {
  /** `postgres://…/name` of whichever member leads; the database has to be there. */
  url(database: string): string
  /** Who holds the leader's lease; undefined while nobody does. */
  leader(): Promise<string | undefined>
  /** Resolves once another member than this leads. */
  succeeded(former: string): Promise<void>
  /** Resolves once all members follow one leader, one of them synchronously if it is asked for. */
  whole(): Promise<void>
  /** Whether a commit waits for a standby, from now on. */
  replicate(how: "synchronously" | "asynchronously"): Promise<void>
  /** From now on no standby is sent what the leader commits; to be killed after. */
  holdReplication(): Promise<void>
  /** Every process of the leader at once. */
  killLeader(): Promise<Mend>
  /** Stops every process of the leader, until it is mended. */
  freezeLeader(): Promise<Mend>
  /** Pulls the leader's cable. */
  cutLeader(): Promise<Mend>
  /** A planned one; resolves once another member leads. */
  switchOver(): Promise<void>
}

const POLL_MS = 100

/**
 * From the demotion of a member that is cut off until it does nothing but wait. In between Patroni 3.0.2, once it
 * reaches etcd again, rewinds a server that runs.
 */
const DEMOTION_MS = 5_000

/** Resolves once it is whole. */
export async function startPatroniCluster(
  options: Partial<ClusterSettings> = {},
): Promise<PatroniCluster> {
  await using stack = new AsyncDisposableStack()
  const { isSynchronous = true, ttlS = 20 } = options
  const members = stack.use(await startMembers({ isSynchronous, ttlS }))
  const watch = watchLeader(members, isSynchronous)
  const { findLeader, leader, succeeded } = watch
  await watch.whole()
  const held = stack.move()
  return {
    url: (database) => members.url(database),
    ...watch,
    async holdReplication() {
      const { machine } = await findLeader()
      for (const pid of machine.find(/walsender/)) signalProcess(pid, "SIGSTOP")
    },
    async killLeader() {
      const member = await findLeader()
      await member.machine.signal("SIGKILL")
      return () => members.start(member)
    },
    async freezeLeader() {
      const { machine } = await findLeader()
      await machine.signal("SIGSTOP")
      return () => machine.signal("SIGCONT")
    },
    async cutLeader() {
      const { machine } = await findLeader()
      await members.network.cut(machine)
      return async () => {
        await untilSlowly(async () => machine.find(/: startup /).length > 0)
        await delay(DEMOTION_MS)
        await members.network.mend(machine)
      }
    },
    async switchOver() {
      const { name } = await findLeader()
      // Refused while no standby has everything, so it is asked again.
      await untilSlowly(async () => {
        await members.ask(name, "POST", "/switchover", { leader: name })
        return (await leader()) !== name
      })
      await succeeded(name)
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

/** What etcd and the members tell of the cluster. */
function watchLeader({ all, ask }: PatroniMembers, isSynchronousFirst: boolean) {
  let isSynchronous = isSynchronousFirst

  async function leader(): Promise<string | undefined> {
    const answer = await ask("etcd", "GET", `/v2/keys/service/${SCOPE}/leader`)
    return (answer as { readonly node: { readonly value: string } } | undefined)?.node.value
  }

  async function findLeader(): Promise<Member> {
    const name = await leader()
    const member = all.find((each) => each.name === name)
    if (member === undefined) throw new Error("nobody leads")
    return member
  }

  async function isWhole(): Promise<boolean> {
    const name = await leader()
    if (name === undefined) return false
    const answer = (await ask(name, "GET", "/cluster")) as ClusterAnswer | undefined
    return answer !== undefined && areWhole(answer.members, isSynchronous)
  }

  return {
    leader,
    findLeader,
    whole: () => untilSlowly(isWhole),
    succeeded: (former: string) =>
      untilSlowly(async () => {
        const name = await leader()
        if (name === undefined || name === former) return false
        return (await ask(name, "GET", "/primary")) !== undefined
      }),
    async replicate(how: "synchronously" | "asynchronously") {
      isSynchronous = how === "synchronously"
      const { name } = await findLeader()
      await ask(name, "PATCH", "/config", { synchronous_mode: isSynchronous })
      await untilSlowly(isWhole)
    },
  }
}

interface ClusterAnswer {
  readonly members: readonly {
    readonly role: string
    readonly state: string
    readonly timeline?: number
  }[]
}

function areWhole(members: ClusterAnswer["members"], isSynchronous: boolean): boolean {
  const isUp = members.every(({ state }) => state === "running" || state === "streaming")
  const timelines = new Set(members.map(({ timeline }) => timeline))
  const hasRole = (wanted: string): boolean => members.some(({ role }) => role === wanted)
  return (
    members.length === MEMBERS &&
    isUp &&
    timelines.size === 1 &&
    hasRole("leader") &&
    hasRole("sync_standby") === isSynchronous
  )
}

async function untilSlowly(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(POLL_MS)
}
