/**
 * Failovers of a PostgreSQL cluster under load, the short round of every test run: whatever ends its leader, what was
 * acknowledged is there afterwards and nothing is bought twice.
 */
import { after, before, describe, it } from "node:test"
import { startPatroniCluster, type PatroniCluster } from "../support/patroni-cluster.ts"
import { skipWithoutPatroni } from "../support/patroni-members.ts"
import { assertKept } from "./assert-kept.ts"
import { CLUSTER_SETTINGS, CLUSTER_STORIES, playOnCluster } from "./cluster-stories.ts"

const SEED = "1"

describe(
  "over a cluster nothing is lost and nothing is bought twice",
  { skip: skipWithoutPatroni() },
  () => {
    let cluster: PatroniCluster
    before(async () => {
      cluster = await startPatroniCluster(CLUSTER_SETTINGS)
    })
    after(() => cluster[Symbol.asyncDispose]())

    for (const story of CLUSTER_STORIES) {
      it(story.words, async (t) => {
        assertKept(t, await playOnCluster(story, cluster, { seed: SEED, size: "short" }))
      })
    }
  },
)
