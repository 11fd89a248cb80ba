/**
 * What other accounts notice of one that does what it can to stop everything: all attacks together, then
 * films, holds, and bodies where there is little memory, each on a service of its own. Every figure is
 * described in the file that measures it.
 */
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { startServer } from "./child-server.ts"
import { measureAttacks } from "./hostile-attacks.ts"
import { measureBodies } from "./hostile-bodies.ts"
import { measureFilms } from "./hostile-films.ts"
import { measureHolds } from "./hostile-holds.ts"
import type { HostileServer, HostileService } from "./hostile-tasks.ts"
import { report } from "./measure.ts"

type Figures = Record<string, number>

async function serve(measure: (server: HostileServer) => Promise<Figures>): Promise<Figures> {
  await using folder = await createTemporaryFolder()
  await using server = await startServer<HostileService>("hostile-server", folder.path)
  return await measure(server)
}

report({
  ...(await serve(measureAttacks)),
  ...(await serve(measureFilms)),
  ...(await serve(measureHolds)),
  ...(await measureBodies()),
})
