/**
 * A crash at every named point, over every kind of channel: whatever was accepted ends, a client
 * that asks again under its key gets the one task, nothing is bought twice, no half-written artifact
 * is ever served, and the log still re-derives everything.
 */
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { describe, it } from "node:test"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { createAudit } from "@safelight/audit"
import {
  DEFAULT_PRICES,
  MODELS,
  PROBE_POINTS,
  type ArtifactStorage,
  type Storage,
  type Task,
} from "@safelight/core"
import { createEngine, sha256, type Engine } from "@safelight/engine"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { COMPILED, SOURCE_FLAGS } from "../support/own-process.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { createUpstream, toProduct, type Upstream, type UpstreamKind } from "../support/upstream.ts"
import { REQUEST_KEYS, toKeyedRequest } from "./support/keyed-request.ts"
import { DAY_MS, NODE_FOLDERS, toNodeSettings } from "./support/node-settings.ts"

const CHILD = join(import.meta.dirname, "support/crashing-node.ts")

interface Crash {
  readonly signal: string | null
  /** The idempotency keys that were answered, each with its task's id. */
  readonly accepted: ReadonlyMap<string, string>
}

/** Runs a node that dies at the n-th pass of `point`. */
async function crash(
  folder: string,
  kind: UpstreamKind,
  point: string,
  nth: number,
): Promise<Crash> {
  const child = spawn(process.execPath, [...SOURCE_FLAGS, CHILD, folder, kind, point, `${nth}`], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILED },
  })
  let output = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text))
  const signal = await new Promise<string | null>((resolve) => {
    child.on("close", (_code, killedBy) => resolve(killedBy))
  })
  const lines = output.split("\n").filter((line) => line !== "")
  return { signal, accepted: new Map(lines.map((line) => line.split(" ") as [string, string])) }
}

interface Node extends AsyncDisposable {
  readonly storage: Storage
  readonly artifacts: ArtifactStorage
  readonly engine: Engine
  readonly upstream: Upstream
}

async function restart(folder: string, kind: UpstreamKind): Promise<Node> {
  const storage = await createSqliteStorage({
    folder: join(folder, NODE_FOLDERS.data),
    mode: "serve",
  })
  const artifacts = createFilesystemArtifacts({ folder: join(folder, NODE_FOLDERS.artifacts) })
  const upstream = createUpstream({ folder: join(folder, NODE_FOLDERS.upstream), kind })
  const channels = [upstream.channel]
  const engine = createEngine({ storage, artifacts, channels, settings: toNodeSettings(kind) })
  engine.start()
  return {
    storage,
    artifacts,
    engine,
    upstream,
    async [Symbol.asyncDispose]() {
      await engine.stop()
      await storage.close()
    },
  }
}

async function allTasks(storage: Storage): Promise<string[]> {
  const { streams } = await storage.scan({ after: "", limit: 1_000 })
  return streams.map(({ id }) => id)
}

async function assertWhole({ storage }: Node): Promise<void> {
  const audit = createAudit({ storage, digest: sha256, prices: DEFAULT_PRICES, models: MODELS })
  assert.equal((await audit.verify()).outcome, "whole")
  assert.equal((await audit.replay()).outcome, "whole")
}

async function assertServed({ artifacts }: Node, task: Task): Promise<void> {
  const expected = toProduct(task.id)
  for (const { locator, bytes, sha256: digest } of task.artifacts) {
    assert.equal(bytes, expected.length)
    assert.equal(digest, createHash("sha256").update(expected).digest("hex"))
    const reader = await artifacts.open({ locator })
    const into = Buffer.alloc(bytes + 1)
    assert.equal(await reader.read(into), bytes)
    await reader.close()
    assert.deepEqual(into.subarray(0, bytes), expected)
  }
}

/** Every client asks again under its key, twice: there is one task for each key, and no other. */
async function assertOneTaskEach(
  { engine, storage }: Node,
  accepted: Crash["accepted"],
): Promise<readonly string[]> {
  const stored = await allTasks(storage)
  const ids: string[] = []
  let replayed = 0
  for (const key of REQUEST_KEYS) {
    const first = await engine.submit(toKeyedRequest(key))
    const second = await engine.submit(toKeyedRequest(key))
    assert.ok(first.kind === "submitted" && second.kind === "submitted")
    const { id } = first.task
    assert.ok(second.isReplayed && second.task.id === id, `${key} was made a second task`)
    const acceptedId = accepted.get(key)
    if (acceptedId !== undefined) {
      assert.ok(first.isReplayed && acceptedId === id, `accepted task ${acceptedId} is lost`)
    }
    if (first.isReplayed) replayed += 1
    ids.push(id)
  }
  assert.equal(replayed, stored.length, "what was stored before the crash is what is replayed")
  const known = await allTasks(storage)
  assert.deepEqual(known.toSorted(), ids.toSorted())
  return known
}

/** What must hold once the node is back, whatever happened before. */
async function assertRecovered(folder: string, kind: UpstreamKind, accepted: Crash["accepted"]) {
  await using node = await restart(folder, kind)
  const known = await assertOneTaskEach(node, accepted)
  const ended: Task[] = []
  for (const id of known) {
    const task = await node.engine.finished(id)
    assert.ok(task !== undefined)
    ended.push(task)
    assert.ok(node.upstream.countBought(id) <= 1, `task ${id} was bought more than once`)
    if (task.state === "succeeded.available") await assertServed(node, task)
  }
  await assertWhole(node)
  await node.engine.sweep(Date.now() + 14 * DAY_MS)
  await node.engine.sweep(Date.now() + 16 * DAY_MS)
  for (const id of known) assert.deepEqual(await node.artifacts.list(id), [], "bytes are left over")
  await assertWhole(node)
  return ended
}

const DISPATCH_POINTS = PROBE_POINTS.filter((point) => point.startsWith("dispatch:"))
const SCENARIOS: readonly (readonly [UpstreamKind, readonly string[]])[] = [
  ["keyed", [...PROBE_POINTS, "upstream:bought"]],
  ["lookup", [...DISPATCH_POINTS, "upstream:bought", "outcome:before-append"]],
  ["unkeyed", [...DISPATCH_POINTS, "upstream:bought", "outcome:before-append"]],
]

describe("a crash", { concurrency: 2 }, () => {
  for (const [kind, points] of SCENARIOS) {
    for (const point of points) {
      it(`at ${point} over a ${kind} channel loses nothing and buys nothing twice`, async () => {
        await using folder = await createTemporaryFolder()
        const { signal, accepted } = await crash(folder.path, kind, point, 3)
        assert.equal(signal, "SIGKILL", "the node never met the point")
        const ended = await assertRecovered(folder.path, kind, accepted)
        if (kind === "unkeyed") return
        for (const { error, state } of ended) assert.match(state, /^succeeded/, `${error?.code}`)
      })
    }
  }
})
