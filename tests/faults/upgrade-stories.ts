/** How an upgrade is played: from release to release, on a database of its own. */
import type { PostgresServer } from "../support/postgres-server.ts"
import { createDatabase } from "./database-faults.ts"
import type { Release } from "./releases.ts"
import type { RoundReport } from "./report.ts"
import { createRound } from "./round.ts"
import { PATIENT } from "./surroundings-rounds.ts"
import { upgrade } from "./upgrade-rounds.ts"

export interface UpgradeOptions {
  readonly seed: string
  readonly server: PostgresServer
}

/** The first of the releases makes the database; the last one is this one. */
export async function playUpgrade(
  releases: readonly Release[],
  { seed, server }: UpgradeOptions,
): Promise<RoundReport> {
  const url = await createDatabase(server.url("postgres"), "faults_upgrade")
  const [first] = releases
  await using round = await createRound({
    name: `upgrade ${releases.map(({ name }) => name).join(", ")}`,
    seed,
    storage: { nodes: url, healthy: url },
    node: { settings: PATIENT },
    ...(first !== undefined && { release: first }),
  })
  await upgrade(round, releases)
  return await round.finish()
}
