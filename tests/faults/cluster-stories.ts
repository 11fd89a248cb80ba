/** The stories of a cluster that fails over, and how one is played: on a database of its own, through HAProxy. */
import type { PatroniCluster } from "../support/patroni-cluster.ts"
import type { ClusterSettings } from "../support/patroni-files.ts"
import {
  cutLeaders,
  forgetCommits,
  freezeLeaders,
  killLeaders,
  switchLeaders,
  type ClusterRound,
} from "./cluster-rounds.ts"
import { createDatabase } from "./database-faults.ts"
import type { RoundReport } from "./report.ts"
import { createRound } from "./round.ts"
import { FEW_CALLERS, type Length, type Story } from "./rounds.ts"
import { PATIENT, SET_BACK_SCRIPT } from "./surroundings-rounds.ts"

const FIVE_AT_LENGTH = { size: { short: 1, long: 5 }, node: { settings: PATIENT } }

export const CLUSTER_STORIES: readonly Story<ClusterRound>[] = [
  {
    name: "switched",
    words: "by a leader that is replaced as planned",
    play: switchLeaders,
    ...FIVE_AT_LENGTH,
  },
  {
    name: "killed",
    words: "by a leader that is killed",
    play: killLeaders,
    ...FIVE_AT_LENGTH,
  },
  {
    name: "frozen",
    words: "by a leader that is frozen and wakes",
    play: freezeLeaders,
    ...FIVE_AT_LENGTH,
  },
  {
    name: "cut",
    words: "by a leader whose network is cut",
    play: cutLeaders,
    ...FIVE_AT_LENGTH,
  },
  {
    name: "asynchronous",
    words: "by a standby that takes over without the last commits, but for what it lacks",
    play: forgetCommits,
    size: { short: 1, long: 3 },
    node: { settings: PATIENT },
    script: SET_BACK_SCRIPT,
  },
]

/** Failovers that come soon: Patroni asks for a lease of 20 s or more, but does not insist. */
export const CLUSTER_SETTINGS: Partial<ClusterSettings> = { ttlS: 8 }

/** The nodes wait for the database as long as in production. */
export async function playOnCluster(
  story: Story<ClusterRound>,
  cluster: PatroniCluster,
  { seed, size }: Length,
): Promise<RoundReport> {
  const url = await createDatabase(cluster.url("postgres"), `faults_${story.name}`)
  await using round = await createRound({
    ...story,
    callers: FEW_CALLERS,
    name: `cluster ${story.name}`,
    seed,
    storage: { nodes: url, healthy: url },
  })
  await story.play({ ...round, cluster, url }, story.size[size])
  return await round.finish(story.finish)
}
