/**
 * A round: one database, one upstream, one client with its ledger, and nodes that come and go. When
 * its faults are over one healthy node carries everything to its end, and the oracle judges. A node
 * that ends where no fault made it end fails the round.
 */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { createActivity, type Activity } from "./activity.ts"
import { createClients, type Clients } from "./clients.ts"
import { openLedger, readLedger } from "./ledger.ts"
import type { NodeOptions } from "./node-orders.ts"
import { LAST_LINES, startNode, type NodeProcess } from "./node-process.ts"
import { openStorage } from "./open-storage.ts"
import { judge } from "./oracle.ts"
import { createRandom, type Random } from "./random.ts"
import type { RoundReport } from "./report.ts"
import { createUpstreamScript } from "./upstream-script.ts"
import { startUpstream } from "./upstream-server.ts"

export interface RoundOptions {
  readonly name: string
  readonly seed: string
  /** PostgreSQL as nodes reach it and as nothing disturbs it; a SQLite folder without. */
  readonly storage?: { readonly nodes: string; readonly healthy: string }
}

export type FinishOptions = Pick<NodeOptions, "clockOffsetMs" | "sweepsAheadMs">

/** Enough to meet each other, few enough that a busy machine carries them. */
const CALLERS = 8

export interface Round extends AsyncDisposable {
  readonly random: Random
  readonly activity: Activity
  readonly clients: Clients
  /** Where all nodes keep artifacts. */
  readonly artifactsFolder: string
  /** Nodes that are up. */
  readonly nodes: () => readonly NodeProcess[]
  start(options?: Partial<NodeOptions>): Promise<NodeProcess>
  kill(node: NodeProcess): Promise<void>
  /** How often the upstream was asked to create something for a task. */
  countCreateCalls(task: string): number
  /** Counts an injected fault, for the report. */
  note(fault: string): void
  /** Is disposed of with the round, after its verdict. */
  use(resource: AsyncDisposable): void
  /** Ends the faults: drains with a healthy node of these options, and judges. */
  finish(options?: FinishOptions): Promise<RoundReport>
}

export async function createRound(options: RoundOptions): Promise<Round> {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await createTemporaryFolder())
  const activity = createActivity()
  const upstream = stack.use(await startUpstream(createUpstreamScript(options.seed), activity))
  const ledgerPath = join(folder.path, "ledger.ndjson")
  const ledger = stack.use(await openLedger(ledgerPath))
  const random = createRandom(options.seed)
  const faults = new Map<string, number>()
  const nodes: NodeProcess[] = []
  /** Nodes that a fault is about to end, or has ended. */
  const doomed = new Set<NodeProcess>()
  const artifactsFolder = join(folder.path, "artifacts")
  await mkdir(artifactsFolder)
  const embedded = join(folder.path, "data")
  const storage = options.storage ?? { nodes: embedded, healthy: embedded }
  const logs: (readonly string[])[] = []
  const isUp = (node: NodeProcess): boolean => node.isAlive()
  const clients = createClients({
    ledger,
    activity,
    random: createRandom(`${options.seed}:clients`),
    targets: () => nodes.filter(isUp),
    callers: CALLERS,
  })
  stack.defer(() => clients.stop())
  stack.defer(async () => {
    for (const node of nodes) node.signal("SIGKILL")
    await Promise.all(nodes.map(({ ended }) => ended))
  })

  function note(fault: string): void {
    faults.set(fault, (faults.get(fault) ?? 0) + 1)
  }

  async function watch(node: NodeProcess): Promise<void> {
    const { code, signal } = await node.ended
    logs.push(node.words())
    if (doomed.has(node)) return
    const end = `a node ended with ${signal ?? code} by itself`
    activity.fail(new Error([end, ...node.words().slice(-LAST_LINES)].join("\n")))
  }

  async function start(changed: Partial<NodeOptions> = {}): Promise<NodeProcess> {
    const node = await startNode(
      { storage: storage.nodes, artifacts: artifactsFolder, upstream: upstream.origin, ...changed },
      () => activity.note(),
    )
    nodes.push(node)
    if (changed.trap?.signal === "SIGKILL") doomed.add(node)
    void watch(node)
    note("start")
    activity.note()
    return node
  }

  async function kill(node: NodeProcess): Promise<void> {
    doomed.add(node)
    node.signal("SIGKILL")
    await node.ended
    note("kill")
  }

  async function drain(changed: FinishOptions): Promise<void> {
    for (const node of nodes.filter(isUp)) await kill(node)
    const node = await start({ storage: storage.healthy, ...changed })
    await clients.calm()
    const drained = node.says("drained")
    node.order({ kind: "drain" })
    await drained
    doomed.add(node)
    node.order({ kind: "stop" })
    await node.ended
    await clients.stop()
  }

  async function finish(changed: FinishOptions = {}): Promise<RoundReport> {
    await drain(changed)
    const opened = await openStorage({ place: storage.healthy, mode: "beside" })
    try {
      const verdict = await judge({
        ledger: await readLedger(ledgerPath),
        storage: opened,
        artifacts: createFilesystemArtifacts({ folder: artifactsFolder }),
        creations: upstream.creations.list(),
      })
      return {
        name: options.name,
        seed: options.seed,
        verdict: { ...verdict, broken: [...clients.broken, ...verdict.broken] },
        accepted: ledger.acceptedCount(),
        faults,
        answers: clients.answers,
        upstream: upstream.met,
        logs,
        diary: upstream.diary,
      }
    } finally {
      await opened.close()
    }
  }

  const held = stack.move()
  return {
    random,
    activity,
    clients,
    artifactsFolder,
    nodes: () => nodes.filter(isUp),
    countCreateCalls: upstream.countCreateCalls,
    use: (resource) => void held.use(resource),
    start,
    kill,
    note,
    finish,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}
