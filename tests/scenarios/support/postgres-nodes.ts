/**
 * Several real nodes on one database and one bucket while a client submits through all of them. Every 202 that the
 * client got names a task that ends as its prompt asks for, and that a webhook told of.
 */
import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { TestContext } from "node:test"
import { setTimeout } from "node:timers/promises"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { download, post, readJson, type Client } from "../../service/client.ts"
import type { InstalledRelease, PostgresWorld } from "../../service/postgres/postgres-world.ts"
import type { Serving } from "../../service/command/command-process.ts"
import { RECEIVER_NETWORKS, startWebhookLedger, type WebhookLedger } from "./webhook-ledger.ts"

interface Node extends Serving {
  /** From when on a connection may end under a request. */
  isLeaving: boolean
}

/** What the client got besides a 202, from whom. */
interface Refusal {
  readonly node: Node
  readonly wasLeaving: boolean
  readonly what: string
}

interface Submitting {
  readonly accepted: ReadonlyMap<string, "succeeded" | "failed">
  readonly refusals: readonly Refusal[]
  /** The longest time between two 202s. */
  longestGapMs(): number
  /** Resolves once that many more were accepted. */
  more(count: number): Promise<void>
  stop(): Promise<void>
}

const CLIENTS = 4
/** Between two submissions of a client, so that what is to be rendered stays little. */
const PAUSE_MS = 80

/** One caller of so many waits for the end of its task. */
const WAITING_EVERY = 5

/** So that tasks are in every state at any moment. */
const PICTURES = ["[studio: delay 200ms]", "[studio: at-once]"]
const REFUSED = ["", "[studio: at-once]", "[studio: delay 300ms]", "[studio: defer 1]"]
/** One of so many is a picture: each takes a processor for a while. */
const PICTURE_EVERY = 16

function toRequest(index: number): readonly [prompt: string, outcome: "succeeded" | "failed"] {
  const round = Math.floor(index / PICTURE_EVERY)
  if (index % PICTURE_EVERY === 0) return [`${PICTURES[round % PICTURES.length]} fog`, "succeeded"]
  return [`${REFUSED[index % REFUSED.length]} [studio: fail provider_rejected] fog`, "failed"]
}

/** Submits through `nodes`, whichever they are at the moment. */
function submitThroughAll(nodes: readonly Node[], key: string): Submitting {
  const accepted = new Map<string, "succeeded" | "failed">()
  const refusals: Refusal[] = []
  const over = new AbortController()
  let count = 0
  let longestGapMs = 0
  let acceptedAt = Infinity

  function noteAccepted(task: string, outcome: "succeeded" | "failed"): void {
    const now = performance.now()
    longestGapMs = Math.max(longestGapMs, now - acceptedAt)
    acceptedAt = now
    accepted.set(task, outcome)
  }

  async function submitOne(): Promise<void> {
    const [prompt, outcome] = toRequest(count)
    const node = nodes[(count += 1) % nodes.length] ?? assert.fail()
    const note = (what: string): void => {
      refusals.push({ node, wasLeaving: node.isLeaving, what })
    }
    try {
      const waits = count % WAITING_EVERY === 0 ? { prefer: "wait=2" } : {}
      const response = await post({ url: node.url, key }, prompt, waits)
      const body = (await response.json()) as { readonly task_id: string }
      if (response.status === 202) noteAccepted(body.task_id, outcome)
      else note(`${response.status} ${JSON.stringify(body)}`)
    } catch (error) {
      note(String((error as Error).cause ?? error))
    }
  }

  async function submitUntilOver(): Promise<void> {
    while (!over.signal.aborted) {
      await submitOne()
      await setTimeout(PAUSE_MS)
    }
  }

  const clients = Promise.all(Array.from({ length: CLIENTS }, submitUntilOver))
  return {
    accepted,
    refusals,
    longestGapMs: () => Math.round(longestGapMs),
    async more(wanted) {
      const target = accepted.size + wanted
      while (accepted.size < target) await setTimeout(10)
    },
    async stop() {
      over.abort()
      await clients
    },
  }
}

async function start(world: PostgresWorld): Promise<Node> {
  return { ...(await world.serve([], { isOwnProcess: true })), isLeaving: false }
}

