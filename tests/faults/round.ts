/**
 * A round: one database, one upstream, one client with its ledger, and nodes that come and go. When
 * its faults are over one healthy node carries everything to its end, and the oracle judges. A node
 * that ends where no fault made it end fails the round.
 */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { isTerminal, type Storage } from "@safelight/core"
import { createSignerKey } from "@safelight/proof/node"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { ACCOUNTS, type AccountPlan } from "./accounts.ts"
import { createActivity, type Activity } from "./activity.ts"
import { startActs } from "./acts.ts"
import { startAudience } from "./audience.ts"
import { createClients, type Clients } from "./clients.ts"
import { createDesk } from "./desk.ts"
import { createLateCaller } from "./late-caller.ts"
import { openLedger, readLedger, toLongestGapMs } from "./ledger.ts"
import { END_AFTER_MS, type NodeOptions } from "./node-orders.ts"
import { LAST_LINES, startNode, type NodeProcess } from "./node-process.ts"
import { listEndedEarly } from "./judge-purchases.ts"
import { ORIGIN } from "./node-signing.ts"
import { judge } from "./oracle.ts"
import { createRandom, type Random } from "./random.ts"
import { THIS_RELEASE, type Release } from "./releases.ts"
import type { RoundReport } from "./report.ts"
import { createPlan } from "./requests.ts"
import { isResting } from "./resting.ts"
import { isForgotten, type RoundFaults, type Span } from "./round-faults.ts"
import { readBooks } from "./read-books.ts"
import { readStoredFacts } from "./stored-facts.ts"
import { listTasks } from "./stored-tasks.ts"
import { createTelling } from "./told.ts"
import { createUpstreamScript, type UpstreamScript } from "./upstream-script.ts"
import { startUpstream, type Upstream } from "./upstream-server.ts"

export interface RoundOptions {
  readonly name: string
  readonly seed: string
  /** PostgreSQL as nodes reach it and as nothing disturbs it; a SQLite folder without. */
  readonly storage?: { readonly nodes: string; readonly healthy: string }
  /** What every node of the round is started with, unless it is told otherwise. */
  readonly node?: Partial<NodeOptions>
  readonly script?: UpstreamScript
  readonly callers?: number
  /** By default all of them. */
  readonly accounts?: readonly AccountPlan[]
  /** Whether clocks or sweeps run past the ends of tasks. */
  readonly isTimeAhead?: boolean
  /** What is installed at the beginning; by default this one. */
  readonly release?: Release
}

export type FinishOptions = Pick<NodeOptions, "clockOffsetMs" | "hasNewPrices" | "sweepsAheadMs">

/** Enough to meet each other, few enough that a busy machine carries them. */
const CALLERS = 8

/** How often it is looked whether all tasks have ended. */
const LOOK_MS = 200

export interface Round extends AsyncDisposable {
  readonly random: Random
  readonly activity: Activity
  readonly clients: Clients
  /** Where all nodes keep artifacts. */
  readonly artifactsFolder: string
  /** Nodes that are up. */
  readonly nodes: () => readonly NodeProcess[]
  /** Of the release that is installed, unless another is named. */
  start(options?: Partial<NodeOptions>, release?: Release): Promise<NodeProcess>
  kill(node: NodeProcess): Promise<void>
  /** Ends it as it should. */
  stop(node: NodeProcess): Promise<void>
  /** What nodes are started of from now on, and what the operator's commands are of. */
  install(release: Release): void
  readonly upstream: Upstream
  /** Counts an injected fault, for the report. */
  note(fault: string): void
  /** The same for one that lasts and that explains what is lost meanwhile; returns its end. */
  disturb(fault: string): () => void
  /** What was committed from `from` on until now is gone. */
  forget(from: number): void
  /** Resolves once every task that was accepted so far has ended, or rests until its end. */
  ended(): Promise<void>
  /** A promise of the story itself was broken. */
  fail(words: string): void
  /** Is disposed of with the round, after its verdict. */
  use(resource: AsyncDisposable): void
  /** Ends the faults: drains with a healthy node of these options, and judges. */
  finish(options?: FinishOptions): Promise<RoundReport>
}

