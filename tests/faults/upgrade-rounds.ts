/**
 * Upgrades of several nodes on one PostgreSQL from release to release, while callers, streams, webhooks and the operator
 * go on. Where the newer schema allows the older release, nodes are replaced one by one, and one goes back on the way.
 * Otherwise all nodes of the older one end first: until then the newer one refuses, and from then on the older one.
 */
import { readReleaseSchema, THIS_RELEASE, type Release } from "./releases.ts"
import type { NodeProcess } from "./node-process.ts"
import type { Round } from "./round.ts"

/** Answers enough to show that the clients get on. */
const RECOVERY = 40

const NODES = 3

/** The first release is installed; the round ends with the last one. */
export async function upgrade(round: Round, releases: readonly Release[]): Promise<void> {
  const [first, ...later] = releases
  if (first === undefined) throw new TypeError("there is no release")
  await startNodes(round)
  round.clients.rush()
  let before = first
  for (const next of later) {
    await round.clients.more(10)
    await areWorking(round, round.nodes())
    const { oldestCodeVersion } = await readReleaseSchema(next)
    const { version } = await readReleaseSchema(before)
    await (version >= oldestCodeVersion
      ? replaceEach(round, before, next)
      : replaceAll(round, before, next))
    before = next
  }
  await areWorking(round, round.nodes())
}

function startNodes(round: Round): Promise<readonly NodeProcess[]> {
  return Promise.all(Array.from({ length: NODES }, () => round.start()))
}

async function replaceEach(round: Round, before: Release, next: Release): Promise<void> {
  const leaving = round.nodes()
  const first = await round.start({}, next)
  round.install(next)
  await round.activity.more(RECOVERY)
  await areWorking(round, [first, ...leaving])
  round.note("nodes of two releases")
  const back = await round.start({}, before)
  await areWorking(round, [back])
  await round.stop(back)
  round.note("back to the older release")
  for (const [place, node] of leaving.entries()) {
    // The last one dies instead.
    await (place < NODES - 1 ? round.stop(node) : round.kill(node))
    await round.clients.more(10)
    if (place < NODES - 1) await round.start()
    round.note("replaced")
    await round.activity.more(RECOVERY)
  }
}

async function replaceAll(round: Round, before: Release, next: Release): Promise<void> {
  const leaving = round.nodes()
  // Releases before this one migrate a database while older nodes work on it.
  if (next === THIS_RELEASE) await assertRefused(round, next, "already-served")
  await areWorking(round, leaving)
  const done = round.disturb("no node")
  await Promise.all(leaving.map((node) => round.stop(node)))
  round.install(next)
  await startNodes(round)
  done()
  await assertRefused(round, before, "schema-too-new")
}

async function assertRefused(round: Round, release: Release, code: string): Promise<void> {
  try {
    const node = await round.start({}, release)
    round.fail(`${release.name} started where ${code} was due`)
    await round.stop(node)
  } catch (error) {
    if (!String(error).includes(code)) throw error
    round.note(`refused: ${code}`)
  }
}

/** Each of them is told of work from now on. */
function areWorking({ activity, upstream }: Round, nodes: readonly NodeProcess[]): Promise<void> {
  const since = Date.now()
  const isWorking = ({ name }: NodeProcess): boolean =>
    upstream.creations
      .list()
      .some(({ told }) => told.some(({ at, node }) => node === name && at > since))
  return activity.until(() => nodes.every(isWorking))
}
