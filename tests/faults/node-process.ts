/**
 * A node under test as the parent sees it: started, given orders, killed, stopped and continued.
 * Whatever becomes of the parent's test, no node outlives it: each is killed as the parent exits,
 * which also ends one that was stopped and can't hear that it is alone.
 */
import { fork, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { SOURCE_FLAGS } from "../support/own-process.ts"
import type { NodeOptions, Order, Saying } from "./node-orders.ts"
import type { Release } from "./releases.ts"

export interface NodeEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface NodeProcess {
  readonly name: string
  readonly url: string
  readonly ended: Promise<NodeEnd>
  isAlive(): boolean
  /** The task at which its trap has sprung. */
  trappedAt(): string | undefined
  order(order: Order): void
  /** Resolves when it says so; rejects where it ends before. */
  says(kind: Saying["kind"]): Promise<void>
  signal(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void
  /** What it wrote to its log. */
  words(): readonly string[]
}

/** Of a node's log, where it is told without a cause to look for. */
export const LAST_LINES = 40

/** Of a release's tests, by the folder of that release. */
const CHILD = "tests/faults/faulty-node.ts"
const COMPILED = "tests/node_modules/.cache/compiled"

const alive = new Set<ChildProcess>()
process.on("exit", () => {
  for (const child of alive) child.kill("SIGKILL")
})

/** Resolves once it serves; rejects with its log where it ends before. */
export async function startNode(
  options: NodeOptions,
  { folder }: Pick<Release, "folder">,
  onEvent: () => void,
): Promise<NodeProcess> {
  const child = fork(join(folder, CHILD), [JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    execArgv: [...SOURCE_FLAGS],
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, COMPILED) },
  })
  alive.add(child)
  const words: string[] = []
  let trappedAt: string | undefined
  readLines(child.stdout, (task) => {
    trappedAt = task
    onEvent()
  })
  readLines(child.stderr, (line) => words.push(line))
  // Not `exit`: what it wrote before must have been read.
  const ended = once(child, "close").then(([code, signal]) => {
    alive.delete(child)
    onEvent()
    return { code: code as number | null, signal: signal as NodeJS.Signals | null }
  })
  const says = (kind: Saying["kind"]): Promise<Saying> => hear(child, ended, kind, words)
  const ready = await says("ready")
  if (ready.kind !== "ready") throw new TypeError("a node began with other words")
  return {
    name: options.name,
    url: ready.url,
    ended,
    isAlive: () => alive.has(child),
    trappedAt: () => trappedAt,
    order: (order) => void child.send(order),
    async says(kind) {
      await says(kind)
    },
    signal: (signal) => void child.kill(signal),
    words: () => words,
  }
}

async function hear(
  child: ChildProcess,
  ended: Promise<NodeEnd>,
  kind: Saying["kind"],
  words: readonly string[],
): Promise<Saying> {
  const heard = new Promise<Saying>((resolve) => {
    const listen = (saying: unknown): void => {
      if ((saying as Saying).kind !== kind) return
      child.off("message", listen)
      resolve(saying as Saying)
    }
    child.on("message", listen)
  })
  const first = await Promise.race([heard, ended])
  if ("kind" in first) return first
  const end = `a node ended with ${first.signal ?? first.code} before it was ${kind}`
  throw new Error([end, ...words.slice(-LAST_LINES)].join("\n"))
}

function readLines(stream: NodeJS.ReadableStream | null, onLine: (line: string) => void): void {
  let rest = ""
  stream?.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) onLine(line)
  })
}