async function haveSettled(storage: Storage): Promise<boolean> {
  const tasks = await listTasks(storage)
  const settled = tasks.map(async (task) => isTerminal(task) || (await isResting(storage, task)))
  return (await Promise.all(settled)).every(Boolean)
}

export async function createRound(options: RoundOptions): Promise<Round> {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await createTemporaryFolder())
  const activity = createActivity()
  const { script = createUpstreamScript(options.seed) } = options
  const upstream = stack.use(await startUpstream(script, activity))
  const ledgerPath = join(folder.path, "ledger.ndjson")
  const ledger = stack.use(await openLedger(ledgerPath))
  const random = createRandom(options.seed)
  const faults = new Map<string, number>()
  const nodes: NodeProcess[] = []
  let started = 0
  /** Nodes that a fault is about to end, or has ended. */
  const doomed = new Set<NodeProcess>()
  /** Nodes that serve nothing that is asked for: no client goes there. */
  const narrow = new Set<NodeProcess>()
  const artifactsFolder = join(folder.path, "artifacts")
  await mkdir(artifactsFolder)
  const embedded = join(folder.path, "data")
  const storage = options.storage ?? { nodes: embedded, healthy: embedded }
  const logs: (readonly string[])[] = []
  const broken: string[] = []
  const { isTimeAhead = false } = options
  let { release = THIS_RELEASE } = options
  const endedAt = new Map<string, number>()
  const disturbances: Span[] = []
  const forgotten: Span[] = []
  const signingKey = createSignerKey(ORIGIN)
  const suffered: RoundFaults = { endedAt, disturbances, forgotten, isTimeAhead }
  const isUp = (node: NodeProcess): boolean => node.isAlive()
  const { accounts = ACCOUNTS } = options
  const open = () => release.openStorage({ place: storage.healthy, mode: "beside" })
  const plan = createPlan({ seed: options.seed, accounts, origin: upstream.origin })
  const telling = createTelling()
  const desk = createDesk({
    telling,
    accounts,
    open,
    random: createRandom(`${options.seed}:desk`),
  })
  const targets = (): readonly NodeProcess[] =>
    nodes.filter((node) => isUp(node) && !narrow.has(node))
  const audience = stack.use(
    await startAudience({
      accounts: accounts.map(({ id }) => id),
      activity,
      seed: options.seed,
      keyOf: (account) => desk.keyOf(account),
      targets: () => nodes.filter(isUp),
    }),
  )
  const clients = createClients({
    ledger: audience.overhear(ledger, plan),
    activity,
    plan,
    telling,
    keyOf: (account) => desk.keyOf(account),
    random: createRandom(`${options.seed}:clients`),
    targets,
    callers: options.callers ?? CALLERS,
  })
  const acts = startActs({
    desk,
    accounts,
    activity,
    telling,
    note,
    place: storage.healthy,
    release: () => release,
    random: createRandom(`${options.seed}:acts`),
    creations: upstream.creations,
    late: createLateCaller({ activity, ledger, plan, targets, telling }),
  })
  stack.defer(() => clients.stop())
  stack.defer(() => acts.stop().catch(() => {}))
  stack.defer(async () => {
    for (const node of nodes) node.signal("SIGKILL")
    await Promise.all(nodes.map(({ ended }) => ended))
  })

  function note(fault: string): void {
    faults.set(fault, (faults.get(fault) ?? 0) + 1)
  }

  function disturb(fault: string): () => void {
    note(fault)
    const from = Date.now()
    return () => void disturbances.push({ from, to: Date.now() })
  }

  async function watch(node: NodeProcess): Promise<void> {
    const { code, signal } = await node.ended
    endedAt.set(node.name, Date.now())
    logs.push(node.words())
    if (doomed.has(node)) return
    const end = `a node ended with ${signal ?? code} by itself`
    activity.fail(new Error([end, ...node.words().slice(-LAST_LINES)].join("\n")))
  }

  async function start(
    changed: Partial<NodeOptions> = {},
    from: Release = release,
  ): Promise<NodeProcess> {
    started += 1
    const { origin } = upstream
    const places = {
      storage: storage.nodes,
      artifacts: artifactsFolder,
      upstream: origin,
      signingKey,
    }
    const node = await startNode(
      { name: `node-${started}`, ...places, ...options.node, ...changed },
      from,
      () => activity.note(),
    )
    if (changed.isNarrow === true) narrow.add(node)
    nodes.push(node)
    if (changed.trap?.signal === "SIGKILL") doomed.add(node)
    void watch(node)
    note("start")
    await desk.open()
    await audience.begin(node)
    activity.note()
    return node
  }

  async function kill(node: NodeProcess): Promise<void> {
    doomed.add(node)
    node.signal("SIGKILL")
    await node.ended
    note("kill")
  }

  async function stop(node: NodeProcess): Promise<void> {
    doomed.add(node)
    node.order({ kind: "stop" })
    await node.ended
  }

  async function drain(changed: FinishOptions): Promise<void> {
    const node = await start({ storage: storage.healthy, ...changed })
    await clients.calm()
    const drained = node.says("drained")
    node.order({ kind: "drain" })
    await drained
    telling.books.push(...(await readBooks(node, desk, accounts)))
    const opened = await open()
    await audience.end(node, opened).finally(() => opened.close())
    await stop(node)
    await clients.stop()
  }

  async function allEnded(): Promise<void> {
    // What is paused never ends.
    await acts.stop()
    const opened = await open()
    try {
      while (!(await haveSettled(opened))) await pause(LOOK_MS)
    } finally {
      await opened.close()
    }
  }

  /** Before the drain, which lets time run ahead where nothing but that can end a task. */
  async function lookForHaste(): Promise<void> {
    const opened = await open()
    const { acceptedAt } = await readLedger(ledgerPath)
    const { endAfterMs = END_AFTER_MS } = options.node?.settings ?? {}
    try {
      broken.push(
        ...listEndedEarly(
          (await listTasks(opened)).filter(({ id }) => !telling.resolved.includes(id)),
          ({ id }) => (acceptedAt.get(id) ?? 0) + endAfterMs,
        ),
      )
    } finally {
      await opened.close()
    }
  }

  async function finish(changed: FinishOptions = {}): Promise<RoundReport> {
    const until = Date.now()
    await acts.stop()
    for (const node of nodes.filter(isUp)) await kill(node)
    if (!isTimeAhead) await lookForHaste()
    await drain(changed)
    const entries = await readLedger(ledgerPath)
    for (const task of clients.missing) {
      if (!isForgotten(suffered, entries.acceptedAt.get(task) ?? 0)) {
        broken.push(`accepted task ${task} was answered 404`)
      }
    }
    const opened = await open()
    try {
      const verdict = await judge({
        ledger: entries,
        storage: opened,
        artifacts: createFilesystemArtifacts({ folder: artifactsFolder }),
        creations: upstream.creations.list(),
        plan,
        told: telling,
        accounts,
        stored: await readStoredFacts(storage.healthy, opened),
        faults: suffered,
        signingKey,
        logLines: logs.flat(),
        ...audience.evidence(),
      })
      return {
        name: options.name,
        seed: options.seed,
        verdict: { ...verdict, broken: [...clients.broken, ...broken, ...verdict.broken] },
        accepted: ledger.acceptedCount(),
        longestGapMs: toLongestGapMs(entries, until),
        faults,
        answers: clients.answers,
        upstream: upstream.met,
        audience: audience.met(),
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
    upstream,
    use: (resource) => void held.use(resource),
    start,
    kill,
    stop,
    install(installed) {
      release = installed
    },
    note,
    disturb,
    ended: allEnded,
    forget: (from) => void forgotten.push({ from, to: Date.now() }),
    fail: (words) => void broken.push(words),
    finish,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}