/** `settings` besides those that let nodes send to the ledger. */
async function createLedger(
  t: TestContext,
  world: PostgresWorld,
  settings: { readonly stopGraceMs?: number } = {},
): Promise<WebhookLedger> {
  const configuration = { ...settings, webhooks: { allowedAddresses: RECEIVER_NETWORKS } }
  await writeFile(join(world.folder, "safelight.config.json"), JSON.stringify(configuration))
  return startWebhookLedger(t, world)
}

async function createKey(world: PostgresWorld): Promise<string> {
  const printed = await world.succeed("keys", "create", "--account", "ada", "--json")
  // As many tasks as fit: what an account may do is no part of this.
  const rates = ["--create-rate", "none", "--read-rate", "none", "--content-rate", "none"]
  const counts = ["--unfinished-tasks", "none", "--running-tasks", "none"]
  await world.succeed("accounts", "set", "ada", ...rates, ...counts)
  return (JSON.parse(printed) as { readonly key: string }).key
}

async function assertEnded(client: Client, { accepted }: Submitting): Promise<void> {
  const waiting = new Map(accepted)
  while (waiting.size > 0) {
    for (const [id, outcome] of waiting) {
      const { status } = await readJson(client, `/v1/tasks/${id}`)
      if (status !== "succeeded" && status !== "failed") continue
      assert.equal(status, outcome, id)
      if (outcome === "succeeded") await download(client, id)
      waiting.delete(id)
    }
    await setTimeout(100)
  }
}

async function assertSound(world: PostgresWorld): Promise<void> {
  for (const name of ["verify", "replay"]) await world.succeed("audit", name)
}

/**
 * What the others do once a node's beats have stood still for a minute. Those of the living end with
 * them: for a node that was stopped so long and goes on it is the same.
 */
async function expireAll({ database }: PostgresWorld): Promise<number> {
  const storage = await createPostgresStorage({ url: database, mode: "beside" })
  try {
    const ended = (await storage.listLeases()).map((lease) => storage.expire(lease))
    return (await Promise.all(ended)).filter(Boolean).length
  } finally {
    await storage.close()
  }
}

export async function killTwoOfThree(t: TestContext, world: PostgresWorld): Promise<void> {
  const ledger = await createLedger(t, world)
  const key = await createKey(world)
  const nodes = await Promise.all(Array.from({ length: 3 }, () => start(world)))
  const [first, second, other] = nodes as [Node, Node, Node]
  await ledger.register({ url: other.url, key })
  const submitting = submitThroughAll(nodes, key)
  for (const killed of [first, second]) {
    await submitting.more(25)
    killed.isLeaving = true
    killed.kill("SIGKILL")
    await killed.ended
  }
  await submitting.more(20)
  await submitting.stop()
  assert.deepEqual(
    submitting.refusals.filter(({ wasLeaving }) => !wasLeaving),
    [],
  )
  assert.ok((await expireAll(world)) > 1)
  const client = { url: other.url, key }
  await assertEnded(client, submitting)
  await ledger.assertTold(client, submitting.accepted.keys())
  await assertSound(world)
}

/** With `older` the first nodes, and all that is done before the next, are of that release. */
export async function replaceAll(
  t: TestContext,
  world: PostgresWorld,
  older?: InstalledRelease,
): Promise<void> {
  world.install(older)
  // What a node has in hand then goes back to the queue, for the others.
  const ledger = await createLedger(t, world, { stopGraceMs: 1_000 })
  const key = await createKey(world)
  const nodes = await Promise.all([start(world), start(world)])
  await ledger.register({ url: nodes[0].url, key })
  const submitting = submitThroughAll(nodes, key)
  for (const leaving of nodes.slice()) {
    await submitting.more(10)
    world.install()
    nodes.push(await start(world))
    leaving.isLeaving = true
    leaving.kill("SIGTERM")
    await submitting.more(10)
    assert.equal((await leaving.ended).code, 0)
    nodes.splice(nodes.indexOf(leaving), 1)
  }
  await submitting.more(10)
  await submitting.stop()
  const client = { url: nodes[0].url, key }
  const { accepted, refusals } = submitting
  t.diagnostic(
    `${accepted.size} accepted, ${submitting.longestGapMs()} ms apart at most; ${refusals.length} not answered by a node that was leaving`,
  )
  assert.deepEqual(
    submitting.refusals.filter(({ wasLeaving }) => !wasLeaving),
    [],
  )
  await assertEnded(client, submitting)
  await ledger.assertTold(client, submitting.accepted.keys())
  await assertSound(world)
}
